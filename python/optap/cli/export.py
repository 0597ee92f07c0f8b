"""`optap export`: turn what was recorded into the files that others open."""

from __future__ import annotations

import argparse
from pathlib import Path

from optap._text import printable
from optap.cli.failure import OK, FailedError, UsageError, tell
from optap.cli.progress import progress
from optap.reading import read
from optap.table import OpTable
from optap.targets import SUFFIXES, format_of
from optap.writing import export

__all__ = ("export_inputs",)

_SHOWN_DAMAGES = 5


def export_inputs(args: argparse.Namespace) -> int:
    """Do what `args` ask for. The output appears when it is complete, or not at all.

    Raises:
        UsageError: What was given cannot be used.
        FailedError: An input could not be read, or the output not be written.
    """
    _check(args)
    table = read_inputs(args.inputs)
    try:
        with progress("writing", len(table)) as done:
            exported = export(table, args.output, args.to, overwrite=args.force, on_progress=done)
    except ModuleNotFoundError as error:
        raise FailedError(str(error)) from error
    except OSError as error:
        raise FailedError(f"-o {args.output}: {error}") from error
    skipped = f", {exported.skipped:,} left out" if exported.skipped else ""
    print(f"{printable(str(exported.path))}: {exported.records:,} records{skipped}")
    return OK


def read_inputs(paths: list[Path]) -> OpTable:
    """What is in `paths`; damages are told.

    Raises:
        UsageError: There is no such file.
        FailedError: Nothing of it can be read.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or directory")
    try:
        with progress("reading"):
            table = read(*paths)
    except (OSError, ModuleNotFoundError) as error:
        raise FailedError(str(error)) from error
    for damage in table.damages[:_SHOWN_DAMAGES]:
        where = f"{printable(str(damage.path))}, byte {damage.offset_bytes:,}"
        tell(f"{where}: {printable(damage.reason)}; the rest was read")
    if len(table.damages) > _SHOWN_DAMAGES:
        tell(f"{len(table.damages) - _SHOWN_DAMAGES:,} more damages")
    return table


def _check(args: argparse.Namespace) -> None:
    if args.to is None and format_of(args.output) is None:
        raise UsageError(f"-o {args.output}: its name tells no format; add --to, or end it with {', '.join(SUFFIXES)}")
    if not args.output.parent.is_dir():
        raise UsageError(f"-o {args.output}: there is no folder {args.output.parent}")
    is_added_to = args.to in {"parquet", "prof"} and not args.output.suffix
    if args.output.exists() and not args.force and not is_added_to:
        raise UsageError(f"-o {args.output}: exists; give another path, or --force to replace it")
