"""`optap diff`: which operators became slower or faster."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from optap._text import duration, printable
from optap.cli.export import read_inputs
from optap.cli.failure import FAILED, OK, tell
from optap.cli.table import Columns, width_of
from optap.comparison import Change, Comparison, Verdict, compare

__all__ = ("diff",)

_ROWS = 30
_HEADINGS = ("before", "after", "change", "in all", "p", "verdict")
_WORDS: tuple[Verdict, ...] = ("slower", "faster", "new", "gone", "unclear", "same")


def diff(args: argparse.Namespace) -> int:
    """Print what changed between the inputs of `args`; `FAILED` where something is slower than is allowed.

    Raises:
        UsageError: There is no such file.
        FailedError: Nothing of an input can be read.
    """
    before, after = read_inputs([args.before]), read_inputs([args.after])
    told = compare(before, after, args.by, min_change=args.min_change)
    slower = [] if args.fail_above is None else told.slower_than(args.fail_above)
    print(_json(told, slower) if args.json else _text(args, told))
    if slower:
        names = ", ".join(f"{printable(one.name)} {one.change:+.1%}" for one in slower[:3])
        tell(f"{len(slower)} slower by more than {args.fail_above:.1%}: {names}{', …' if len(slower) > 3 else ''}")
    return FAILED if slower else OK


def _json(told: Comparison, slower: Sequence[Change]) -> str:
    failed = [one.name for one in slower]
    return json.dumps(
        {"run": told.run and _row(told.run), "failed": failed, "changes": [*map(_row, told.changes)]}, indent=2
    )


def _row(change: Change) -> dict[str, Any]:
    return {**asdict(change), "impact_ns": change.impact_ns}


def _text(args: argparse.Namespace, told: Comparison) -> str:
    width = width_of(sys.stdout)
    limit = _ROWS if args.limit is None and width is not None else args.limit or None
    shown = [one for one in told.changes if args.all or one.verdict not in ("same", "unclear")]
    rows = [*([told.run] if told.run else []), *shown[:limit]]
    texts = ("operator", "type") if args.by == "name" else ("type",)
    lines = [(*(printable(one.name), printable(one.type))[: len(texts)], *_cells(one)) for one in rows]
    table = Columns((*texts, *_HEADINGS), lines, len(texts)).fit(width)
    return "\n".join([table.text(), "", _summed_up(told, len(shown), limit)])


def _cells(change: Change) -> tuple[str, ...]:
    has_both = change.count_before and change.count_after
    sides = ((change.count_before, change.before_ns), (change.count_after, change.after_ns))
    medians = (duration(ns) if count else "-" for count, ns in sides)
    sign = "-" if change.impact_ns < 0 else "+"
    told = (f"{change.change:+.1%}", f"{sign}{duration(abs(change.impact_ns))}", f"{change.p:.2g}")
    return *medians, *(told if has_both else ("-", told[1], "-")), change.verdict


def _summed_up(told: Comparison, shown: int, limit: int | None) -> str:
    counts = Counter(one.verdict for one in told.changes)
    words = ", ".join(f"{counts[word]:,} {word}" for word in _WORDS if counts[word])
    hidden = f" ({shown - limit:,} more not shown)" if limit and shown > limit else ""
    return f"medians; {words or 'no operators'}{hidden}"
