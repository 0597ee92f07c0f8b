"""Writing ops to files of any format that optap knows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from optap.batch import Batch
from optap.partial import Partial
from optap.report.html import write_html
from optap.table import Anchor, OpTable
from optap.targets import FORMATS, SUFFIXES, Format, Origin, Target, format_of, open_target

__all__ = ("Exported", "FileWriter", "export")


class Exported(NamedTuple):
    """What a file came to hold.

    Attributes:
        path: The file or folder.
        records: Records written.
        skipped: Records left out, for want of a usable time or of a place in the format.
    """

    path: Path
    records: int
    skipped: int


class FileWriter:
    """Writes batches to a file as they come, in constant memory.

    The file appears at `path` when it is closed; until then it lies beside it, under a name that ends in ``.partial``.
    Leaving the block closes it, also by an exception: what was written until then is kept.

    | `to` | what is written |
    |---|---|
    | ``perfetto`` | a trace for https://ui.perfetto.dev |
    | ``chrome`` | a trace as JSON, for the same and for ``chrome://tracing`` |
    | ``msprof-json`` | a trace as JSON in msprof's layout, for viewers that know it |
    | ``msprof-db`` | a database for MindStudio Insight and msprof-analyze, which want ``msprof_<14 digits>.db`` |
    | ``csv`` | msprof's ``op_summary``; below a path without a suffix all tables |
    | ``parquet`` | all that is known, to one file; below a path without a suffix by day and host |
    | ``arrow`` | the same as Arrow IPC |
    | ``html`` | a page to look at, see `write_html` |
    | ``prof`` | a directory ``PROF_*`` below `path`, which msprof parses |

    Args:
        path: The file or folder.
        to: The format; by default what the name of `path` says.
        overwrite: Whether a file or folder that is there may be replaced.
        anchor: One instant on the clock of the ops and on the wall clock; now by default.
        host: The name of the machine, for ``parquet`` and ``arrow``; this one by default.

    Raises:
        ValueError: The format is not known.
        FileExistsError: `path` exists, and `overwrite` is false.
        OSError: The file cannot be made.
        ModuleNotFoundError: The format needs pyarrow, which is not installed.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "trace.json"
        >>> with FileWriter(path) as file:
        ...     pass
        >>> file.exported
        Exported(path=...trace.json'), records=0, skipped=0)
    """

    def __init__(
        self,
        path: str | PathLike[str],
        to: Format | None = None,
        *,
        overwrite: bool = False,
        anchor: Anchor | None = None,
        host: str | None = None,
    ) -> None:
        origin = Origin(anchor or Anchor(time.monotonic_ns(), time.time_ns()), host or os.uname().nodename)
        self._target: Target | None = open_target(Path(path), _format(Path(path), to), origin, overwrite=overwrite)
        self._records = 0
        self.exported: Exported | None = None
        """What the file came to hold, once it is closed."""

    @property
    def skipped(self) -> int:
        """Records left out so far."""
        return self.exported.skipped if self.exported else self._open().skipped

    def write(self, batch: Batch) -> None:
        """Append ops, and what was lost before them, or at the end if the batch is empty.

        Raises:
            OSError: The file cannot be written; it is gone then.
            ValueError: The file is closed.
        """
        target = self._open()
        try:
            target.write(batch)
        except BaseException:
            self.abort()
            raise
        self._records += len(batch)

    def close(self) -> None:
        """Complete the file. Closing twice is harmless.

        Raises:
            OSError: The file cannot be completed; it is gone then.
        """
        if self._target is None:
            return
        try:
            skipped = self._target.skipped
            path = self._target.close()
        except BaseException:
            self.abort()
            raise
        self._target = None
        self.exported = Exported(path, self._records - skipped, skipped)

    def abort(self) -> None:
        """Remove what was written. Does nothing after `close`."""
        target, self._target = self._target, None
        if target is not None:
            target.abort()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> Target:
        if self._target is None:
            raise ValueError("the file is closed")
        return self._target


def export(
    source: OpTable | Batch | Iterable[Batch],
    path: str | PathLike[str],
    to: Format | None = None,
    *,
    overwrite: bool = False,
    on_progress: Callable[[int], object] | None = None,
) -> Exported:
    """Write a table, a batch, or batches to a file: all of it, or nothing if that fails or is interrupted.

    For ops that are still to come, as those of a subscription, take a `FileWriter`.

    Args:
        source: What to write.
        path: The file or folder.
        to: The format, see `FileWriter`; by default what the name of `path` says.
        overwrite: Whether a file or folder that is there may be replaced.
        on_progress: Called with the number of records written so far, now and then.

    Raises:
        ValueError: The format is not known.
        FileExistsError: `path` exists, and `overwrite` is false.
        OSError: The file cannot be made or written.
        ModuleNotFoundError: The format needs pyarrow, which is not installed.

    Examples:
        >>> import tempfile
        >>> export(OpTable([]), Path(tempfile.mkdtemp()) / "trace.pftrace").records
        0
    """
    if isinstance(source, OpTable) and _format(Path(path), to) == "html":
        return _export_html(source, Path(path), overwrite=overwrite)
    anchor = source.anchor or Anchor(0, 0) if isinstance(source, OpTable) else None
    file = FileWriter(path, to, overwrite=overwrite, anchor=anchor)
    try:
        records = 0
        for batch in _batches_of(source):
            file.write(batch)
            records += len(batch)
            if on_progress is not None:
                on_progress(records)
        file.close()
    finally:
        file.abort()
    assert file.exported is not None
    return file.exported


def _export_html(table: OpTable, path: Path, *, overwrite: bool) -> Exported:
    """A report of a table knows its ranges and steps ahead of its ops, and where it comes from."""
    partial = Partial(path, overwrite=overwrite)
    try:
        write_html(table, partial.path)
        partial.complete()
    finally:
        partial.discard()
    return Exported(path, len(table), 0)


def _batches_of(source: OpTable | Batch | Iterable[Batch]) -> Iterable[Batch]:
    if isinstance(source, OpTable):
        return source.batches()
    return OpTable([source]).batches() if isinstance(source, Batch) else source


def _format(path: Path, to: str | None) -> Format:
    given = format_of(path) if to is None else next((one for one in FORMATS if one == to), None)
    if given is None:
        what = (
            f"{path}: its name tells no format; end it with {', '.join(SUFFIXES)}, or" if to is None else f"to={to!r}:"
        )
        raise ValueError(f"{what} choose from {', '.join(FORMATS)}")
    return given
