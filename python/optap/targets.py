"""The formats that `export` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from optap import _core
from optap.batch import Batch
from optap.partial import Partial
from optap.report.html import HtmlFile
from optap.table import Anchor

__all__ = ("FORMATS", "SUFFIXES", "Format", "Origin", "Target", "format_of", "open_target")

Format = Literal["perfetto", "chrome", "msprof-json", "msprof-db", "csv", "parquet", "arrow", "html", "prof"]
"""What can be written."""

FORMATS: tuple[Format, ...] = get_args(Format)
"""All of them."""

SUFFIXES: dict[str, Format] = {
    ".pftrace": "perfetto",
    ".perfetto-trace": "perfetto",
    ".json": "chrome",
    ".db": "msprof-db",
    ".csv": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".html": "html",
}
"""What the name of a file tells."""

_CSV_TABLES = ("op_summary", "op_statistic", "task_time", "api_statistic", "step_trace", "msprof_tx")


def format_of(path: Path) -> Format | None:
    """What the name of `path` asks for.

    Examples:
        >>> format_of(Path("trace.json")), format_of(Path("trace"))
        ('chrome', None)
    """
    return SUFFIXES.get(path.suffix.lower())


@dataclass(frozen=True)
class Origin:
    """Where and when ops come from.

    Attributes:
        anchor: One instant on the clock of the ops and on the wall clock; zeros if that is not known.
        host: The machine.
    """

    anchor: Anchor
    host: str


class Target(Protocol):
    """A file or folder that is being written."""

    @property
    def skipped(self) -> int:
        """Records left out so far."""

    def write(self, batch: Batch) -> None:
        """Append ops, and what was lost before them."""

    def close(self) -> Path:
        """Complete it, and give its path."""

    def abort(self) -> None:
        """Remove what there is of it."""


class _Sink(Protocol):
    @property
    def skipped(self) -> int: ...
    def write(self, batch: Batch) -> None: ...
    def close(self) -> object: ...
    def abort(self) -> None: ...


def open_target(path: Path, to: Format, origin: Origin, *, overwrite: bool) -> Target:
    """What writes the format `to` at `path`.

    Raises:
        FileExistsError: It is there, and `overwrite` is false.
        OSError: It cannot be made.
        ModuleNotFoundError: What the format needs is not installed.
    """
    if to == "prof":
        return _ProfTarget(path, origin)
    is_folder = not path.suffix
    if to == "parquet" and is_folder:
        return _DatasetTarget(path, origin)
    partial = Partial(path, overwrite=overwrite)
    try:
        if to == "csv" and is_folder:
            return _Whole(path, partial, _tables(partial.path, origin))
        return _Whole(path, partial, [_sink(partial.path, to, origin)])
    except BaseException:
        partial.discard()
        raise


def _columnar(module: str) -> Any:
    """A module that most programs never need."""
    return import_module(f"optap.columnar.{module}")


def _tables(folder: Path, origin: Origin) -> list[_Sink]:
    folder.mkdir()
    return [_core.Writer(folder / f"{name}.csv", name, origin.anchor) for name in _CSV_TABLES]


def _sink(path: Path, to: Format, origin: Origin) -> Any:
    match to:
        case "parquet":
            return _columnar("writer").ParquetFile(path, origin.anchor, origin.host)
        case "arrow":
            return _columnar("writer").ArrowFile(path, origin.anchor, origin.host)
        case "html":
            return HtmlFile(path)
        case "csv":
            return _core.Writer(path, _CSV_TABLES[0], origin.anchor)
        case _:
            return _core.Writer(path, to, origin.anchor)


class _Whole:
    """One file, or one folder of tables; it appears when it is complete."""

    def __init__(self, path: Path, partial: Partial, sinks: Sequence[_Sink]) -> None:
        self._path = path
        self._partial = partial
        self._sinks = sinks

    @property
    def skipped(self) -> int:
        return self._sinks[0].skipped

    def write(self, batch: Batch) -> None:
        for sink in self._sinks:
            sink.write(batch)

    def close(self) -> Path:
        for sink in self._sinks:
            sink.close()
        self._partial.complete()
        return self._path

    def abort(self) -> None:
        for sink in self._sinks:
            sink.abort()
        self._partial.discard()


class _DatasetTarget:
    """A folder that others write to as well."""

    def __init__(self, path: Path, origin: Origin) -> None:
        self._path = path
        self._dataset = _columnar("dataset").Dataset(path, origin.anchor, origin.host)
        self.skipped = self._dataset.skipped
        self.write = self._dataset.write
        self.abort = self._dataset.abort

    def close(self) -> Path:
        self._dataset.close()
        return self._path


class _ProfTarget:
    """A directory `PROF_*` below `path`, which may hold others."""

    def __init__(self, path: Path, origin: Origin) -> None:
        self._path = path
        self._partial = Partial(path / "PROF", overwrite=True)
        self._writer = _core.Writer(self._partial.path, "prof", origin.anchor)
        self.write = self._writer.write

    @property
    def skipped(self) -> int:
        return self._writer.skipped

    def close(self) -> Path:
        made = self._writer.close()
        assert made is not None, "the format makes a directory"
        target = self._path / made.name
        made.rename(target)
        self._partial.discard()
        return target

    def abort(self) -> None:
        self._writer.abort()
        self._partial.discard()
