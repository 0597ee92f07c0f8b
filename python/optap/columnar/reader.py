"""Reading columns back into records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optap import _core
from optap.batch import OP_DTYPE, Batch
from optap.columnar.schema import EXACT, GAP_KEY, NAMES
from optap.extra import need

__all__ = ("batches_of", "gap_of", "is_known")

_NEEDED = ("name", "type", "start_ns", "end_ns")
"""Columns without which a file holds no ops."""
_GIVEN_ANEW = ("op_id", "reserved")
_NUMBERS = tuple(name for name in OP_DTYPE.names or () if name not in _GIVEN_ANEW)
_CONTROL_KINDS = (1, 2)
"""Records that steer the line of a process, and mean nothing in a file."""


def is_known(names: list[str]) -> bool:
    """Whether columns of these names are ops."""
    return all(name in names for name in _NEEDED)


def batches_of(columns: Any) -> tuple[list[Batch], int]:
    """The rows of a `pyarrow.RecordBatch` as batches, cut where there is a gap; and how many rows are no ops.

    Raises:
        pyarrow.ArrowInvalid: A column holds what its field cannot.
    """
    records = np.zeros(len(columns), OP_DTYPE)
    for name in _NUMBERS:
        if name in columns.schema.names:
            records[name] = _numbers(columns.column(name), OP_DTYPE[name])
    codes, ops = _ops(columns)
    records["op_id"] = codes
    gaps = _numbers(columns.column("gap"), np.dtype("<u8")) if "gap" in columns.schema.names else records["reserved"]
    is_op = ~np.isin(records["kind"], _CONTROL_KINDS)
    return list(_cut(records[is_op], ops, gaps[is_op])), int((~is_op).sum())


def gap_of(metadata: Mapping[Any, Any] | None) -> Batch | None:
    """What was lost after the last row, as an empty batch; `None` if nothing was."""
    told = {bytes(key): bytes(value) for key, value in (metadata or {}).items()}.get(GAP_KEY.encode(), b"")
    if not told.isdigit() or not 0 < int(told) < 2**64:
        return None
    return _core.make_batch(b"", [], int(told))


def _cut(records: NDArray[np.void], ops: list[list[bytes]], gaps: NDArray[Any]) -> Iterator[Batch]:
    if not len(records):
        return
    whole = _core.make_batch(records.tobytes(), ops)
    begins = np.flatnonzero(gaps)
    starts = begins.tolist() if len(begins) and begins[0] == 0 else [0, *begins.tolist()]
    for start, end in pairwise([*starts, len(records)]):
        yield _core.with_gap(whole[start:end], int(gaps[start]))


def _numbers(column: Any, kind: np.dtype[Any]) -> NDArray[Any]:
    pa = need("pyarrow", "parquet")
    numbers: NDArray[Any] = column.cast(pa.from_numpy_dtype(kind)).fill_null(0).to_numpy(zero_copy_only=False)
    return numbers


def _ops(columns: Any) -> tuple[NDArray[Any], list[list[bytes]]]:
    """The op of each row, counted from 1, and the names of each op."""
    pa = need("pyarrow", "parquet")
    coded = [_coded(columns, name) for name in NAMES]
    codes = coded[0][0].astype(np.uint64)
    for others, texts in coded[1:]:
        # Numbered anew at each step, so that the product of two counts of rows is the most there can be.
        seen = pa.array(codes).dictionary_encode()
        codes = seen.indices.to_numpy().astype(np.uint64) * np.uint64(max(len(texts), 1)) + others.astype(np.uint64)
    seen = pa.array(codes).dictionary_encode()
    indices = seen.indices.to_numpy()
    first_rows = np.zeros(len(seen.dictionary), np.int64)
    first_rows[indices[::-1]] = np.arange(len(indices))[::-1]
    names = [[texts[code] for code in others[first_rows].tolist()] for others, texts in coded]
    return indices + 1, [list(op) for op in zip(*names, strict=True)]


def _coded(columns: Any, name: str) -> tuple[NDArray[Any], list[bytes]]:
    """A code for each row, and the bytes that each stands for."""
    pa, pc = need("pyarrow", "parquet"), need("pyarrow.compute", "parquet")
    known = columns.schema.names
    if name not in known:
        return np.zeros(len(columns), np.int64), [b""]
    texts = columns.column(name)
    exact = columns.column(name + EXACT) if name + EXACT in known else None
    if exact is not None and exact.null_count < len(exact):
        texts = pc.coalesce(exact.cast(pa.binary()), texts.cast(pa.string()).cast(pa.binary()))
    if not pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_encode()
    dictionary = [text.encode() if isinstance(text, str) else text or b"" for text in texts.dictionary.to_pylist()]
    codes = pc.fill_null(texts.indices.cast(pa.int64()), len(dictionary)).to_numpy(zero_copy_only=False)
    return codes, [*dictionary, b""]
