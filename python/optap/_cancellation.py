"""Whether the running task is about to be cancelled, told without suspending it.

An event loop delivers a cancellation when a task suspends. A reader that goes on without suspending has to look.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

__all__ = ("Watch", "current_task", "is_pending", "watch")


class Watch(NamedTuple):
    """How to look after one task."""

    task: Any
    """The task that was running when this was made."""
    requests: Callable[[], int] | None
    """Number of requests to cancel the task itself, cheap; `None` where the event loop counts none."""
    is_scope_cancelled: Callable[[], bool]
    """Whether a cancel scope around the task is cancelled. Cancelling one takes longer than a microsecond."""


def current_task() -> Any:
    """The running task of any event loop, `None` outside of one."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_task():
        return trio.lowlevel.current_task()
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def watch() -> Watch | None:
    """A watch of the running task."""
    task = current_task()
    if task is None:
        return None
    if not isinstance(task, asyncio.Future):
        return Watch(task, None, partial(_is_cancelled_in_trio, task))
    return Watch(task, getattr(task, "cancelling", None), _scopes_of(task))


def is_pending() -> bool:
    """Whether the next suspension of the running task will end it, as far as its cancel scopes and requests tell."""
    watched = watch()
    if watched is None:
        return False
    return bool(watched.requests and watched.requests()) or watched.is_scope_cancelled()


def _is_cancelled_in_trio(task: Any) -> bool:
    return bool(task._cancel_status.effectively_cancelled)


def _scopes_of(task: Any) -> Callable[[], bool]:
    """The question whether one of anyio's scopes is cancelled; they are kept beside the tasks of asyncio."""
    states: Any = importlib.import_module("anyio._backends._asyncio")._task_states
    state = states.get(task)
    if state is None:  # no scope was entered yet
        return lambda: (later := states.get(task)) is not None and _is_cancelled(later.cancel_scope)
    return lambda: _is_cancelled(state.cancel_scope)


def _is_cancelled(scope: Any) -> bool:
    while scope is not None:
        if scope.cancel_called:
            return True
        if scope.shield:
            return False
        scope = scope._parent_scope
    return False
