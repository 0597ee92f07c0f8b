"""What a misspelt name was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ("closest",)


def closest(name: str, known: Iterable[str]) -> str:
    """A question to end a message with, after the one of `known` that is like `name`; nothing where none is.

    >>> closest("imgae", ["image", "mask"])
    "; did you mean 'image'?"
    """
    found = get_close_matches(name, known, n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
