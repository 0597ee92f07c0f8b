"""Rows as a table of text."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from optap._text import duration, printable
from optap.summary import By, SummaryRow

__all__ = ("GAP", "Columns", "columns", "plain_table", "rest", "width_of")

GAP = 2
"""Characters between two columns."""

_LEAST_NAME = 12
_MOST_TYPE = 24
_MOST_PADDED = 80  # one endless name shall not make every line endless
_TIMES = ("total", "share", "mean", "p50", "p99", "max")


def width_of(out: TextIO) -> int | None:
    """Characters of a line of the terminal `out`; `None` where it is none, and lines may be of any length."""
    return shutil.get_terminal_size().columns if out.isatty() else None


@dataclass(frozen=True)
class Columns:
    """A table: headings and lines; the first `texts` columns hold text, the name first, the others numbers."""

    headings: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]
    texts: int

    def fit(self, width: int | None) -> Columns:
        """The same with names and other text cut so that all columns fit into `width` characters, if any."""
        if width is None:
            return self
        lines = [(name, *(_tail(text, _MOST_TYPE) for text in others)) for name, *others in self.lines]
        others = [
            max(map(len, column)) for column in zip(self.headings[1:], *(line[1:] for line in lines), strict=True)
        ]
        left = max(width - sum(one + GAP for one in others), _LEAST_NAME)
        return Columns(self.headings, [(_tail(name, left), *others) for name, *others in lines], self.texts)

    def text(self) -> str:
        """The table, line by line."""
        lines = [self.headings, *self.lines]
        widths = [min(max(map(len, column)), _MOST_PADDED) for column in zip(*lines, strict=True)]
        return "\n".join(self._line(line, widths) for line in lines)

    def _line(self, line: tuple[str, ...], widths: list[int]) -> str:
        cells = zip(line, widths, strict=True)
        padded = [
            cell.rjust(width) if at >= self.texts else cell.ljust(width) for at, (cell, width) in enumerate(cells)
        ]
        return (" " * GAP).join(padded)


def columns(rows: Sequence[SummaryRow], by: By, limit: int | None, width: int | None) -> Columns:
    """The first `limit` rows as a table that fits into `width` characters, if any."""
    nodes = Counter((row.name, row.type) for row in rows)
    lines = [(*_texts(row, by, nodes[row.name, row.type] > 1), *_numbers(row, by)) for row in rows[:limit]]
    return Columns(_headings(by), lines, 1 + (by in ("name", "range"))).fit(width)


def plain_table(rows: Sequence[SummaryRow], by: By = "name", limit: int | None = None, width: int | None = None) -> str:
    """The first `limit` rows as text, at most `width` characters wide; names in full where that is `None`."""
    return "\n".join([columns(rows, by, limit, width).text(), rest(rows, by, limit)]).rstrip("\n")


def rest(rows: Sequence[SummaryRow], by: By, limit: int | None) -> str:
    """What the first `limit` rows leave out, if anything."""
    left = rows[limit:] if limit is not None else ()
    share = sum(row.share for row in left)
    what = "operator" if by == "name" else by
    return f"{len(left):,} more {what}{'s' if len(left) > 1 else ''}, {share:.1%} of the time" if left else ""


def _headings(by: By) -> tuple[str, ...]:
    first: dict[By, tuple[str, ...]] = {
        "name": ("operator", "type", "count"),
        "range": ("range", "domain", "ranges", "took", "ops"),
        "step": ("step", "steps", "took", "ops"),
    }
    return *first.get(by, (by, "count")), *_TIMES


def _texts(row: SummaryRow, by: By, is_split: bool) -> tuple[str, ...]:
    if by == "name" and is_split:
        return printable(row.name), printable(f"{row.type}/{row.kernel}")
    return (printable(row.name), printable(row.type))[: 1 + (by in ("name", "range"))]


def _numbers(row: SummaryRow, by: By) -> tuple[str, ...]:
    times = (row.mean_ns, row.p50_ns, row.p99_ns, row.max_ns)
    told = (duration(ns) if row.count > row.untimed else "-" for ns in times)
    spans = (f"{row.spans:,}", duration(row.span_ns)) if by in ("step", "range") else ()
    return *spans, f"{row.count:,}", duration(row.total_ns), f"{row.share:.1%}", *told


def _tail(text: str, length: int) -> str:
    return text if len(text) <= length else f"…{text[1 - length :]}"
