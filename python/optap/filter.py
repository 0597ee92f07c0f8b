"""Conditions on ops."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from optap._core import Filter

if TYPE_CHECKING:
    from optap.stream import Stream

__all__ = ("Filter", "where")


def where(
    *,
    kind: str | Iterable[str] | None = None,
    type: str | Iterable[str] | None = None,
    name: str | Iterable[str] | None = None,
    stream: Stream | int | Iterable[Stream | int] | None = None,
    min_duration_ns: int | None = None,
) -> Filter:
    """A condition on ops, decided natively. Every given condition must hold; combine with ``&``, ``|`` and ``~``.

    Args:
        kind: ``op``, ``range``, ``mark`` or ``step``, or several. A condition that names no kind is about ops alone.
        type: ONNX operator types, such as ``Conv``; ``*`` stands for any text, ``?`` for one byte. Domains of ranges
            and marks.
        name: Names of ONNX nodes, with the same wildcards. Messages of ranges and marks.
        stream: Streams, or ids of streams; ranges, marks and steps are on none.
        min_duration_ns: The least duration, in nanoseconds; ops without a valid duration do not pass.

    Raises:
        ValueError: `kind` is none of the kinds.

    Examples:
        >>> slow_matmuls = where(type="MatMul", min_duration_ns=100_000)
        >>> either = slow_matmuls | ~where(name=["/encoder/*", "/decoder/*"])
    """
    streams = None if stream is None else [getattr(one, "stream_id", one) for one in _several(stream)]
    return Filter(
        kind=None if kind is None else _several(kind),
        type=None if type is None else _several(type),
        name=None if name is None else _several(name),
        stream=streams,
        min_duration_ns=min_duration_ns,
    )


def _several(given: Any) -> list[Any]:
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
