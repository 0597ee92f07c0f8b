"""A folder of Parquet files by day and host, as query engines know it from Hive."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import numpy as np

from optap.batch import Batch
from optap.columnar.writer import ParquetFile
from optap.table import Anchor

__all__ = ("Dataset",)

_DAY_NS = 86_400_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_DAY = 2_900_000


class Dataset:
    """Adds files ``date=YYYY-MM-DD/host=NAME/….parquet`` below `path`; those that are there stay.

    A file gets its name when it is complete: who reads the folder meanwhile sees whole files only.
    """

    def __init__(self, path: Path, anchor: Anchor, host: str) -> None:
        self._path = path
        self._anchor = anchor
        self._host = host
        self._name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}-{os.urandom(4).hex()}.parquet"
        self._days: dict[int, tuple[ParquetFile, Path]] = {}
        self._day = anchor.unix_ns // _DAY_NS
        path.mkdir(parents=True, exist_ok=True)

    @property
    def skipped(self) -> int:
        """Records left out: none, for there is room for all."""
        return 0

    def write(self, batch: Batch) -> None:
        """Append ops, each to the day of its end on the wall clock in UTC."""
        days = self._days_of(batch)
        cuts = (np.flatnonzero(np.diff(days)) + 1).tolist()
        for start, end in zip([0, *cuts], [*cuts, len(batch)], strict=True):
            self._day = int(days[start]) if len(days) else self._day
            self._file(self._day).write(batch[start:end])

    def close(self) -> None:
        """Complete all files, and give them their names."""
        for file, _ in self._days.values():
            file.close()
        for _, partial in self._days.values():
            partial.rename(partial.with_name(self._name))
        self._days.clear()

    def abort(self) -> None:
        """Remove what is not complete."""
        for file, partial in self._days.values():
            file.abort()
            partial.unlink(missing_ok=True)
        self._days.clear()

    def _days_of(self, batch: Batch) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The day of each op; an op without a usable time goes with the one before it."""
        array = batch.array
        known_ns = np.where(array["end_ns"] != 0, array["end_ns"], array["start_ns"])
        days = (known_ns.astype(np.float64) + (self._anchor.unix_ns - self._anchor.monotonic_ns)) // _DAY_NS
        days[(known_ns == 0) | (days < 0) | (days > _LAST_DAY)] = np.nan
        last_known = np.maximum.accumulate(np.where(np.isnan(days), -1, np.arange(len(days))))
        return np.where(last_known < 0, self._day, days[last_known]).astype(np.int64)

    def _file(self, day: int) -> ParquetFile:
        if day not in self._days:
            date = (_EPOCH + timedelta(days=day)).date()
            folder = self._path / f"date={date}" / f"host={quote(self._host, safe='')}"
            folder.mkdir(parents=True, exist_ok=True)
            partial = folder / f".{self._name}.partial"
            self._days[day] = ParquetFile(partial, self._anchor, self._host), partial
        return self._days[day][0]
