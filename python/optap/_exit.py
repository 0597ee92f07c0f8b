"""What happens to the runtime when the interpreter ends."""

from __future__ import annotations

import atexit
import warnings

from optap import _core

_STEP_S = 0.5
_FILES_S = 10


@atexit.register
def _end_runtime() -> None:
    """Drop what is queued, stop runs at their next node, and wait for launched functions, as thread pools do.

    Then the files of profile sessions that are open are completed.

    A forked child ends its own runtime; that of its parent is none of its business.
    """
    while not _core.shutdown(_STEP_S):
        pass
    if not _core.finish_sessions(_FILES_S):
        message = f"files of an open profile session were not complete {_FILES_S} s after the end"
        warnings.warn(message, ResourceWarning, stacklevel=1)
