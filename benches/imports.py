"""What `import optap` adds to `import numpy`."""

from __future__ import annotations

import subprocess
import sys

from harness import Row, Scale, at_most, in_turns

TIMED = "import time; began = time.perf_counter_ns(); import {modules}; print(time.perf_counter_ns() - began)"


def import_ms(modules: str) -> float:
    """Milliseconds that a fresh interpreter takes to import `modules`."""
    command = [sys.executable, "-c", TIMED.format(modules=modules)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1e6


def run(scale: Scale) -> list[Row]:
    """Both in turns, each in a fresh interpreter."""
    contestants = {
        name: lambda name=name: import_ms(name)
        for name in ("numpy", "numpy, anyio", "numpy, anyio, optap", "numpy, optap")
    }
    told = in_turns(contestants, rounds=scale.pick(21, 2))
    ours = told.difference("numpy, optap", "numpy")
    own = told.difference("numpy, anyio, optap", "numpy, anyio")
    numpy = f"numpy: {told.median('numpy'):.3g} ms"
    return [
        Row("`import optap` beyond numpy", f"{ours:.3g} ms", numpy, None, at_most(50), ours),
        Row("`import optap` beyond numpy and anyio", f"{own:.3g} ms", numpy, None, None),
    ]
