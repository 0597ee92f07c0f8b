"""Batches as a test wants them, and what comes back of them."""

from __future__ import annotations

import io
from pathlib import Path

import duckdb
import numpy as np
import optap
import pyarrow as pa
import pyarrow.parquet as pq


def start_pools() -> None:
    """Threads that other libraries keep for good are there before anybody counts threads: one each."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    columns, file = pa.table({"x": [1, 2], "y": [3, 4]}), io.BytesIO()
    pq.write_table(columns, file)
    assert pq.read_table(file).equals(columns)
    columns.to_pandas()
    duckdb.sql("set threads = 1")


def records(count: int, **fields: object) -> np.ndarray:
    """`count` records on one stream, each 50 ns long and 100 ns after the one before, but for what `fields` say."""
    array = np.zeros(count, optap.OP_DTYPE)
    array["start_ns"] = 1_000_000 + 100 * np.arange(count)
    array["end_ns"] = array["start_ns"] + 50
    array["sequence"] = np.arange(count)
    array["op_id"] = 1
    for name, values in fields.items():
        array[name] = values
    return array


def batch(array: np.ndarray, names: list[str] | None = None, gap: int = 0) -> optap.Batch:
    """A batch of `array`, whose `op_id` counts `names` from 1; an op is named, typed and kernelled alike."""
    ops = [[name.encode("utf-8", "surrogateescape")] * 3 for name in names or ["op"]]
    return optap._core.make_batch(array.tobytes(), ops, gap)


def facts(batches: object) -> list[tuple[object, ...]]:
    """All that is known of each op but its id, which each process gives anew."""
    fields = ("name", "type", "kernel", "start_ns", "end_ns", "duration_ns", "model_id", "device_id", "stream_id")
    rest = ("thread_id", "run_id", "flags", "sequence", "gap")
    return [row for one in batches for row in one.rows(*fields, *rest)]


def written(source: object, path: Path, to: str | None = None) -> optap.OpTable:
    """What is read of what was written."""
    return optap.read(optap.export(source, path, to).path)
