"""`optap completion`: what a shell needs to complete the command."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from optap.cli.failure import FailedError

__all__ = ("SHELLS", "complete", "completion")

SHELLS = ("bash", "zsh", "fish")
"""The shells that can be served."""


def completion(args: argparse.Namespace) -> int:
    """Print the code that `args.shell` has to source. Raises `FailedError` where argcomplete is not installed."""
    if find_spec("argcomplete") is None:
        raise FailedError("completion needs argcomplete; install it with: pip install 'optap[cli]'")
    from argcomplete.shell_integration import shellcode  # noqa: PLC0415 - optional

    print(shellcode(["optap"], shell=args.shell))
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell, if it is the shell that asks: then this does not return."""
    if find_spec("argcomplete") is not None:
        import argcomplete  # noqa: PLC0415 - optional

        argcomplete.autocomplete(parser)
