"""Files of columns: what they hold, and what of it is damaged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from optap.batch import Batch
from optap.columnar.reader import batches_of, gap_of, is_known
from optap.columnar.schema import anchor_of
from optap.extra import need
from optap.table import BATCH_RECORDS, Anchor, Damage, OpTable

__all__ = ("read_columns",)

_STREAM_BYTES = 8
"""Where the stream begins that an Arrow file contains."""
_ROWS_A_BYTE = 64
"""More rows than our own writer gets into a byte. What claims more is not read: memory stays below 4 KiB a byte."""


def read_columns(path: Path, format: str) -> OpTable:
    """Read a Parquet or Arrow file of optap, or of whoever wrote columns of the same names.

    Raises:
        OSError: Nothing of it can be read, or it has no columns of ops.
        ModuleNotFoundError: pyarrow is not installed.
    """
    reading = {"parquet": _Parquet, "arrow": _Arrow}[format](path)
    try:
        batches = list(reading.batches())
    except _broken() as error:
        raise OSError(f"{path}: {error}") from error
    return OpTable(batches, sources=[path], anchor=reading.anchor, damages=reading.damages)


def _broken() -> tuple[type[Exception], ...]:
    """What pyarrow raises where bytes make no sense; a text that is no UTF-8 is a `ValueError`."""
    return need("pyarrow", "parquet").ArrowException, OSError, ValueError


class _Source(ABC):
    def __init__(self, path: Path) -> None:
        self.path = path
        self.anchor: Anchor | None = None
        self.damages: list[Damage] = []

    @abstractmethod
    def batches(self) -> Iterator[Batch]: ...

    def _begin(self, schema: Any) -> None:
        if not is_known(schema.names):
            raise OSError(f"no columns of ops: it has {', '.join(schema.names[:20])}")
        self.anchor = anchor_of(schema.metadata)

    def _take(self, columns: Any, offset_bytes: int, size_bytes: int) -> Iterator[Batch]:
        try:
            columns.validate(full=True)
            batches, strange = batches_of(columns)
        except _broken() as error:
            self._damage(offset_bytes, size_bytes, str(error))
            return
        if strange:
            self._damage(offset_bytes, size_bytes, f"{strange:,} rows are no ops")
        yield from batches

    def _damage(self, offset_bytes: int, size_bytes: int, reason: str) -> None:
        self.damages.append(Damage(self.path, offset_bytes, size_bytes, reason))


class _Parquet(_Source):
    def batches(self) -> Iterator[Batch]:
        with need("pyarrow.parquet", "parquet").ParquetFile(self.path) as file:
            self._begin(file.schema_arrow)
            for index in range(file.num_row_groups):
                group = file.metadata.row_group(index)
                offset_bytes, size_bytes = _place(group)
                if group.num_rows > _ROWS_A_BYTE * (size_bytes + 64):
                    self._damage(offset_bytes, size_bytes, f"claims {group.num_rows:,} rows")
                    continue
                try:
                    for columns in file.iter_batches(BATCH_RECORDS, row_groups=[index]):
                        yield from self._take(columns, offset_bytes, size_bytes)
                except _broken() as error:
                    self._damage(offset_bytes, size_bytes, str(error))
            if (last := gap_of(file.metadata.metadata)) is not None:
                yield last


def _place(group: Any) -> tuple[int, int]:
    """Where a row group begins, and how long it is, in bytes."""
    columns = [group.column(index) for index in range(group.num_columns)]
    starts = [column.dictionary_page_offset or column.data_page_offset for column in columns]
    return min(starts, default=0), sum(column.total_compressed_size for column in columns)


class _Arrow(_Source):
    def batches(self) -> Iterator[Batch]:
        pa = need("pyarrow", "parquet")
        with pa.OSFile(str(self.path)) as file:
            try:
                reader = pa.ipc.open_file(file)
            except pa.ArrowInvalid:
                yield from self._rest(file)
                return
            self._begin(reader.schema)
            for index in range(reader.num_record_batches):
                try:
                    columns, metadata = reader.get_batch_with_custom_metadata(index)
                except _broken() as error:
                    self._damage(file.tell(), 0, f"record batch {index}: {error}")
                    continue
                yield from self._take(columns, file.tell(), columns.nbytes)
                if (last := gap_of(metadata)) is not None:
                    yield last

    def _rest(self, file: Any) -> Iterator[Batch]:
        """What a file holds whose end is missing."""
        pa = need("pyarrow", "parquet")
        file.seek(_STREAM_BYTES)
        reader = pa.ipc.open_stream(file)
        self._begin(reader.schema)
        while True:
            begin_bytes = file.tell()
            try:
                columns = reader.read_next_batch()
            except StopIteration:
                reason = "the end of the file is missing"
            except _broken() as error:
                reason = str(error)
            else:
                yield from self._take(columns, begin_bytes, file.tell() - begin_bytes)
                continue
            self._damage(begin_bytes, file.size() - begin_bytes, reason)
            return
