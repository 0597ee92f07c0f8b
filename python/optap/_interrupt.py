"""How a thread waits for ops: in short steps, between which it looks for Ctrl-C."""

from __future__ import annotations

import sys

from optap import _core

__all__ = ("wait_for_op",)


def wait_for_op(core: _core.Subscription) -> None:
    """Block until an op lies there or the subscription ends.

    asyncio makes the first Ctrl-C a cancellation of its main task, which a loop that is blocked here cannot deliver.

    Raises:
        KeyboardInterrupt: Ctrl-C, also as asyncio takes it.
    """
    asked = _requests()
    while not core.wait():
        if _requests() > asked:
            raise KeyboardInterrupt


def _requests() -> int:
    """How often the tasks of this thread's loop, if it is one of asyncio, were asked to end."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return 0
    try:
        tasks = asyncio.all_tasks()
    except RuntimeError:
        return 0
    return sum(task.cancelling() for task in tasks)
