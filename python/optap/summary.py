"""Times of ops by type, name, step, range or stream, summed up while they arrive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from optap import _core
from optap._source import Source, batches_of, is_table
from optap.batch import Batch

__all__ = ("By", "Sort", "Summary", "SummaryRow")

By = Literal["type", "name", "step", "range", "stream"]
"""What makes a row of a `Summary`."""

Sort = Literal["total", "count", "mean", "min", "p50", "p99", "max", "name"]
"""What rows are sorted by: the greatest first, names and numbers from the first on."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """What is known of one key. Times are in nanoseconds; quantiles are off by at most 0.8 %, the rest is exact."""

    name: str
    """The type, the operator's name, the range's message, or the number of the step or stream in words."""
    type: str
    """Operator type of the ONNX node, by name; the domain, by range; empty otherwise."""
    kernel: str
    """What the engine ran, by name; the category, by range; empty otherwise."""
    step: int | None
    """Number of the step, by step."""
    device_id: int | None
    """The device, by stream."""
    stream_id: int | None
    """The stream, by stream."""
    count: int
    """Ops counted."""
    untimed: int
    """Those of `count` without a valid duration; all times below leave them out."""
    total_ns: int
    """Sum of the durations."""
    share: float
    """Part of `total_ns` in that of all rows, from 0 to 1."""
    min_ns: int
    """Shortest duration."""
    mean_ns: float
    """Mean duration."""
    p50_ns: float
    """Median duration."""
    p99_ns: float
    """Duration that 99 % do not exceed."""
    max_ns: int
    """Longest duration."""
    spans: int
    """How often the range or the step itself came to its end, by range and by step."""
    span_ns: int
    """Sum of the ranges' or steps' own durations."""


_NO_KEY: Mapping[str, Any] = {"type": "", "kernel": "", "step": None, "device_id": None, "stream_id": None}


class Summary:
    """Adds up batches by a key: natively, without the interpreter's lock, in memory that their number does not change.

    By range, an op counts in the innermost range in force where its run was launched. By step, it counts in the step
    in which it began. Both are told after their ops: by range, ops of an unfinished range stand in a row of
    their own, and by step, up to 262,144 ops wait, in the row for none. Marks, ranges and steps are no ops.

    Args:
        by: What makes a row: `type`, `name` (name, type and kernel together), `step`, `range` or `stream`.
        max_rows: Rows at most; the ops of all further keys are summed up in one more row, `(others)`.

    Raises:
        ValueError: `by` is not known, or `max_rows` is below 1.

    Examples:
        >>> import anyio, optap
        >>> from optap.testing import ScriptedModel
        >>> async def main():
        ...     summary = Summary(by="type")
        ...     script = {"names": ["a", "b"], "types": ["Conv", "Relu"], "times_ns": [(10, 30)]}
        ...     async with ScriptedModel(count=4, **script) as model:
        ...         async with optap.subscribe(model) as ops:
        ...             await model.run()
        ...             summary.add(await ops.receive_batch(4, max_age=1))
        ...     return [(row.name, row.count, row.total_ns, row.p50_ns) for row in summary.rows(sort="name")]
        >>> anyio.run(main)
        [('Conv', 2, 40, 20.0), ('Relu', 2, 40, 20.0)]
    """

    def __init__(self, by: By = "type", *, max_rows: int = 65_536) -> None:
        if max_rows < 1:
            raise ValueError(f"max_rows={max_rows} must be 1 or more")
        self._core = _core.Summary(by, max_rows)

    @classmethod
    def of(cls, source: Source, by: By = "type") -> Self:
        """The summary of a whole table, whose ranges and steps are known ahead of its ops; or of batches, one by one.

        Examples:
            >>> Summary.of([], by="step").rows()
            []
        """
        summary = cls(by)
        if is_table(source) and by in ("range", "step"):
            for batch in source.batches():
                summary.know_spans(batch)
        for batch in batches_of(source):
            summary.add(batch)
        return summary

    @property
    def by(self) -> By:
        """What makes a row."""
        return self._core.by

    @property
    def records(self) -> int:
        """Ops counted."""
        return self._core.records

    @property
    def lost(self) -> int:
        """Ops that the batches told as lost, in their gaps."""
        return self._core.lost

    def add(self, batch: Batch) -> None:
        """Count the ops of `batch`."""
        self._core.add(batch)

    def know_spans(self, batch: Batch) -> None:
        """Take the ranges and steps of `batch` alone, ahead of all ops: none waits then for the end of its step."""
        self._core.know_spans(batch)

    def rows(self, sort: Sort = "total") -> list[SummaryRow]:
        """All rows, sorted.

        Raises:
            ValueError: `sort` is not known.
        """
        if sort not in _ORDERS:
            raise ValueError(f"sort={sort!r} is no order; choose from {', '.join(_ORDERS)}")
        told = self._core.rows()
        all_ns = sum(row["total_ns"] for row in told) or 1
        rows = [SummaryRow(**{**_NO_KEY, **row, "share": row["total_ns"] / all_ns}) for row in told]
        return sorted(sorted(rows, key=_by_name), key=_ORDERS[sort])


def _by_name(row: SummaryRow) -> tuple[int, int, int, str, str, str]:
    numbers = (-1 if number is None else number for number in (row.step, row.device_id, row.stream_id))
    step, device_id, stream_id = numbers
    return step, device_id, stream_id, row.name, row.type, row.kernel


_ORDERS: Mapping[str, Callable[[SummaryRow], Any]] = {
    "total": lambda row: -row.total_ns,
    "count": lambda row: -row.count,
    "mean": lambda row: -row.mean_ns,
    "min": lambda row: -row.min_ns,
    "p50": lambda row: -row.p50_ns,
    "p99": lambda row: -row.p99_ns,
    "max": lambda row: -row.max_ns,
    "name": _by_name,
}
