"""The tables of a report: the same ops by each key."""

from __future__ import annotations

from typing import Any

from optap.batch import Batch
from optap.report.labels import shown
from optap.summary import By, Summary, SummaryRow

__all__ = ("Tables",)

_KEYS: tuple[By, ...] = ("name", "type", "stream", "range", "step")
_MOST_ROWS = 2_000


class Tables:
    """A summary by each key."""

    def __init__(self) -> None:
        self._summaries: dict[By, Summary] = {by: Summary(by) for by in _KEYS}

    def know_spans(self, batch: Batch) -> None:
        """Take ranges and steps ahead of the ops."""
        for by in ("range", "step"):
            self._summaries[by].know_spans(batch)

    def add(self, batch: Batch) -> None:
        """Count the ops of `batch`."""
        for summary in self._summaries.values():
            summary.add(batch)

    def steps(self) -> list[SummaryRow]:
        """The rows by step, in the order of their numbers."""
        return self._summaries["step"].rows(sort="name")

    def told(self) -> dict[str, Any]:
        """The sums of all, and the tables: 2,000 rows of each at most."""
        rows = {by: summary.rows() for by, summary in self._summaries.items()}
        by_type = self._summaries["type"]
        return {
            "count": by_type.records,
            "lost": by_type.lost,
            "untimed": sum(row.untimed for row in rows["type"]),
            "busy": sum(row.total_ns for row in rows["type"]),
            "tables": {
                by: {"rows": len(told), "top": [_row(one) for one in told[:_MOST_ROWS]]} for by, told in rows.items()
            },
        }


def _row(row: SummaryRow) -> list[Any]:
    texts = [shown(row.name), shown(row.type)]
    quantiles = [row.min_ns, round(row.mean_ns), round(row.p50_ns), round(row.p99_ns), row.max_ns]
    return [*texts, row.spans, row.span_ns, row.count, row.total_ns, row.share, *quantiles]
