"""What is drawn on a terminal. The one file that needs rich."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from optap.cli.table import GAP, columns, rest
from optap.summary import By, Summary, SummaryRow

__all__ = ("Screen", "bar")

_RESERVED_LINES = 4


class Screen:
    """Draws `summary` when told to, and vanishes at the end of its block."""

    def __init__(self, summary: Summary, status: Callable[[], str], limit: int, out: TextIO) -> None:
        self._summary = summary
        self._status = status
        self._limit = limit
        self._console = Console(file=out)
        self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)

    def draw(self) -> None:
        """Draw what is known now."""
        limit = max(min(self._limit, self._console.height - _RESERVED_LINES), 1)
        table = _table(self._summary.rows(), self._summary.by, limit, self._console.width)
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


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Draw a bar on standard error until the block is left; yields what tells how much is done."""
    last = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    console = Console(stderr=True)
    with Progress(TextColumn(what), BarColumn(), last, console=console, transient=True) as drawn:
        task = drawn.add_task(what, total=total)
        yield lambda done: drawn.update(task, completed=done)


def _table(rows: Sequence[SummaryRow], by: By, limit: int, width: int) -> Table:
    caption = Text(rest(rows, by, limit), style="dim")
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), caption=caption, caption_justify="left")
    told = columns(rows, by, limit, width)
    for index, heading in enumerate(told.headings):
        table.add_column(heading, justify="left" if index < told.texts else "right", no_wrap=True)
    for line in told.lines:
        table.add_row(*map(Text, line))
    return table
