"""Ranges, steps and marks of a timeline."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optap.batch import Batch
from optap.report.columns import column
from optap.report.labels import Labels

__all__ = ("MARK", "RANGE", "SPAN", "STEP", "Spans")

RANGE, MARK, STEP = 3, 4, 5
"""Kinds of records that are spans."""

_MOST_ROWS = 12

SPAN = np.dtype([("start", "<u8"), ("duration", "<u8"), ("label", "<u4"), ("number", "<u8")])
"""A range, step or mark; times in nanoseconds."""

_MOST_LABELS = 5_000


class Spans:
    """Keeps the `most` longest spans of one kind."""

    def __init__(self, kind: int, most: int) -> None:
        self.left_out = 0
        self._kind = kind
        self._most = most
        self._labels = Labels(_MOST_LABELS)
        self._spans = np.empty(0, SPAN)

    def add(self, batch: Batch, records: NDArray[np.void]) -> None:
        """Take the spans among `records`, which are those of `batch`."""
        records = records[records["kind"] == self._kind]
        if self._kind == MARK:
            records = records.copy()
            records["end_ns"] = records["start_ns"] = np.maximum(records["start_ns"], records["end_ns"])
        records = records[(records["start_ns"] > 0) & (records["end_ns"] >= records["start_ns"])]
        if not len(records):
            return
        spans = np.empty(len(records), SPAN)
        spans["start"] = records["start_ns"]
        spans["duration"] = records["end_ns"] - records["start_ns"]
        spans["label"] = self._labels.of(records["op_id"], batch)
        spans["number"] = records["run_id"]
        spans = np.concatenate([self._spans, spans])
        if len(spans) > self._most:
            cut = len(spans) - self._most
            spans = spans[np.argpartition(spans["duration"], cut)[cut:]]
            self.left_out += cut
        self._spans = spans

    def bounds(self) -> tuple[int, int] | None:
        """First start and last end, if there is any span."""
        spans = self._spans
        return (int(spans["start"].min()), int((spans["start"] + spans["duration"]).max())) if len(spans) else None

    def told(self, zero_ns: int) -> dict[str, Any]:
        """The columns of the spans in the order of their starts, which count from `zero_ns`."""
        spans = self._spans[np.lexsort((-self._spans["duration"].astype(np.int64), self._spans["start"]))]
        return {
            "names": self._labels.pairs(),
            "starts": column(spans["start"] - np.uint64(zero_ns)),
            "durations": column(spans["duration"]),
            "labels": column(spans["label"]),
            "numbers": column(spans["number"]),
            "rows": column(_rows(spans) if self._kind != MARK else np.zeros(len(spans), np.uint32)),
        }


def _rows(spans: NDArray[np.void]) -> NDArray[np.uint32]:
    """A row for each span, the highest in which none that began before is still going on."""
    free, busy, rows = list(range(_MOST_ROWS)), list[tuple[int, int]](), np.zeros(len(spans), np.uint32)
    for at, (start, duration) in enumerate(zip(spans["start"].tolist(), spans["duration"].tolist(), strict=True)):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        row = heapq.heappop(free) if free else _MOST_ROWS - 1
        if row < _MOST_ROWS - 1 or not any(one == row for _, one in busy):
            heapq.heappush(busy, (start + duration, row))
        rows[at] = row
    return rows
