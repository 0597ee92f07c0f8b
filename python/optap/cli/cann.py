"""Looks for the CANN libraries, which optap can do without."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ("LIBRARY", "describe_cann")

LIBRARY = "libascendcl.so"
"""The file that is looked for."""

_NEEDED = ("aclInit", "aclrtSetDevice", "aclmdlExecute", "aclprofCreateSubscribeConfig", "aclprofModelSubscribe")
_LOAD_LIMIT_S = 30
_LOAD = "import ctypes, sys\nlibrary = ctypes.CDLL(sys.argv[1])\nfor name in sys.argv[2:]: getattr(library, name)"


def describe_cann() -> list[str]:
    """One line for each library found, with the loader's own words where it is broken; else where it was looked for."""
    found = [folder / LIBRARY for folder in _folders() if (folder / LIBRARY).exists()]
    if found:
        return [f"{path}: {_try(path)}" for path in found]
    looked = (f"{name} ({os.environ.get(name) or 'not set'})" for name in ("ASCEND_HOME_PATH", "LD_LIBRARY_PATH"))
    return [f"no {LIBRARY} in {' and '.join(looked)}; not needed, the embedded engine runs the models"]


def _folders() -> Iterator[Path]:
    """Absolute ones alone: the current folder is no place to load a library from."""
    home = os.environ.get("ASCEND_HOME_PATH", "")
    listed = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    folders = [Path(home, "lib64"), Path(home, "runtime", "lib64"), *map(Path, listed)]
    yield from dict.fromkeys(folder for folder in folders if folder.is_absolute())


def _try(path: Path) -> str:
    """Load it in a process of its own, so that whatever it does stays there."""
    command = [sys.executable, "-I", "-c", _LOAD, str(path), *_NEEDED]
    try:
        loaded = subprocess.run(command, cwd="/", capture_output=True, timeout=_LOAD_LIMIT_S, text=True, check=False)
    except subprocess.TimeoutExpired:
        return f"does not load within {_LOAD_LIMIT_S} s; not used"
    if loaded.returncode == 0:
        return "loads; not used, the embedded engine runs the models"
    words = loaded.stderr.strip().splitlines() or [f"the loading process ended with {loaded.returncode}"]
    return f"does not load; not used: {words[-1].partition('Error: ')[2] or words[-1]}"
