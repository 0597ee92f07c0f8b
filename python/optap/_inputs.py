"""Inputs of a run: what the caller gave, in the form that the core takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optap._closest import closest
from optap.errors import InputError

__all__ = ("Given", "collect_inputs")

Given: TypeAlias = tuple[str | None, str, tuple[int, ...], NDArray[Any]]
"""Name, or `None` for one by position; dtype, shape and contiguous elements."""


def collect_inputs(
    declared: Sequence[str], inputs: Sequence[ArrayLike | Mapping[str, ArrayLike]], named: Mapping[str, ArrayLike]
) -> list[Given]:
    """The inputs in the form that the core takes; raises `InputError` where a name or a value is none of an input.

    Args:
        declared: Names of the model's inputs.
        inputs: Inputs by position, or one mapping of all by name.
        named: Inputs by name.
    """
    pairs: list[tuple[str | None, Any]] = [(None, value) for value in inputs]
    if len(inputs) == 1 and isinstance(inputs[0], Mapping):
        pairs = list(inputs[0].items())
    pairs += named.items()
    for name, _ in pairs:
        if name is not None and name not in declared:
            raise _refusal(_unknown(name, declared))
    return [
        _given(name, value, _called(at, declared) if name is None else name) for at, (name, value) in enumerate(pairs)
    ]


def _given(name: str | None, value: Any, called: str) -> Given:
    if isinstance(value, Mapping):
        raise _refusal(f"input {called!r} is a mapping; give names and arrays as run({{'x': array}}) or run(x=array)")
    try:
        array = np.asarray(value, order="C")
    except (ValueError, TypeError) as error:
        raise _refusal(f"input {called!r} makes no array: {error}") from error
    little = array if array.dtype.byteorder != ">" else array.astype(array.dtype.newbyteorder("<"))
    return name, little.dtype.str, little.shape, little.reshape(-1)


def _called(at: int, declared: Sequence[str]) -> str:
    return declared[at] if at < len(declared) else f"#{at}"


def _unknown(name: Any, declared: Sequence[str]) -> str:
    known = ", ".join(map(repr, declared)) or "none"
    return f"the model has no input {name!r}; its inputs are {known}{closest(str(name), declared)}"


def _refusal(told: str) -> InputError:
    return InputError(told, 145000, "ACL_ERROR_GE_PARAM_INVALID")
