"""Which functions of the namespace answered with which codes, in this process and in the scripts that it starts."""

from __future__ import annotations

import atexit
import functools
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

from optap import _core, acl

FILE = "OPTAP_TEST_CALLS"
"""The variable that names the file to which scripts append what they called."""

HANDLES = 1 << 32
"""Numbers from here on are no codes."""

CALLS: defaultdict[str, set[int]] = defaultdict(set)


def install() -> None:
    """Notes every call from now on."""
    for name, _, _ in _core.acl.functions():
        *spaces, function = name.split(".")[1:]
        module = getattr(acl, spaces[0]) if spaces else acl
        setattr(module, function, _noting(name, getattr(module, function)))


def install_in_script() -> None:
    """The same in a process that a test started."""
    install()
    atexit.register(_append, Path(os.environ[FILE]))


def calls() -> dict[str, set[int]]:
    """The codes that each function gave so far; of a function without a code, what it returned if that is a number."""
    for line in Path(os.environ[FILE]).read_text().splitlines():
        name, *codes = line.split()
        CALLS[name].update(map(int, codes))
    return CALLS


def _noting(name: str, function: Any) -> Any:
    @functools.wraps(function)
    def noting(*args: Any, **kwargs: Any) -> Any:
        answer = function(*args, **kwargs)
        code = answer[-1] if isinstance(answer, tuple) else answer
        CALLS[name].update([code] if isinstance(code, int) and code < HANDLES else [])
        return answer

    return noting


def _append(path: Path) -> None:
    with path.open("a") as file:
        file.writelines(f"{name} {' '.join(map(str, codes))}\n" for name, codes in CALLS.items())
