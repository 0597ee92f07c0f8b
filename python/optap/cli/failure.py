"""How a command fails: what it says, and with which exit code."""

from __future__ import annotations

import sys

from optap import errors

__all__ = ("FAILED", "INTERRUPTED", "OK", "USAGE", "FailedError", "UsageError", "exit_code", "leaf", "tell")

OK = 0
"""All went well."""
FAILED = 1
"""The run failed."""
USAGE = 2
"""What was given cannot be used."""
INTERRUPTED = 130
"""Ctrl-C."""

_BAD_INPUTS = (errors.InputError, errors.HandleError, errors.InvalidArgumentError)


class UsageError(Exception):
    """What was given on the command line cannot be used. Its text says why, and the way out."""


class FailedError(Exception):
    """The command could not be done, for all that was given was right. Its text says why."""


def tell(text: str) -> None:
    """Say `text` on standard error."""
    print(f"optap: {text}", file=sys.stderr, flush=True)


def leaf(error: BaseException) -> BaseException:
    """The first error inside nested groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def exit_code(error: BaseException) -> int:
    """The exit code that `error` stands for.

    >>> exit_code(UsageError("--repeat 0")), exit_code(OSError("disk full"))
    (2, 1)
    """
    is_bad_model = isinstance(error, errors.ModelError) and not isinstance(error, errors.UnsupportedModelError)
    return USAGE if is_bad_model or isinstance(error, (UsageError, *_BAD_INPUTS)) else FAILED
