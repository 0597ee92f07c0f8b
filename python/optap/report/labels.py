"""Numbers for names, for a page that shall not hold a name for each op."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optap._text import printable
from optap.batch import Batch

__all__ = ("Labels", "Numbers", "shown")

_MOST_CHARACTERS = 400


def shown(text: str) -> str:
    r"""`text` as a page shows it: no control characters, and the middle of an endless one left out.

    >>> shown("a\x00b"), len(shown("y" * 10_000))
    ('a\\x00b', 401)
    """
    text = printable(text if len(text) <= _MOST_CHARACTERS else _without_middle(text))
    return text if len(text) <= _MOST_CHARACTERS else _without_middle(text)


def _without_middle(text: str) -> str:
    half = _MOST_CHARACTERS // 2
    return f"{text[:half]}…{text[-half:]}"


class Numbers:
    """Numbers keys from 0 on as they arrive; those beyond `most`, if it `is_full`, share the number `most`."""

    def __init__(self, most: int) -> None:
        self.is_full = False
        self._most = most
        self._numbers: dict[Hashable, int] = {}

    def __getitem__(self, key: Hashable) -> int:
        number = self._numbers.get(key, len(self._numbers))
        if number < self._most:
            self._numbers[key] = number
        else:
            self.is_full = True
        return number

    @property
    def keys(self) -> list[Any]:
        """The keys in the order of their numbers."""
        return list(self._numbers)


class Labels:
    """Numbers name and type of ops."""

    def __init__(self, most: int) -> None:
        self._numbers = Numbers(most)

    def of(self, op_ids: NDArray[np.uint32], batch: Batch) -> NDArray[np.uint32]:
        """The number of each op of `op_ids`, which are some of `batch`."""
        distinct, inverse = np.unique(op_ids, return_inverse=True)
        names, types = batch.names, batch.types
        numbers = [self._numbers[names[op_id], types[op_id]] for op_id in distinct.tolist()]
        return np.array(numbers, np.uint32)[inverse]

    def pairs(self) -> list[list[str]]:
        """Name and type of each number."""
        pairs = [[shown(name), shown(kind)] for name, kind in self._numbers.keys]
        return [*pairs, ["(others)", ""]] if self._numbers.is_full else pairs
