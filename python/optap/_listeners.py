"""Who listens to what lives in a device, or in a script."""

from __future__ import annotations

import weakref
from typing import Protocol

__all__ = ("Listener", "Listeners")


class Listener(Protocol):
    """Something that ends when all that it listens to has ended."""

    def _leave(self, listeners: Listeners) -> None: ...


class Listeners:
    """The listeners of one device, or of one script."""

    def __init__(self) -> None:
        self._all: weakref.WeakSet[Listener] = weakref.WeakSet()

    def add(self, listener: Listener) -> None:
        """Have `listener` told of the end."""
        self._all.add(listener)

    def dismiss(self) -> None:
        """Tell all of them that nothing more will come from here."""
        for listener in list(self._all):
            listener._leave(self)
