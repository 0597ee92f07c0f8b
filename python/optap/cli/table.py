"""Operators as a table of text."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence

from optap.cli.operators import OperatorRow

__all__ = ("GAP", "HEADINGS", "TEXT_COLUMNS", "cells", "duration", "plain_table", "printable", "rest")

HEADINGS = ("operator", "type", "count", "total", "share", "mean", "p50", "p99", "max")
"""Titles of the columns."""
TEXT_COLUMNS = 2
"""How many of them, the first ones, hold text; the others hold numbers."""
GAP = 2
"""Characters between two columns."""

_LEAST_NAME = 12
_MOST_TYPE = 24
_WIDTH_OF_A_FILE = 120
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))


def duration(ns: float) -> str:
    """A duration in the unit that suits it.

    >>> duration(950), duration(12_345), duration(4_560_000)
    ('950 ns', '12.3 µs', '4.56 ms')
    """
    for unit_ns, unit in _UNITS:
        if ns >= unit_ns:
            value = ns / unit_ns
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{ns:.0f} ns"


def printable(text: str) -> str:
    r"""`text` without what a terminal would obey or refuse.

    >>> printable("conv\x1b[2J\udcff")
    'conv\\x1b[2J\\udcff'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def plain_table(rows: Sequence[OperatorRow], limit: int | None = None, width: int | None = None) -> str:
    """The first `limit` rows as text, `width` characters wide; by default as wide as the terminal."""
    width = width or shutil.get_terminal_size((_WIDTH_OF_A_FILE, 0)).columns
    lines = [HEADINGS, *cells(rows, limit, width)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [_line(line, widths) for line in lines]
    return "\n".join([*text, rest(rows, limit)]).rstrip("\n")


def cells(rows: Sequence[OperatorRow], limit: int | None, width: int) -> list[tuple[str, ...]]:
    """The first `limit` rows as text, names cut so that all columns fit into `width` characters."""
    nodes = Counter((row.name, row.type) for row in rows)
    others = [_others(row, nodes[row.name, row.type] > 1) for row in rows[:limit]]
    widths = (max(map(len, column)) for column in zip(HEADINGS[1:], *others, strict=True))
    left = max(width - sum(one + GAP for one in widths), _LEAST_NAME)
    return [(_tail(printable(row.name), left), *other) for row, other in zip(rows, others, strict=False)]


def rest(rows: Sequence[OperatorRow], limit: int | None) -> str:
    """What the first `limit` rows leave out, if anything."""
    left = rows[limit:] if limit is not None else ()
    share = sum(row.share for row in left)
    return f"{len(left)} more operators, {share:.1%} of the time" if left else ""


def _others(row: OperatorRow, is_split: bool) -> tuple[str, ...]:
    kind = printable(f"{row.type}/{row.kernel}" if is_split else row.type)
    times = (row.mean_ns, row.p50_ns, row.p99_ns, row.max_ns)
    told = (duration(ns) if row.count > row.untimed else "-" for ns in times)
    return _tail(kind, _MOST_TYPE), f"{row.count:,}", duration(row.total_ns), f"{row.share:.1%}", *told


def _tail(text: str, length: int) -> str:
    return text if len(text) <= length else f"…{text[1 - length :]}"


def _line(line: tuple[str, ...], widths: list[int]) -> str:
    text = [cell.ljust(width) for cell, width in zip(line[:TEXT_COLUMNS], widths, strict=False)]
    numbers = [cell.rjust(width) for cell, width in zip(line[TEXT_COLUMNS:], widths[TEXT_COLUMNS:], strict=True)]
    return (" " * GAP).join(text + numbers)
