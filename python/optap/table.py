"""Ops out of a file, in the batches that a live subscription gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from optap import _core
from optap.batch import OP_DTYPE, Batch, Op
from optap.extra import need
from optap.filter import Filter, where

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

__all__ = ("BATCH_RECORDS", "Anchor", "Damage", "OpTable")

BATCH_RECORDS = 65_536
"""Records of a batch of `OpTable.batches`, unless you say otherwise."""

_SHOWN_SOURCES = 3


class Anchor(NamedTuple):
    """One instant on two clocks.

    Attributes:
        monotonic_ns: On the clock of the ops, in nanoseconds.
        unix_ns: On the wall clock, in nanoseconds since 1970 in UTC.
    """

    monotonic_ns: int
    unix_ns: int


class Damage(NamedTuple):
    """A part of a file that could not be read.

    Attributes:
        path: The file.
        offset_bytes: Where the part begins, in bytes from the start of the file.
        bytes: How long it is, in bytes; 0 where that is not known.
        reason: What is wrong with it.
    """

    path: Path
    offset_bytes: int
    bytes: int
    reason: str


class OpTable:
    """Ops, ranges, marks and steps out of a file. Made by `read`.

    Records lie in memory, 64 bytes each, in the same batches that a subscription gives. Iterate over the table for
    single ops; hand it to anything that reads Arrow's PyCapsule interface for columns.

    Attributes:
        sources: The files and directories that were read.
        anchor: One instant on the clock of the ops and on the wall clock; `None` where the file does not tell.
        damages: What could not be read.

    Examples:
        >>> table = OpTable([])
        >>> len(table), list(table), table.damages
        (0, [], ())
    """

    def __init__(
        self,
        batches: Sequence[Batch],
        *,
        sources: Sequence[Path] = (),
        anchor: Anchor | None = None,
        damages: Sequence[Damage] = (),
    ) -> None:
        self._batches = tuple(batches)
        self._len = sum(map(len, self._batches))
        self.sources = tuple(sources)
        self.anchor = anchor
        self.damages = tuple(damages)

    def batches(self, max_records: int = BATCH_RECORDS) -> Iterator[Batch]:
        """Iterate over the records in batches of at most `max_records`, which share their memory.

        A batch has a `gap` where the file tells of a loss; one at the end is the gap of an empty batch.

        Raises:
            ValueError: `max_records` is less than 1.
        """
        if max_records < 1:
            raise ValueError(f"max_records={max_records}: must be 1 or more")
        for batch in self._batches:
            if not len(batch):
                yield batch
            for start in range(0, len(batch), max_records):
                yield batch[start : start + max_records]

    def filter(self, where: Filter) -> OpTable:
        """The records that meet a condition, made by `optap.where`, as a table of their own; without the gaps.

        Examples:
            >>> OpTable([]).filter(where(type="MatMul", min_duration_ns=1_000))
            <OpTable of 0 records>
        """
        return self._with([batch.filter(where) for batch in self._batches])

    @property
    def ops(self) -> OpTable:
        """The ops alone."""
        return self.filter(where(kind="op"))

    @property
    def ranges(self) -> OpTable:
        """The ranges alone."""
        return self.filter(where(kind="range"))

    @property
    def marks(self) -> OpTable:
        """The marks alone."""
        return self.filter(where(kind="mark"))

    @property
    def steps(self) -> OpTable:
        """The steps alone; `run_id` is the number of the step."""
        return self.filter(where(kind="step"))

    def unix_ns(self, time_ns: int) -> int | None:
        """The wall-clock time of an instant such as `op.start_ns`, in nanoseconds since 1970 in UTC.

        `None` where the file does not tell, and for a time of 0, which is unknown.
        """
        if self.anchor is None or time_ns == 0:
            return None
        return time_ns - self.anchor.monotonic_ns + self.anchor.unix_ns

    def to_numpy(self) -> NDArray[np.void]:
        """The records as a read-only structured array of dtype `OP_DTYPE`; without a copy where they lie together."""
        if len(self._batches) == 1:
            return self._batches[0].array
        array = np.concatenate([np.empty(0, OP_DTYPE), *(batch.array for batch in self._batches)])
        array.flags.writeable = False
        return array

    def to_pandas(self) -> pd.DataFrame:
        """The records as a pandas frame, names as categories.

        Raises:
            ModuleNotFoundError: pandas or pyarrow is not installed.
        """
        need("pandas", "pandas")
        frame: pd.DataFrame = need("pyarrow", "pandas").table(self).to_pandas()
        return frame

    def to_polars(self) -> pl.DataFrame:
        """The records as a polars frame, names as categories.

        Raises:
            ModuleNotFoundError: polars is not installed.
        """
        frame: pl.DataFrame = need("polars", "polars").DataFrame(self)
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records as columns (Arrow C stream interface). `requested_schema` is ignored, as it may be."""
        return _core.arrow_stream([batch for batch in self.batches() if len(batch)])

    def __len__(self) -> int:
        return self._len

    def __iter__(self) -> Iterator[Op]:
        for batch in self._batches:
            yield from batch

    def __repr__(self) -> str:
        named = [str(path) for path in self.sources[:_SHOWN_SOURCES]]
        more = len(self.sources) - len(named)
        origin = f" from {', '.join(named)}" if named else ""
        damages = f", {len(self.damages):,} damages" if self.damages else ""
        return f"<OpTable of {self._len:,} records{origin}{f' and {more} more' if more else ''}{damages}>"

    def _with(self, batches: Sequence[Batch]) -> OpTable:
        return OpTable(batches, sources=self.sources, anchor=self.anchor, damages=self.damages)
