"""How one event loop learns what ended on one device: one descriptor, no task, whatever the number of waits.

One of the waiting tasks waits on the descriptor for all; when its own wait ends, another takes over.
"""

from __future__ import annotations

import math

import anyio
from anyio.lowlevel import checkpoint

from optap import _core
from optap.errors import SyncTimeoutError

__all__ = ("EVENT_LATE", "STREAM_LATE", "Mailbox")

STREAM_LATE = (507046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT")
"""Code and name of a wait for work that ends too late."""
EVENT_LATE = (507047, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT")
"""The same for an event."""


class Mailbox:
    """Wakes the tasks whose work is done."""

    def __init__(self) -> None:
        self._port = _core.Port()
        self._waits: dict[int, anyio.Event] = {}
        self._has_leader = False

    async def wait(
        self, pending: _core.Pending, timeout: float | None = None, late: tuple[int, str] = STREAM_LATE
    ) -> None:
        """Wait until `pending` is done.

        Raises:
            SyncTimeoutError: `timeout` seconds passed first; its code and name are `late`.
        """
        if pending.is_done():
            await checkpoint()
            return
        is_suspended = False
        token = self._port.watch(pending)
        try:
            with anyio.move_on_after(math.inf if timeout is None else timeout):
                while not pending.is_done() or not is_suspended:
                    if pending.is_done():
                        await checkpoint()
                        break
                    is_suspended = True
                    await (self._follow(token) if self._has_leader else self._lead())
        finally:
            self._waits.pop(token, None)
            self._port.cancel(token)
            self._hand_over()
        if not pending.is_done():
            message = f"the work did not end within {timeout} s; it goes on, wait again"
            raise SyncTimeoutError(message, *late)

    async def _lead(self) -> None:
        self._has_leader = True
        try:
            await anyio.wait_readable(self._port.fileno())
        finally:
            self._has_leader = False
            for token in self._port.take():
                if wait := self._waits.pop(token, None):
                    wait.set()

    async def _follow(self, token: int) -> None:
        self._waits[token] = anyio.Event()
        await self._waits[token].wait()

    def _hand_over(self) -> None:
        if not self._has_leader and self._waits:
            _, wait = self._waits.popitem()
            wait.set()
