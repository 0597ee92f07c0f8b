"""The chart of steps, or of runs where there are no steps: at most so many bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optap.summary import SummaryRow

__all__ = ("bars",)

_MOST_BARS = 240


def bars(steps: Sequence[SummaryRow], runs: NDArray[np.void]) -> dict[str, Any]:
    """What the page draws: for each bar its name, how long it took, and the time of its ops; in nanoseconds."""
    told = [row for row in steps if row.step is not None and row.spans]
    if told:
        points = [(row.step, row.span_ns / row.spans, row.total_ns / row.spans, row.count / row.spans) for row in told]
        return {"kind": "step", "count": len(points), "bars": _grouped(points)}
    took = (runs["last"] - runs["first"]).tolist()
    points = list(zip(runs["run"].tolist(), took, runs["busy"].tolist(), runs["count"].tolist(), strict=True))
    return {"kind": "run", "count": len(points), "bars": _grouped(points)}


def _grouped(points: Sequence[tuple[Any, float, float, float]]) -> list[list[Any]]:
    """First and last number, mean and longest time, mean time and mean number of ops."""
    size = -(-len(points) // _MOST_BARS) or 1
    groups = (points[at : at + size] for at in range(0, len(points), size))
    return [
        [
            group[0][0],
            group[-1][0],
            float(np.mean([took for _, took, _, _ in group])),
            max(took for _, took, _, _ in group),
            float(np.mean([busy for _, _, busy, _ in group])),
            float(np.mean([count for _, _, _, count in group])),
        ]
        for group in groups
    ]
