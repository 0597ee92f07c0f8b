"""What happens to the runtime when the interpreter ends."""

from __future__ import annotations

import atexit
import os

from optap import _core

_STEP_S = 0.5
_IMPORTED_BY = os.getpid()


@atexit.register
def _end_runtime() -> None:
    """Drop what is queued, stop runs at their next node, and wait for launched functions, as thread pools do."""
    if os.getpid() != _IMPORTED_BY:
        return
    while not _core.shutdown(_STEP_S):
        pass
