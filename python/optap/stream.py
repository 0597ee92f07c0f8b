"""Streams and events."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optap import _core
from optap._timeout import check_seconds, event_timeout, stream_timeout

if TYPE_CHECKING:
    from optap._mailbox import Mailbox

__all__ = ("Event", "Stream")


class Event:
    """A point on a stream that other streams and tasks can wait for. Made by `Device.create_event`.

    Source: events of the pyACL runtime, `acl.rt.create_event` (seed 002).
    """

    def __init__(self, core: _core.Event, mailbox: Mailbox) -> None:
        self._core = core
        self._mailbox = mailbox

    def __repr__(self) -> str:
        return f"<Event {self.event_id}, {self._core.state}>"

    @property
    def event_id(self) -> int:
        """A number that tells it from the other events of the process."""
        return self._core.event_id

    def query(self) -> bool:
        """Whether the marked point is reached; true where none is marked."""
        return self._core.query()

    async def wait(self, timeout: float | None = None) -> None:
        """Wait until the point that is marked now is reached. Costs no thread and no descriptor.

        Raises:
            SyncTimeoutError: `timeout` seconds passed first; wait again if you like.
            AbortedError: The stream was aborted before it got there.
            ValueError: `timeout` is negative or no number.
        """
        pending = self._core.pending()
        if not await self._mailbox.wait(pending, check_seconds("timeout", timeout)):
            raise event_timeout(f"event {self.event_id}", timeout)
        pending.check()

    @property
    def timestamp_ns(self) -> int:
        """When the point was reached, in nanoseconds of `time.monotonic_ns()`.

        Raises:
            HandleError: The point is not reached yet, or none is marked.
        """
        return self._core.timestamp_ns()

    def elapsed_ns(self, end: Event) -> int:
        """Nanoseconds from this event to `end`; negative where `end` came first. Raises as `timestamp_ns`."""
        return self._core.elapsed_ns(end._core)


class Stream:
    """Work in order, on a device; streams run beside each other. Made by `Device.create_stream`.

    Source: streams of the pyACL runtime, `acl.rt.create_stream` (seed 002).
    """

    def __init__(self, core: _core.Stream, mailbox: Mailbox) -> None:
        self._core = core
        self._mailbox = mailbox

    def __repr__(self) -> str:
        return f"<Stream {self.stream_id}, {self._core.state}>"

    @property
    def stream_id(self) -> int:
        """The id that ops of this stream carry."""
        return self._core.stream_id

    def record(self, event: Event) -> None:
        """Mark with `event` the point after the work given so far. Waits already submitted keep the earlier point."""
        self._core.record(event._core)

    def wait(self, event: Event) -> None:
        """Let later work of this stream wait for the point that `event` marks now. No thread is held meanwhile.

        Raises:
            InvalidArgumentError: The event has never been recorded.
        """
        self._core.wait(event._core)

    def copy(self, destination: _core.DeviceBuffer, source: _core.DeviceBuffer) -> None:
        """Queue a copy of all of `source` to the start of `destination`. A copy that does not fit fails the stream."""
        self._core.copy(destination, source)

    def launch(self, function: Callable[..., object], *args: Any, **kwargs: Any) -> int:
        """Queue ``function(*args, **kwargs)`` on a worker thread, with the caller's context variables.

        Its exception becomes the failure that `synchronize` raises, with the exception as its cause.

        Returns:
            The number of the task in its stream, counted from 0.
        """
        return self._core.launch(contextvars.copy_context().run, (function, *args), kwargs or None)

    def query(self) -> bool:
        """Whether all work given so far has finished."""
        return self._core.query()

    async def synchronize(self, timeout: float | None = None) -> None:
        """Wait until all work given so far has finished.

        Raises:
            SyncTimeoutError: `timeout` seconds passed first; the work goes on.
            OpError: Work failed; told once, and later work has run all the same.
            ValueError: `timeout` is negative or no number.
        """
        limit_s = check_seconds("timeout", timeout)
        pending = self._core.drained()
        if not await self._mailbox.wait(pending, limit_s):
            raise stream_timeout(f"stream {self.stream_id}", timeout)
        self._core.check()
        pending.check()

    def abort(self) -> None:
        """Drop what is queued, and stop what runs at its next node. The stream takes nothing more."""
        self._core.abort()
