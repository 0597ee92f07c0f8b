"""All durations of ops, by operator or by type, in the order of their arrival."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from optap.batch import Batch

__all__ = ("Durations", "Key")

Key = tuple[str, str, str]
"""Name, type and kernel; by type, the type and twice nothing."""

_OP = 0
_NONE = np.empty(0, np.uint64)


class Durations:
    """Durations in nanoseconds, 20 bytes for each op while they are gathered."""

    def __init__(self, by: Literal["name", "type"]) -> None:
        self._by = by
        self._numbers: dict[Key, int] = {}
        self._chunks: list[tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64]]] = []
        self._durations: dict[Key, NDArray[np.uint64]] = {}
        self._runs = _NONE

    @classmethod
    def of(cls, batches: Iterable[Batch], by: Literal["name", "type"]) -> Self:
        """Those of all ops of `batches` that have a valid duration."""
        durations = cls(by)
        for batch in batches:
            durations._add(batch)
        durations._finish()
        return durations

    @property
    def keys(self) -> list[Key]:
        """What there are durations of."""
        return list(self._numbers)

    def __getitem__(self, key: Key) -> NDArray[np.uint64]:
        return self._durations.get(key, _NONE)

    def runs(self) -> NDArray[np.uint64]:
        """The sum of each run's ops, in the order of the runs."""
        return self._runs

    def _add(self, batch: Batch) -> None:
        ops = batch.array
        ops = ops[(ops["kind"] == _OP) & (ops["start_ns"] > 0) & (ops["end_ns"] >= ops["start_ns"])]
        if len(ops):
            distinct, inverse = np.unique(ops["op_id"], return_inverse=True)
            keys = self._keys(distinct.tolist(), batch)
            numbers = [self._numbers.setdefault(key, len(self._numbers)) for key in keys]
            durations = ops["end_ns"] - ops["start_ns"]
            self._chunks.append((np.array(numbers, np.uint32)[inverse], durations, ops["run_id"].copy()))

    def _keys(self, op_ids: list[int], batch: Batch) -> list[Key]:
        types = batch.types
        if self._by == "type":
            return [(types[op_id], "", "") for op_id in op_ids]
        names, kernels = batch.names, batch.kernels
        return [(names[op_id], types[op_id], kernels[op_id]) for op_id in op_ids]

    def _finish(self) -> None:
        if not self._chunks:
            return
        numbers, durations, runs = (np.concatenate(column) for column in zip(*self._chunks, strict=True))
        self._chunks = []
        self._runs = _sums(runs, durations)
        order = np.argsort(numbers, kind="stable")
        cuts = np.cumsum(np.bincount(numbers, minlength=len(self._numbers)))[:-1]
        self._durations = dict(zip(self._numbers, np.split(durations[order], cuts), strict=True))


def _sums(runs: NDArray[np.uint64], durations: NDArray[np.uint64]) -> NDArray[np.uint64]:
    durations, runs = durations[runs != 0], runs[runs != 0]
    if not len(runs):
        return _NONE
    order = np.argsort(runs, kind="stable")
    runs = runs[order]
    firsts = np.flatnonzero(np.concatenate([np.ones(1, bool), runs[1:] != runs[:-1]]))
    return np.add.reduceat(durations[order], firsts)
