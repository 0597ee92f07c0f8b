"""`optap exec`: run a pyACL script without an NPU."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from optap import acl
from optap.cli.failure import FAILED, OK, UsageError

__all__ = ("exec_script",)

_MODULES = {"acl": acl, **{f"acl.{name}": getattr(acl, name) for name in ("mdl", "prof", "rt", "util")}}


def exec_script(args: argparse.Namespace) -> int:
    """Run `args.script` as Python would, where `import acl` is the embedded runtime.

    Raises:
        UsageError: There is no such script.
        SystemExit: The script ended itself.
    """
    script: Path = args.script
    if not script.is_file():
        raise UsageError(f"{script} is no file; give the path of a Python script")
    with _as_main(script, args.arguments):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
            return FAILED
    return OK


@contextmanager
def _as_main(script: Path, arguments: list[str]) -> Iterator[None]:
    """What a script finds when it runs: its arguments, its folder on the path, and the modules of pyACL."""
    argv, path, shadowed = sys.argv, sys.path, {name: sys.modules.get(name) for name in _MODULES}
    sys.argv = [str(script), *arguments]
    sys.path = [str(script.resolve().parent), *path]
    sys.modules.update(_MODULES)
    try:
        yield
    finally:
        sys.argv, sys.path = argv, path
        for name, module in shadowed.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
