"""Subscriptions: the live stream of ops."""

from __future__ import annotations

import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeVar, overload

import anyio
from anyio.lowlevel import checkpoint

from optap import _cancellation, _core, _target
from optap._interrupt import wait_for_op
from optap._listeners import Listeners
from optap._place import Place
from optap._timeout import check_records, check_seconds
from optap.batches import Batches

if TYPE_CHECKING:
    from optap._target import Target

__all__ = ("Overflow", "Statistics", "Subscription", "subscribe")

Overflow = Literal["drop_oldest", "drop_newest", "latest", "block"]
"""What an op does that finds the queue full."""

T = TypeVar("T")


class Statistics(NamedTuple):
    """The account of a subscription at one moment: ``produced == delivered + sum(dropped.values()) + in_flight``."""

    produced: int
    """Ops meant for this subscriber."""
    delivered: int
    """Ops returned to the reader."""
    dropped: dict[str, int]
    """Ops lost, by reason: ``overflow``, ``ring``, ``closed``, ``stalled``."""
    in_flight: int
    """Ops on their way, counted."""
    filtered: int
    """Ops that `where` refused; not part of `produced`."""
    held_ns: int
    """Nanoseconds that a full ``block`` queue held the runtime."""
    wakes: int
    """Times that the reader's loop was woken."""


T_co = TypeVar("T_co", covariant=True)


class Subscription(Generic[T_co]):
    """Ops of the targets, from the moment `subscribe` returns. Iterate over it, from one task or one thread at a time.

    Iterating over a subscription that is never closed works; it closes itself when it is collected, with a warning.
    """

    def __init__(self, core: _core.Subscription, title: str, homes: set[Listeners], opened: Place) -> None:
        self._core = core
        self._take: Callable[[], T_co | None] = core.take
        self._title = title
        self._homes = homes
        self._opened = opened
        self._reader: weakref.ref[Any] | None = None
        self._batches: weakref.WeakSet[Batches] = weakref.WeakSet()
        self._thread: threading.Thread | None = None
        self._is_iterated = False
        self._is_closed = False
        for home in homes:
            home.add(self)

    def __repr__(self) -> str:
        return f"<Subscription to {self._title}, {'closed' if self._is_closed else 'open'}>"

    def __aiter__(self) -> AsyncIterator[T_co]:
        self._reader = None
        self._is_iterated = True
        return self._core.reader(self)

    async def __anext__(self) -> T_co:
        return await self._next_op()

    def __iter__(self) -> Iterator[T_co]:
        self._thread = threading.current_thread()
        return self

    def __next__(self) -> T_co:
        """Block the calling thread until there is an op."""
        while True:
            try:
                op = self._take()
            except anyio.EndOfStream:
                raise StopIteration from None
            if op is not None:
                return op
            self._claim()
            try:
                wait_for_op(self._core)
            finally:
                self._core.yield_claim()

    async def receive(self) -> T_co:
        """Wait for the next op.

        Raises:
            anyio.EndOfStream: The subscription has ended and everything was read.
            anyio.BusyResourceError: Another task is reading.
            ForkedError: The subscription belongs to the parent process.
        """
        if self._may_go_on() and (op := self._take()) is not None:
            return op
        return await self._suspended(1, self._take)

    def batches(self, *, max_records: int | None = None, max_age: float | None = None) -> Batches:
        """Iterate over batches instead of ops.

        Args:
            max_records: Wait for so many ops and give at most as many; ops of several blocks are copied together.
                Without it, each batch is what has come so far, without a copy.
            max_age: Wait no longer than this many seconds for `max_records`, once there is an op; 0.1 by default.
        """
        return Batches(self, max_records, 0.1 if max_age is None else max_age)

    async def receive_batch(self, max_records: int | None = None, max_age: float = 0.1) -> _core.Batch:
        """Wait for the next batch. An empty one tells, with `gap`, what was lost at the end. Raises as `receive`."""
        wanted = check_records(max_records)
        limit_s = check_seconds("max_age", max_age)
        take = partial(self._core.take_batch, max_records)
        if wanted == 1 and self._may_go_on() and (batch := take()) is not None:
            return batch
        return await self._suspended(wanted, take, limit_s)

    async def aclose(self, timeout: float = 5) -> None:
        """End the subscription: admit nothing more, flush, and let a task that iterates take the rest.

        Without such a task, or after `timeout` seconds, the rest is counted as dropped, reason ``closed``.
        """
        limit_s = check_seconds("timeout", timeout)
        if not self._is_closed:
            self._core.finish()
            try:
                with anyio.move_on_after(limit_s):
                    while self._is_read_elsewhere() and self.statistics().in_flight:  # noqa: ASYNC110 - readers ring no bell
                        await anyio.sleep(0.001)
            finally:
                self.close()
        await checkpoint()

    def close(self) -> None:
        """End the subscription now; what was not read is counted as dropped, reason ``closed``."""
        self._is_closed = True
        self._core.close()

    def statistics(self) -> Statistics:
        """The account as one consistent snapshot. Works after closing, too."""
        return Statistics(**self._core.statistics())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_is_closed", True):
            return
        self.close()
        self._opened.warn_unclosed(f"subscription to {self._title}", self)

    def _leave(self, listeners: Listeners) -> None:
        """End, for the last device that is listened to was left; the rest can be read."""
        self._homes.discard(listeners)
        if not self._homes and not self._is_closed:
            self._core.finish()

    def _may_go_on(self) -> bool:
        return self._core.may_go_on() and not _cancellation.is_pending()

    async def _next_op(self) -> T_co:
        try:
            return await self._suspended(1, self._core.take_one)
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def _suspended(self, wanted: int, take: Callable[[], T | None], max_age: float = 0) -> T:
        """Let other tasks run, then wait until `take` gives something."""
        self._claim()
        try:
            if self._reader is None or self._reader() is None:
                self._note_reader()
            if self._core.is_ready():
                await checkpoint()
            if wanted > 1:
                await self._gather(wanted, max_age)
            while (taken := take()) is None:
                await self._wait_for(1)
            return taken
        finally:
            self._core.restart_pace()
            self._core.yield_claim()

    def _claim(self) -> None:
        if not self._core.claim():
            raise anyio.BusyResourceError("reading from")

    def _note_reader(self) -> None:
        self._reader = None
        with suppress(TypeError):  # `asyncio.wait_for` may run the native reader itself as the task
            self._reader = weakref.ref(anyio.get_current_task().coro)

    def _is_read_elsewhere(self) -> bool:
        if self._thread is not None and self._thread is not threading.current_thread():
            return self._thread.is_alive()
        coroutine = self._reader and self._reader()
        if coroutine is None or coroutine is anyio.get_current_task().coro:
            return False
        is_iterating = self._core.readers() > 0 or len(self._batches) > 0 or not self._is_iterated
        return is_iterating and getattr(coroutine, "cr_frame", None) is not None

    async def _wait_for(self, count: int) -> None:
        if self._core.arm(count):
            return
        try:
            await anyio.wait_readable(self._core.fileno())
        finally:
            self._core.disarm()

    async def _gather(self, count: int, max_age: float) -> None:
        await self._wait_for(1)
        with anyio.move_on_after(max_age):
            await self._wait_for(count)


@overload
def subscribe(
    target: Target | Iterable[Target],
    *,
    overflow: Overflow = "drop_oldest",
    capacity: int = 65_536,
    where: _core.Filter | None = None,
    coalesce: float = 0.001,
    fields: None = None,
) -> Subscription[_core.Op]: ...


@overload
def subscribe(
    target: Target | Iterable[Target],
    *,
    overflow: Overflow = "drop_oldest",
    capacity: int = 65_536,
    where: _core.Filter | None = None,
    coalesce: float = 0.001,
    fields: Sequence[str],
) -> Subscription[tuple[Any, ...]]: ...


def subscribe(
    target: Target | Iterable[Target],
    *,
    overflow: Overflow = "drop_oldest",
    capacity: int = 65_536,
    where: _core.Filter | None = None,
    coalesce: float = 0.001,
    fields: Sequence[str] | None = None,
) -> Subscription[Any]:
    """Listen to the ops of a model, a run, a device, or several of them. Recording starts when this returns.

    A subscription ends with its targets: when the last run has ended, when the last device was left that the models
    are on, when the script was closed.

    Args:
        target: A model, a run, a device, or several.
        overflow: What an op does that finds the queue full. ``drop_oldest`` drops the oldest unread op,
            ``drop_newest`` the op itself, ``latest`` keeps only the newest, ``block`` makes the run wait before its
            next node (and drops, reason ``stalled``, after 5 s without a read).
        capacity: Ops that the queue holds.
        where: Which ops are wanted, see `where`; others are counted as filtered.
        coalesce: Seconds that a wake-up may be held to serve more ops: 0 for the least delay, 0.001 for the least cost.
        fields: Names of fields of `Op`; the iteration then yields tuples of just those, flags as an int.

    Raises:
        TypeError: `target` is nothing that can be listened to.
        ValueError: A setting is out of range.

    Examples:
        >>> import anyio, optap, optap.testing
        >>> async def main():
        ...     async with optap.testing.ScriptedModel(count=3, names=["a", "b"]) as model:
        ...         async with optap.subscribe(model) as ops:
        ...             await model.run()
        ...             await ops.aclose()
        ...             return ops.statistics().produced
        >>> anyio.run(main)
        3
    """
    targets = list(target) if isinstance(target, Iterable) else [target]
    cores = [_target.core_of(one) for one in targets]
    if not cores:
        raise ValueError("target: nothing to listen to; give a model, a run, a device, or several")
    core = _core.Subscription(cores, overflow, capacity, where, coalesce, fields)
    title, homes = ", ".join(map(_target.title_of, targets)), {one._listeners for one in targets}
    return Subscription(core, title, homes, Place.of_caller())
