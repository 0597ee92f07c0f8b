"""`optap stats`: where the time of a profile went."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from optap.cli.export import read_inputs
from optap.cli.table import plain_table, width_of
from optap.summary import Summary, SummaryRow

if TYPE_CHECKING:
    from optap.table import OpTable

__all__ = ("stats",)

_ROWS = 30


def stats(args: argparse.Namespace) -> int:
    """Print the table that `args` ask for.

    Raises:
        UsageError: There is no such file.
        FailedError: Nothing of it can be read.
    """
    table = read_inputs(args.inputs)
    summary = Summary.of(table, by=args.by)
    rows = summary.rows(sort=args.sort or ("name" if args.by == "step" else "total"))
    if args.json:
        print(json.dumps(_told(table, summary, rows), indent=2))
    elif args.csv:
        _write_csv(rows)
    else:
        _print(table, summary, rows, args.limit)
    return 0


def _print(table: OpTable, summary: Summary, rows: Sequence[SummaryRow], limit: int | None) -> None:
    width = width_of(sys.stdout)
    limit = _ROWS if limit is None and width is not None else limit or None
    print(plain_table(rows, summary.by, limit, width))
    untimed = sum(row.untimed for row in rows)
    counts = ((summary.lost, "lost while recording"), (untimed, "without a valid duration"))
    told = [f"{summary.records:,} ops", *(f"{count:,} {what}" for count, what in counts if count)]
    damages = len(table.damages)
    told += [f"{damages:,} damaged part{'s' if damages > 1 else ''} of files left out"] if damages else []
    print(f"\n{', '.join(told)}")


def _told(table: OpTable, summary: Summary, rows: Sequence[SummaryRow]) -> dict[str, Any]:
    damages = [{**one._asdict(), "path": str(one.path)} for one in table.damages]
    told = {"by": summary.by, "records": summary.records, "lost": summary.lost, "damages": damages}
    return {**told, "rows": [asdict(row) for row in rows]}


def _write_csv(rows: Sequence[SummaryRow]) -> None:
    names = [field.name for field in fields(SummaryRow)]
    writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
