"""Operators as they run: a table drawn anew on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TextIO

import anyio

from optap.summary import Summary

__all__ = ("is_live", "live")

_REFRESH_S = 0.2


def is_live(out: TextIO) -> bool:
    """Whether `live` draws on `out`: a terminal, and rich is installed."""
    return out.isatty() and find_spec("rich") is not None


@asynccontextmanager
async def live(
    summary: Summary, status: Callable[[], str] | None = None, limit: int = 12, out: TextIO | None = None
) -> AsyncGenerator[Callable[[str], None], None]:
    """Draw the first `limit` rows of `summary` five times a second, until the block is left.

    Where `out` is no terminal, or rich is not installed, nothing is drawn.

    Args:
        summary: What to draw.
        status: Gives the line below the table.
        limit: Rows of the table.
        out: Where to draw; standard output by default.

    Yields:
        A function that prints a line, above the table.
    """
    out = out or sys.stdout
    if not is_live(out):
        yield lambda line: print(line, file=out, flush=True)
        return
    with import_module("optap.cli.screen").Screen(summary, status or str, limit, out) as screen:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_redraw, screen)
            yield screen.say
            tasks.cancel_scope.cancel()


async def _redraw(screen: Any) -> None:
    while True:
        screen.draw()
        await anyio.sleep(_REFRESH_S)
