"""The ops that a timeline shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optap.report.columns import column
from optap.report.density import Density

__all__ = ("OP", "Ops")

OP = np.dtype([("start", "<u8"), ("duration", "<u8"), ("run", "<u8"), ("label", "<u4"), ("lane", "<u4")])
"""An op of the timeline; times in nanoseconds."""


class Ops:
    """Keeps the `most` longest ops; of the others, the share of time that they took."""

    def __init__(self, most: int) -> None:
        self.left_out = 0
        self.density = Density()
        self._most = most
        self._count = 0
        self._chunks: list[NDArray[np.void]] = []

    def add(self, ops: NDArray[np.void]) -> None:
        """Take ops of dtype `OP`."""
        self._chunks.append(ops)
        self._count += len(ops)
        if self._count > 2 * self._most:
            self._shrink()

    def sorted(self) -> NDArray[np.void]:
        """The ops that are kept, lane by lane, each in the order of their starts."""
        self._shrink()
        ops = self._chunks[0]
        return ops[np.lexsort((ops["start"], ops["lane"]))]

    def _shrink(self) -> None:
        ops = np.concatenate([np.empty(0, OP), *self._chunks])
        if len(ops) > self._most:
            cut = len(ops) - self._most
            order = np.argpartition(ops["duration"], cut)
            self.density.add(ops[order[:cut]])
            self.left_out += cut
            ops = ops[order[cut:]]
        self._chunks, self._count = [ops], len(ops)


def packed(ops: NDArray[np.void], lanes: int, zero_ns: int) -> dict[str, Any]:
    """The columns of sorted `ops`; a start counts from the one before it in its lane, or else from `zero_ns`."""
    counts = np.bincount(ops["lane"], minlength=lanes)
    before = np.concatenate([np.full(1, zero_ns, np.uint64), ops["start"][:-1]])[: len(ops)]
    firsts = np.cumsum(counts) - counts
    before[firsts[counts > 0]] = zero_ns
    return {
        "counts": counts.tolist(),
        "starts": column(ops["start"] - before),
        "durations": column(ops["duration"]),
        "labels": column(ops["label"]),
        "runs": column(ops["run"]),
    }
