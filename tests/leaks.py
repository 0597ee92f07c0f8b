"""What a process holds: descriptors and threads."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Self

LEAK_LIMIT_S = 2

LASTING_THREADS = ("optap-worker", "optap-timer")
"""The pool of the runtime: it lives as long as the process, and its size is bounded."""

DRAINER = "optap-drainer"
"""It retires a fifth of a second after the last subscription: too long to wait for after every test."""

IDLE_THREADS = ("AnyIO worker thread", "Trio thread", "asyncio_")
"""The loops' own workers stay idle for a while, for the next call."""


@dataclass(frozen=True)
class Census:
    """The descriptors and threads of this process at one moment."""

    descriptors: Counter[str]
    threads: Counter[str]

    @classmethod
    def take(cls) -> Self:
        return cls(Counter(_descriptors()), Counter(_threads()))

    def expect_again(self, limit_s: float = LEAK_LIMIT_S, also_drainer: bool = True) -> None:
        """Waits until nothing is held beyond this census, and fails after `limit_s` seconds."""
        deadline = time.monotonic() + limit_s
        while surplus := self._surplus(also_drainer):
            gc.collect()
            assert time.monotonic() < deadline, f"still held after {limit_s} s: {surplus}"
            time.sleep(0.01)

    def _surplus(self, also_drainer: bool) -> dict[str, int]:
        now = Census.take()
        if not also_drainer:
            del now.threads[DRAINER]
        descriptors, threads = now.descriptors - self.descriptors, now.threads - self.threads
        grew = now.descriptors.total() > self.descriptors.total() or threads
        return dict(descriptors + threads) if grew else {}


def _descriptors() -> list[str]:
    links = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(entry.readlink()).split("[")[0])
        except FileNotFoundError:
            continue
    return links


def _threads() -> list[str]:
    python = {thread.native_id: thread.name for thread in threading.enumerate()}
    names = (python.get(int(task.name)) or _comm(task) for task in Path("/proc/self/task").iterdir())
    return [name for name in names if name and not name.startswith(LASTING_THREADS + IDLE_THREADS)]


def _comm(task: Path) -> str:
    try:
        return (task / "comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def resident_bytes() -> int:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
