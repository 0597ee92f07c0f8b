"""What optap raises. Every error carries the code and the name that CANN gives it.

Source of the codes: `aclError` in CANN's `acl_base_rt.h`, 8.5.
"""

from __future__ import annotations

import errno
from typing import Self

__all__ = (
    "AbortedError",
    "ForkedError",
    "HandleError",
    "InputError",
    "InvalidArgumentError",
    "ModelError",
    "ModelFileError",
    "ModelNotFoundError",
    "OpError",
    "OptapError",
    "ResourceError",
    "RunCancelledError",
    "SyncTimeoutError",
    "UnsupportedModelError",
)


class OptapError(Exception):
    """The base of all errors of optap.

    Attributes:
        code: The number, as CANN returns it, for example 507046.
        name: The name of the number, for example ``ACL_ERROR_RT_STREAM_SYNC_TIMEOUT``.

    Examples:
        >>> try:
        ...     raise SyncTimeoutError("the stream did not finish in 5 ms", 507046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT")
        ... except OptapError as error:
        ...     print(error.code, error)
        507046 the stream did not finish in 5 ms (ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 507046)
    """

    def __init__(self, detail: str, code: int, name: str) -> None:
        super().__init__(detail, code, name)
        self.args = (detail, code, name)  # an `OSError` would take them for a number, its text and a file
        self.detail = detail
        self.code = code
        self.name = name

    def __str__(self) -> str:
        return f"{self.detail} ({self.name}, {self.code})"


class InvalidArgumentError(OptapError, ValueError):
    """An argument lies outside its range."""


class HandleError(OptapError):
    """A device, context, stream or event does not exist, no longer or not here."""


class ResourceError(OptapError):
    """Something has run out: memory, streams, events; or is not supported."""


class ModelError(OptapError):
    """A model cannot be read, understood or compiled."""


class ModelFileError(ModelError, OSError):
    """A model's file is a folder, may not be read, or fails to be read.

    Attributes:
        filename: Path of the file, `None` where it is not known.
    """

    def __init__(self, detail: str, code: int, name: str, filename: str | None = None) -> None:
        super().__init__(detail, code, name)
        self.errno, self.strerror, self.filename = None, detail, filename

    def __reduce__(self) -> tuple[type[Self], tuple[str, int, str, str | None]]:
        return type(self), (self.detail, self.code, self.name, self.filename)


class ModelNotFoundError(ModelFileError, FileNotFoundError):
    """A model's file does not exist."""

    def __init__(self, detail: str, code: int, name: str, filename: str | None = None) -> None:
        super().__init__(detail, code, name, filename)
        self.errno = errno.ENOENT


class UnsupportedModelError(ModelError):
    """A model asks for an operator or a type that the engine does not have."""


class InputError(OptapError, ValueError):
    """An input of a run has the wrong name, dtype, rank or shape, or is missing."""


class OpError(OptapError, RuntimeError):
    """Work on a stream failed while it ran."""


class RunCancelledError(OptapError):
    """The run was stopped before its last node."""


class AbortedError(OptapError):
    """The stream or device was aborted, and its work dropped."""


class SyncTimeoutError(OptapError, TimeoutError):
    """A wait ended before the work did. The work goes on, and the wait may be repeated."""

    def __init__(self, detail: str, code: int, name: str) -> None:
        super().__init__(detail, code, name)
        self.errno, self.strerror, self.filename = errno.ETIMEDOUT, detail, None


class ForkedError(OptapError, RuntimeError):
    """An object of the parent process was used in a forked child."""
