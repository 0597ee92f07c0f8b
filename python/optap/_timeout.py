"""Time-outs of waits: which are allowed, and what is raised when one has passed."""

from __future__ import annotations

import math
import sys

from optap.errors import SyncTimeoutError

__all__ = ("check_records", "check_seconds", "event_timeout", "stream_timeout")

_FOREVER_S = 1e9


def check_seconds(name: str, seconds: float | None) -> float:
    """How long the parameter `name` lets a wait last; infinite for `None`, and for more than a generation.

    >>> check_seconds("timeout", None), check_seconds("timeout", 2)
    (inf, 2.0)
    """
    if seconds is None:
        return math.inf
    if not seconds >= 0:
        raise ValueError(f"{name}={seconds} must be 0 seconds or more, or None for no limit")
    return math.inf if seconds > _FOREVER_S else float(seconds)


def stream_timeout(what: str, timeout: float | None) -> SyncTimeoutError:
    """To be raised when the work of `what` has not finished within `timeout` seconds."""
    told = f"{what} did not finish within {timeout} s; the work goes on, wait again"
    return SyncTimeoutError(told, 507046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT")


def event_timeout(what: str, timeout: float | None) -> SyncTimeoutError:
    """To be raised when the event `what` was not reached within `timeout` seconds."""
    told = f"{what} was not reached within {timeout} s; its stream goes on, wait again"
    return SyncTimeoutError(told, 507047, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT")


def check_records(max_records: int | None) -> int:
    """How many records to wait for; one for `None`, which takes what has come."""
    if max_records is None:
        return 1
    if not 1 <= max_records <= sys.maxsize:
        told = str(max_records) if abs(max_records) < 1 << 99 else "a number of many digits"
        raise ValueError(f"max_records={told} must lie between 1 and {sys.maxsize}, or be None for what has come")
    return max_records
