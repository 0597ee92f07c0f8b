"""Reading files of any format that optap knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path

from optap import _core
from optap.table import Anchor, Damage, OpTable

__all__ = ("read",)

_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
"""How files of columns begin, and what they then are."""

_ONE_CLOCK_NS = 1_000_000_000
"""Wall clocks are corrected by less than this; two boots or machines differ by more."""


def read(path: str | PathLike[str], *more: str | PathLike[str]) -> OpTable:
    """Read the ops of a file or directory, or of several.

    What a path holds is told by its content, not by its name:

    - a ``PROF_*`` directory, of optap or of an NPU, or a folder of several;
    - a database ``msprof_*.db`` or ``ascend_pytorch_profiler*.db``, which is opened read-only;
    - a table ``op_summary``, ``task_time``, ``msprof_tx``, ``step_trace`` or ``kernel_details`` as CSV;
    - a Chrome trace, of optap, msprof (``msprof_*.json``) or torch_npu (``trace_view.json``);
    - a Parquet or Arrow file of optap, or a folder of Parquet files.

    What is damaged is left out and told in `OpTable.damages`. Several inputs become one table: those of another machine
    or boot are moved to the clock of the first one, by their wall clocks.

    Reading takes as long as the file is large; from a task, call it in a thread:
    ``await anyio.to_thread.run_sync(optap.read, path)``.

    Args:
        path: What to read.
        more: What else to read.

    Raises:
        OSError: A path cannot be read, or nothing in it is known.
    """
    tables = [_read_one(one) for given in (path, *more) for one in _inputs(Path(given))]
    return tables[0] if len(tables) == 1 else _join(tables)


def _inputs(path: Path) -> Sequence[Path]:
    """The Parquet files in a folder of them, or the path itself."""
    if path.is_dir() and not (path / "host").is_dir():
        return sorted(path.rglob("*.parquet")) or [path]
    return [path]


def _read_one(path: Path) -> OpTable:
    if path.is_file() and (columnar := _columnar(path)):
        table: OpTable = import_module("optap.columnar.source").read_columns(path, columnar)
        return table
    profile = _core.read_profile(path)
    monotonic_ns, unix_ns = profile.anchor
    return OpTable(
        [profile.batch],
        sources=[path],
        anchor=Anchor(monotonic_ns, unix_ns) if monotonic_ns and unix_ns else None,
        damages=[Damage(*damage) for damage in profile.damages],
    )


def _columnar(path: Path) -> str | None:
    with path.open("rb") as file:
        begin = file.read(max(map(len, _MAGIC)))
    return next((known for magic, known in _MAGIC.items() if begin.startswith(magic)), None)


def _join(tables: Sequence[OpTable]) -> OpTable:
    anchor = next((table.anchor for table in tables if table.anchor), None)
    return OpTable(
        [batch for table in tables for batch in _moved(table, anchor)],
        sources=[path for table in tables for path in table.sources],
        anchor=anchor,
        damages=[damage for table in tables for damage in table.damages],
    )


def _moved(table: OpTable, anchor: Anchor | None) -> Iterator[_core.Batch]:
    """The batches of `table` on the clock of `anchor`."""
    by_ns = 0
    if anchor is not None and table.anchor is not None:
        by_ns = (anchor.monotonic_ns - anchor.unix_ns) - (table.anchor.monotonic_ns - table.anchor.unix_ns)
    for batch in table.batches(max_records=max(len(table), 1)):
        yield _core.move_times(batch, by_ns) if abs(by_ns) >= _ONE_CLOCK_NS else batch
