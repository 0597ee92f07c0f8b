"""Inputs of a run: read from files, or made from what the model declares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optap._closest import closest
from optap._text import printable
from optap.cli.failure import UsageError
from optap.model import TensorSpec

__all__ = ("Input", "gather_inputs", "shape_text")

_SEED = 0
_MOST_BYTES = 1 << 33


@dataclass(frozen=True, slots=True)
class Input:
    """One input of a run."""

    name: str
    """Name in the model."""
    array: NDArray[Any]
    """What the model gets."""
    source: str
    """Where it came from: a file, or how it was made."""

    def __str__(self) -> str:
        return f"{printable(self.name)}: {self.array.dtype} {shape_text(self.array.shape)}, {printable(self.source)}"


def gather_inputs(specs: Sequence[TensorSpec], files: Iterable[str], shapes: Iterable[str]) -> list[Input]:
    """Read or make every input of a model, in its order.

    Args:
        specs: What the model declares.
        files: ``NAME=FILE.npy`` for each input that is read.
        shapes: ``NAME=1x3x224x224`` for inputs that are made, where the declared shape is not the wanted one.

    Raises:
        UsageError: A name is not an input's, a file is no array, or a shape does not fit.
    """
    paths = _by_name("--input", "FILE.npy", files, specs)
    sizes = {name: _shape(name, text) for name, text in _by_name("--shape", "1x3x224x224", shapes, specs).items()}
    if both := paths.keys() & sizes.keys():
        raise UsageError(
            f"--shape {min(both)}: this input is read from a file and has that file's shape; leave --shape out"
        )
    return [
        _read(spec, paths[spec.name]) if spec.name in paths else _make(spec, sizes.get(spec.name)) for spec in specs
    ]


def shape_text(shape: Iterable[int | str | None]) -> str:
    """A shape as one word.

    >>> shape_text((1, 3, 224, 224)), shape_text(("batch", None)), shape_text(())
    ('1x3x224x224', 'batchx?', 'scalar')
    """
    return "x".join("?" if size is None else str(size) for size in shape) or "scalar"


def _by_name(option: str, form: str, given: Iterable[str], specs: Sequence[TensorSpec]) -> dict[str, str]:
    names = sorted((spec.name for spec in specs), key=len, reverse=True)
    found: dict[str, str] = {}
    for text in given:
        name = next((name for name in names if text.startswith(f"{name}=")), None)
        if name is None:
            known = ", ".join(printable(spec.name) for spec in specs) or "none"
            hint = closest(text.partition("=")[0], names)
            raise UsageError(f"{option} {text}: must be NAME={form}, with an input of the model as NAME: {known}{hint}")
        if name in found:
            raise UsageError(f"{option} {text}: {name} is given twice")
        found[name] = text[len(name) + 1 :]
    return found


def _shape(name: str, text: str) -> tuple[int, ...]:
    sizes = [] if text == "scalar" else text.split("x")
    if not all(size.isascii() and size.isdigit() for size in sizes):
        raise UsageError(f"--shape {name}={text}: must be sizes with x between them, such as 1x3x224x224, or scalar")
    return tuple(map(int, sizes))


def _read(spec: TensorSpec, text: str) -> Input:
    path = Path(text)
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"--input {spec.name}={text}: {error.strerror or error}") from error
    except Exception as error:  # numpy gives away whatever its parsers of headers and archives raise
        raise UsageError(f"--input {spec.name}={text}: not an array that numpy.save wrote ({error})") from error
    if not isinstance(array, np.ndarray):
        raise UsageError(f"--input {spec.name}={text}: an archive of arrays; save one array with numpy.save")
    if array.dtype != spec.dtype:
        way_out = f"convert it with array.astype({str(spec.dtype)!r})"
        raise UsageError(f"--input {spec.name}={text}: holds {array.dtype}, the model takes {spec.dtype}; {way_out}")
    return Input(spec.name, array, f"read from {text}")


def _make(spec: TensorSpec, shape: tuple[int, ...] | None) -> Input:
    if shape is None and spec.shape is None:
        raise UsageError(
            f"input {spec.name}: the model declares no shape; give one with --shape {spec.name}=1x3x224x224"
        )
    declared = spec.shape or ()
    sizes = shape if shape is not None else tuple(size if isinstance(size, int) else 1 for size in declared)
    if spec.shape is not None and not _fits(sizes, declared):
        raise UsageError(f"--shape {spec.name}={shape_text(sizes)}: the model declares {shape_text(declared)}")
    if prod(sizes) * spec.dtype.itemsize > _MOST_BYTES:
        raise UsageError(f"--shape {spec.name}={shape_text(sizes)}: takes more than {_MOST_BYTES >> 30} GiB")
    if spec.dtype.kind == "f":
        return Input(
            spec.name, np.random.default_rng(_SEED).random(sizes).astype(spec.dtype), "made: random from 0 to 1"
        )
    return Input(spec.name, np.zeros(sizes, spec.dtype), "made: zeros")


def _fits(sizes: Sequence[int], declared: Sequence[int | str | None]) -> bool:
    pairs = zip(sizes, declared, strict=False)
    return len(sizes) == len(declared) and all(not isinstance(want, int) or want == size for size, want in pairs)
