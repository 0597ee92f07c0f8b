"""Times of operators, summed up batch by batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optap.batch import Batch
from optap.cli.histogram import Histograms

__all__ = ("OperatorRow", "OperatorTimes")

_KIND_OP = 0


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """What is known of one operator. Quantiles are off by at most 0.8 %, the rest is exact."""

    name: str
    """Name of the ONNX node."""
    type: str
    """Operator type of the ONNX node."""
    kernel: str
    """What the engine ran; a node may become several."""
    count: int
    """Times that it ran."""
    untimed: int
    """Those of `count` without a valid duration; all below leaves them out."""
    total_ns: int
    """Sum of its durations, in ns."""
    share: float
    """Part of `total_ns` in that of all operators, from 0 to 1."""
    mean_ns: float
    """Mean duration, in ns."""
    p50_ns: float
    """Median duration, in ns."""
    p99_ns: float
    """Duration, in ns, that 99 % do not exceed."""
    max_ns: int
    """Longest duration, in ns."""


class OperatorTimes:
    """Adds batches up by name, type and kernel of operator, in memory that grows only with the number of operators."""

    def __init__(self) -> None:
        self.records = 0
        self._rows: dict[tuple[str, str, str], int] = {}
        self._histograms = Histograms()
        self._counts = np.zeros((4, 0), np.int64)

    def add(self, batch: Batch) -> None:
        """Count the ops of `batch`; ranges, marks and steps are no operators and are left out."""
        ops = batch.array
        is_op = ops["kind"] == _KIND_OP
        ops = ops if is_op.all() else ops[is_op]
        self.records += len(ops)
        if len(ops):
            rows = self._rows_of(ops["op_id"], batch)
            is_timed = (ops["start_ns"] > 0) & (ops["end_ns"] >= ops["start_ns"])
            self._sum(rows, is_timed, ops["end_ns"] - ops["start_ns"])

    def rows(self) -> list[OperatorRow]:
        """All operators, the one with the greatest total time first."""
        all_ns = int(self._counts[2].sum()) or 1
        rows = [self._row(key, row, all_ns) for key, row in self._rows.items()]
        return sorted(rows, key=lambda row: row.total_ns, reverse=True)

    def _rows_of(self, op_ids: NDArray[np.uint32], batch: Batch) -> NDArray[np.intp]:
        distinct, inverse = np.unique(op_ids, return_inverse=True)
        names, types, kernels = batch.names, batch.types, batch.kernels
        keys = [(names[op_id], types[op_id], kernels[op_id]) for op_id in distinct.tolist()]
        rows = np.array([self._rows.setdefault(key, len(self._rows)) for key in keys], np.intp)
        missing = len(self._rows) - self._counts.shape[1]
        self._counts = np.pad(self._counts, ((0, 0), (0, max(missing, 0))))
        self._histograms.grow(len(self._rows))
        return rows[inverse]

    def _sum(self, rows: NDArray[np.intp], is_timed: NDArray[np.bool_], durations_ns: NDArray[np.uint64]) -> None:
        counts, timed, total_ns, max_ns = self._counts
        np.add.at(counts, rows, 1)
        rows, durations_ns = rows[is_timed], durations_ns[is_timed]
        np.add.at(timed, rows, 1)
        np.add.at(total_ns, rows, durations_ns.astype(np.int64))
        np.maximum.at(max_ns, rows, durations_ns.astype(np.int64))
        self._histograms.add(rows, durations_ns)

    def _row(self, key: tuple[str, str, str], row: int, all_ns: int) -> OperatorRow:
        name, kind, kernel = key
        count, timed, total_ns, max_ns = self._counts[:, row].tolist()
        return OperatorRow(
            name=name,
            type=kind,
            kernel=kernel,
            count=count,
            untimed=count - timed,
            total_ns=total_ns,
            share=total_ns / all_ns,
            mean_ns=total_ns / (timed or 1),
            p50_ns=min(self._histograms.quantile(row, 0.50), max_ns),
            p99_ns=min(self._histograms.quantile(row, 0.99), max_ns),
            max_ns=max_ns,
        )
