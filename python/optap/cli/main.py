"""The command line: its grammar, and how it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from optap.cli.completion import complete
from optap.cli.failure import INTERRUPTED, exit_code, tell
from optap.cli.parser import make_parser

__all__ = ("main",)

_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `optap` with the arguments `argv`, by default those of the process; return the exit code.

    Exit codes: 0 all went well, 1 the run failed, 2 what was given cannot be used, 130 Ctrl-C, 141 the reader of
    the output has gone.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    parser = make_parser()
    complete(parser)
    args = parser.parse_args(argv)
    try:
        return int(args.command(args))
    except KeyboardInterrupt:
        tell("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except Exception as error:
        tell(str(error) or type(error).__name__)
        return exit_code(error)
