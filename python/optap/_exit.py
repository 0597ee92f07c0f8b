"""What happens when the interpreter ends."""

from __future__ import annotations

import atexit
import sys
import warnings

from optap import _core

_STEP_S = 0.1
_FILES_S = 10


@atexit.register
def _end_runtime() -> None:
    """Drop what is queued, stop runs at their next node, and wait for launched functions, as thread pools do.

    Then the files of profile sessions that are open are completed.

    An interrupt, this one's or the one that ends the interpreter, leaves launched functions behind. A forked child
    ends its own runtime; that of its parent is none of its business.
    """
    try:
        while not _core.shutdown(_STEP_S) and not _is_interrupted():
            pass
    except KeyboardInterrupt:
        pass
    if not _core.finish_sessions(_FILES_S):
        message = f"files of an open profile session were not complete {_FILES_S} s after the end"
        warnings.warn(message, ResourceWarning, stacklevel=1)


def _is_interrupted() -> bool:
    """Whether an interrupt that nobody caught ends the interpreter; in an interactive one, it ends a line only."""
    last = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return _holds_interrupt(last) and not hasattr(sys, "ps1")


def _holds_interrupt(error: BaseException | None) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(KeyboardInterrupt) is not None
    return isinstance(error, KeyboardInterrupt)
