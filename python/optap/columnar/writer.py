"""Writing columns to one file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any

from optap import _core
from optap.batch import Batch
from optap.columnar.schema import GAP_KEY, NAMES, columns_of, metadata_of
from optap.extra import need
from optap.table import Anchor

__all__ = ("ArrowFile", "ParquetFile")

_GROUP_ROWS = 262_144
_RISING = ("start_ns", "end_ns", "duration_ns", "time", "run_id", "sequence")
"""Columns whose neighbours are close, so that differences take less room than values."""


class _ColumnFile(ABC):
    """Collects batches, and writes them in groups of rows."""

    def __init__(self, path: Path, anchor: Anchor, host: str) -> None:
        self._anchor = anchor
        self._waiting: list[Any] = []
        self._rows = 0
        self._last_gap = 0
        schema = columns_of(_core.make_batch(b"", []), anchor).schema
        self._out = self._open(path, schema.with_metadata(metadata_of(anchor, host)))

    @property
    def skipped(self) -> int:
        """Records left out: none, for there is room for all."""
        return 0

    def write(self, batch: Batch) -> None:
        """Append the ops of `batch`, and what was lost before them, or at the end if it is empty."""
        if not len(batch):
            self._last_gap += batch.gap
            return
        self._waiting.append(columns_of(batch, self._anchor))
        self._rows += len(batch)
        if self._rows >= _GROUP_ROWS:
            self._spill()

    def close(self) -> None:
        """Complete the file."""
        self._spill()
        if self._last_gap:
            self._tell({GAP_KEY: str(self._last_gap)})
        self._out.close()

    def abort(self) -> None:
        """Let go of the file, complete or not."""
        self._waiting = []
        with suppress(OSError):
            self._out.close()

    def _spill(self) -> None:
        if self._waiting:
            self._put(need("pyarrow", "parquet").Table.from_batches(self._waiting))
        self._waiting, self._rows = [], 0

    @abstractmethod
    def _open(self, path: Path, schema: Any) -> Any: ...

    @abstractmethod
    def _put(self, table: Any) -> None: ...

    @abstractmethod
    def _tell(self, metadata: dict[str, str]) -> None: ...


class ParquetFile(_ColumnFile):
    """A Parquet file: names as dictionaries, times as differences, zstd."""

    def _open(self, path: Path, schema: Any) -> Any:
        self._schema = schema
        return need("pyarrow.parquet", "parquet").ParquetWriter(
            path,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name in schema.names if name not in _RISING],
            column_encoding=dict.fromkeys(_RISING, "DELTA_BINARY_PACKED"),
        )

    def _put(self, table: Any) -> None:
        self._out.write_table(table.unify_dictionaries().cast(self._schema), row_group_size=_GROUP_ROWS)

    def _tell(self, metadata: dict[str, str]) -> None:
        self._out.add_key_value_metadata(metadata)


class ArrowFile(_ColumnFile):
    """An Arrow IPC file, lz4; names as text, for one file holds one dictionary, and names come one after another."""

    def _open(self, path: Path, schema: Any) -> Any:
        pa = need("pyarrow", "parquet")
        for name in NAMES:
            schema = schema.set(schema.get_field_index(name), pa.field(name, pa.string(), nullable=False))
        self._schema = schema
        return pa.ipc.new_file(str(path), schema, options=pa.ipc.IpcWriteOptions(compression="lz4"))

    def _put(self, table: Any) -> None:
        self._out.write_table(table.cast(self._schema), max_chunksize=_GROUP_ROWS)

    def _tell(self, metadata: dict[str, str]) -> None:
        pa = need("pyarrow", "parquet")
        empty = pa.RecordBatch.from_pylist([], self._schema)
        self._out.write_batch(empty, custom_metadata=metadata)
