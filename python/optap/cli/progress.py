"""How far long work is: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

from optap.cli.live import is_live

__all__ = ("progress",)

Tell = Callable[[int], None]


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Tell]:
    """Draw a bar on standard error until the block is left, if that is a terminal and rich is installed.

    Args:
        what: What is being done.
        total: How much there is to do; `None` if that is not known.

    Yields:
        A function that takes how much is done.
    """
    if not is_live(sys.stderr):
        yield lambda _done: None
        return
    with import_module("optap.cli.screen").bar(what, total) as tell:
        yield tell
