"""The columns of a file, and what it tells besides."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from optap.batch import Batch
from optap.extra import need
from optap.table import Anchor

__all__ = ("EXACT", "GAP_KEY", "NAMES", "anchor_of", "columns_of", "metadata_of")

NAMES = ("name", "type", "kernel")
"""Columns of text."""
EXACT = "_bytes"
"""What the column of the bytes behind a text is called besides; it holds those that are not UTF-8."""

GAP_KEY = "optap.gap"
"""Where a file tells what was lost after its last row."""

_KEY = b"optap"
_VERSION = 1
_REPLACEMENT = "\ufffd"
_MOST_NS = 2**63 - 1


def metadata_of(anchor: Anchor, host: str) -> dict[bytes, bytes]:
    """What the schema of a file carries."""
    told = {"version": _VERSION, "anchor": anchor, "host": host}
    return {_KEY: json.dumps(told).encode()}


def anchor_of(metadata: Mapping[bytes, bytes] | None) -> Anchor | None:
    """The anchor that a schema carries; `None` where there is none, or it makes no sense."""
    try:
        monotonic_ns, unix_ns = json.loads((metadata or {})[_KEY])["anchor"]
        return Anchor(int(monotonic_ns), int(unix_ns)) if unix_ns else None
    except (ValueError, TypeError, KeyError):
        return None


def columns_of(batch: Batch, anchor: Anchor) -> Any:
    """The ops of `batch` as a `pyarrow.RecordBatch`: its columns, wall-clock times, gaps, and exact bytes of names."""
    pa = need("pyarrow", "parquet")
    columns = pa.record_batch(batch)
    gaps = np.zeros(len(batch), np.uint64)
    gaps[:1] = batch.gap
    added = {"time": _times(batch, anchor), "gap": pa.array(gaps)}
    added |= {f"{name}{EXACT}": _exact(batch, name, columns.column(name).dictionary) for name in NAMES}
    for name, column in added.items():
        columns = columns.append_column(name, column)
    return columns


def _times(batch: Batch, anchor: Anchor) -> Any:
    """When each op began, or ended where that is all that is known; on the wall clock."""
    pa = need("pyarrow", "parquet")
    array = batch.array
    known_ns = np.where(array["start_ns"] != 0, array["start_ns"], array["end_ns"])
    kind = pa.timestamp("ns", "UTC")
    if not anchor.unix_ns:
        return pa.nulls(len(batch), kind)
    by_ns = anchor.unix_ns - anchor.monotonic_ns
    unknown = (known_ns == 0) | (known_ns > np.uint64(_MOST_NS - abs(by_ns)))
    return pa.array(np.where(unknown, 0, known_ns).astype(np.int64) + by_ns, kind, mask=unknown)


def _exact(batch: Batch, name: str, texts: Any) -> Any:
    """The bytes of the names that are not UTF-8, null for all others."""
    pa, pc = need("pyarrow", "parquet"), need("pyarrow.compute", "parquet")
    suspect = pc.any(pc.match_substring(texts, _REPLACEMENT)).as_py()
    broken = _broken({"name": batch.names, "type": batch.types, "kernel": batch.kernels}[name]) if suspect else {}
    if not broken:
        return pa.nulls(len(batch), pa.binary())
    return pa.array([broken.get(op_id) for op_id in batch.array["op_id"].tolist()], pa.binary())


def _broken(texts: Mapping[int, str]) -> dict[int, bytes]:
    exact = {op_id: text.encode("utf-8", "surrogateescape") for op_id, text in texts.items()}
    return {op_id: name for op_id, name in exact.items() if name.decode("utf-8", "replace") != texts[op_id]}
