"""What optap raises. Every error carries the code and the name that CANN gives it.

Source of the codes: `aclError` in CANN's `acl_base_rt.h`, 8.5.
"""

from __future__ import annotations

__all__ = (
    "AbortedError",
    "ForkedError",
    "HandleError",
    "InputError",
    "InvalidArgumentError",
    "ModelError",
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


class ForkedError(OptapError, RuntimeError):
    """An object of the parent process was used in a forked child."""
