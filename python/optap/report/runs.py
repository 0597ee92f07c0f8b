"""Runs of models, made of their ops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ("RUN", "Runs")

RUN = np.dtype([("run", "<u8"), ("first", "<u8"), ("last", "<u8"), ("busy", "<f8"), ("count", "<u8")])
"""A run: its id, when its first op began and its last one ended, the time and number of its ops."""

_MOST = 100_000


class Runs:
    """Sums up ops by run, for the first 100,000 runs."""

    def __init__(self) -> None:
        self.is_cut = False
        self._runs = np.empty(0, RUN)
        self._chunks: list[NDArray[np.void]] = []
        self._count = 0

    def add(self, ops: NDArray[np.void]) -> None:
        """Count ops of the dtype `OP`; those outside of runs do not count."""
        ops = ops[ops["run"] != 0]
        if not len(ops):
            return
        runs = np.empty(len(ops), RUN)
        runs["run"], runs["first"], runs["last"] = ops["run"], ops["start"], ops["start"] + ops["duration"]
        runs["busy"], runs["count"] = ops["duration"], 1
        self._chunks.append(_merged(runs))
        self._count += len(self._chunks[-1])
        if self._count > _MOST:
            self.sorted()

    def sorted(self) -> NDArray[np.void]:
        """The runs, in the order of their first ops."""
        runs = _merged(np.concatenate([self._runs, *self._chunks]))
        self.is_cut |= len(runs) > _MOST
        self._runs, self._chunks, self._count = runs[:_MOST], [], 0
        return self._runs[np.argsort(self._runs["first"], kind="stable")]


def _merged(runs: NDArray[np.void]) -> NDArray[np.void]:
    """One row for each run, in the order of their ids."""
    runs = runs[np.argsort(runs["run"], kind="stable")]
    if not len(runs):
        return runs
    at = np.flatnonzero(np.concatenate([np.ones(1, bool), runs["run"][1:] != runs["run"][:-1]]))
    merged = runs[at]
    merged["first"] = np.minimum.reduceat(runs["first"], at)
    merged["last"] = np.maximum.reduceat(runs["last"], at)
    merged["busy"] = np.add.reduceat(runs["busy"], at)
    merged["count"] = np.add.reduceat(runs["count"], at)
    return merged
