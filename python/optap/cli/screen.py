"""The live table on a terminal. The one file that needs rich."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from optap.cli.operators import OperatorRow, OperatorTimes
from optap.cli.table import GAP, HEADINGS, TEXT_COLUMNS, cells, rest

__all__ = ("Screen",)

_RESERVED_LINES = 4


class Screen:
    """Draws `times` when told to, and vanishes at the end of its block."""

    def __init__(self, times: OperatorTimes, status: Callable[[], str], limit: int, out: TextIO) -> None:
        self._times = times
        self._status = status
        self._limit = limit
        self._console = Console(file=out)
        self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)

    def draw(self) -> None:
        """Draw what is known now."""
        limit = max(min(self._limit, self._console.height - _RESERVED_LINES), 1)
        table = _table(self._times.rows(), limit, self._console.width)
        self._live.update(Group(table, Text(self._status(), style="dim")), refresh=True)

    def say(self, line: str) -> None:
        """Print `line` above the table."""
        self._console.print(Text(line), soft_wrap=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()


def _table(rows: Sequence[OperatorRow], limit: int, width: int) -> Table:
    caption = Text(rest(rows, limit), style="dim")
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), caption=caption, caption_justify="left")
    for index, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if index < TEXT_COLUMNS else "right", no_wrap=True)
    for line in cells(rows, limit, width):
        table.add_row(*map(Text, line))
    return table
