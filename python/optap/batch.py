"""Batches of ops and the layout of a record."""

from __future__ import annotations

import numpy as np

from optap._core import Batch, Op, op_record_fields

__all__ = ("OP_DTYPE", "Batch", "Op")


def _dtype() -> np.dtype[np.void]:
    names, offsets, formats = zip(*op_record_fields(), strict=True)
    return np.dtype({"names": names, "offsets": offsets, "formats": formats, "itemsize": 64})


OP_DTYPE = _dtype()
"""The dtype of `Batch.array`: 64 bytes a record, times in nanoseconds of `time.monotonic_ns()`.

Examples:
    >>> OP_DTYPE.itemsize, OP_DTYPE.names[:2]
    (64, ('start_ns', 'end_ns'))
"""
