"""Steps: the iterations of a training or serving loop."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar, overload

from optap import _core

__all__ = ("Step", "step", "steps")

T = TypeVar("T")

_numbers = itertools.count(1)


class Step:
    """One iteration, from entering to leaving it. Made by `step`."""

    def __init__(self, number: int) -> None:
        self.number = number
        """What the record carries as `run_id`."""
        self._start_ns = 0
        self._is_used = False

    def __enter__(self) -> Self:
        if self._is_used:
            raise RuntimeError(f"step {self.number} was entered before; make one for each iteration")
        self._is_used = True
        self._start_ns = _core.monotonic_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _core.record_step(self.number, self._start_ns, _core.monotonic_ns())

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


def step(number: int | None = None) -> Step:
    """One iteration of a loop: a context manager, sync and async, that records when it began and ended.

    Args:
        number: What to call it, from 0; without one, the next that no step of this process took by itself, from 1 on.

    Raises:
        ValueError: The number is negative or does not fit into 64 bits.

    Examples:
        >>> with step(7) as seventh:
        ...     seventh.number
        7
    """
    if number is not None and not 0 <= number < 1 << 64:
        raise ValueError(f"number={number} must be 0 or more, and fit into 64 bits")
    return Step(next(_numbers) if number is None else number)


@overload
def steps(iterable: AsyncIterable[T], start: int | None = None) -> AsyncIterator[T]: ...


@overload
def steps(iterable: Iterable[T], start: int | None = None) -> Iterator[T]: ...


def steps(iterable: Iterable[T] | AsyncIterable[T], start: int | None = None) -> Iterator[T] | AsyncIterator[T]:
    """The items of `iterable`, sync or async, with a step around each turn of the loop.

    A step begins when the item is there, and ends when the next one is asked for, or when the loop is left.

    Args:
        iterable: What to iterate over; for ``async for``, an async one.
        start: Number of the first step; without one, numbers as `step` gives them.

    Examples:
        >>> [letter for letter in steps("ab", start=0)]
        ['a', 'b']
    """
    numbers = _numbers if start is None else itertools.count(step(start).number)
    if isinstance(iterable, AsyncIterable):
        return _AsyncSteps(aiter(iterable), numbers)
    return _Steps(iter(iterable), numbers)


class _Turns(Generic[T]):
    """The step of the turn under way."""

    def __init__(self, items: T, numbers: Iterator[int]) -> None:
        self._items = items
        self._numbers = numbers
        self._turn: Step | None = None

    def _begin(self) -> None:
        self._turn = Step(next(self._numbers)).__enter__()

    def _end(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.__exit__(None, None, None)

    def __del__(self) -> None:
        self._end()


class _Steps(_Turns[Iterator[T]], Iterator[T]):
    def __next__(self) -> T:
        self._end()
        item = next(self._items)
        self._begin()
        return item


class _AsyncSteps(_Turns[AsyncIterator[T]], AsyncIterator[T]):
    async def __anext__(self) -> T:
        self._end()
        item = await anext(self._items)
        self._begin()
        return item
