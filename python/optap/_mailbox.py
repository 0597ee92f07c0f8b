"""How one event loop learns what ended on one device: one descriptor, no task, whatever the number of waits.

One of the waiting tasks waits on the descriptor for all; when its own wait ends, another takes over.
"""

from __future__ import annotations

import math

import anyio
from anyio.lowlevel import checkpoint

from optap import _core

__all__ = ("Mailbox",)


class Mailbox:
    """Wakes the tasks whose work is done."""

    def __init__(self) -> None:
        self._port = _core.Port()
        self._waits: dict[int, anyio.Event] = {}
        self._has_leader = False

    async def wait(self, pending: _core.Pending, limit_s: float = math.inf) -> bool:
        """Wait until `pending` is done, but no longer than `limit_s` seconds; whether it is done."""
        if pending.is_done():
            await checkpoint()
            return True
        is_suspended = False
        token = self._port.watch(pending)
        try:
            with anyio.move_on_after(limit_s):
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
        return pending.is_done()

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
