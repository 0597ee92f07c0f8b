"""What ops are taken from: a table, as often as you like, or batches, once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeGuard, runtime_checkable

from optap.batch import Batch

__all__ = ("Source", "Table", "batches_of", "is_table")


@runtime_checkable
class Table(Protocol):
    """Ops that can be read again and again, such as those of a file."""

    def batches(self) -> Iterator[Batch]:
        """Iterate over them from the first one on."""
        ...


Source = Table | Iterable[Batch]
"""A table, or batches."""


def is_table(source: Source) -> TypeGuard[Table]:
    """Whether `source` can be read more than once."""
    return isinstance(source, Table)


def batches_of(source: Source) -> Iterable[Batch]:
    """The batches of `source`.

    >>> list(batches_of([]))
    []
    """
    return source.batches() if is_table(source) else iter(source)  # type: ignore[arg-type]
