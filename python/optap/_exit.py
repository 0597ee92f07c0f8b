"""What happens to the runtime when the interpreter ends."""

from __future__ import annotations

import atexit

from optap import _core

_STEP_S = 0.5


@atexit.register
def _end_runtime() -> None:
    """Drop what is queued, stop runs at their next node, and wait for launched functions, as thread pools do.

    A forked child ends its own runtime; that of its parent is none of its business.
    """
    while not _core.shutdown(_STEP_S):
        pass
