"""Ranges and marks of the user's own code."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from optap import _core
from optap._core import Annotation, annotate, mark, range_start, range_stop

__all__ = ("Annotation", "Annotations", "annotate", "annotations", "mark", "range_start", "range_stop")

F = TypeVar("F", bound=Callable[..., Any])


class Annotations(NamedTuple):
    """What became of ranges and marks since the process began."""

    open_ranges: int
    """Ranges that have begun and not ended, as far as somebody listens to ranges."""
    labels: int
    """Different texts that are kept now."""
    unmatched_exits: int
    """Exits of an annotation that its context had not entered; each changed nothing."""
    unknown_stops: int
    """Calls of `range_stop` with an id that no open range had; each changed nothing."""
    nameless: int
    """Ranges and marks whose text did not fit under the cap of names, and that have none therefore."""


def annotations() -> Annotations:
    """What became of ranges and marks so far.

    Examples:
        >>> range_stop(0)
        False
        >>> annotations().unknown_stops > 0
        True
    """
    return Annotations(**_core.annotation_statistics())


def _decorate(annotation: Annotation) -> Callable[[F], F]:
    """What `annotation` does as a decorator; called by the native type."""

    def decorate(function: F) -> F:
        if not callable(function) or inspect.isclass(function):
            raise TypeError(f"annotate decorates functions, not {function!r}")
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            told = f"annotate cannot decorate the generator {function.__qualname__}: use `with` inside of it"
            raise TypeError(f"{told}, or around the loop over it")
        wrapper = _async_wrapper if _is_async(function) else _wrapper
        return functools.wraps(function)(wrapper(annotation, function))  # type: ignore[return-value]

    return decorate


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _wrapper(annotation: Annotation, function: Callable[..., Any]) -> Callable[..., Any]:
    def annotated(*args: Any, **kwargs: Any) -> Any:
        with annotation:
            return function(*args, **kwargs)

    return annotated


def _async_wrapper(annotation: Annotation, function: Callable[..., Any]) -> Callable[..., Any]:
    async def annotated(*args: Any, **kwargs: Any) -> Any:
        with annotation:
            return await function(*args, **kwargs)

    return annotated
