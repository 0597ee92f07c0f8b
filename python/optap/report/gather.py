"""What a report tells of ops, as the page's data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optap._source import Source, batches_of, is_table
from optap.batch import Batch
from optap.report.chart import bars
from optap.report.labels import Labels, Numbers, shown
from optap.report.ops import OP, Ops, packed
from optap.report.runs import Runs
from optap.report.spans import MARK, RANGE, STEP, Spans
from optap.report.tables import Tables

__all__ = ("Report", "gather")

_OP = 0
_MOST_LABELS = 20_000
_MOST_LANES = 256
_MOST_SPANS = 50_000
_MOST_DAMAGES = 200


def gather(source: Source, max_ops: int) -> Report:
    """The report of `source`: the ranges and steps of a table are known ahead of its ops."""
    report = Report(max_ops)
    if is_table(source):
        for batch in source.batches():
            report.tables.know_spans(batch)
    for batch in batches_of(source):
        report.add(batch)
    return report


class Report:
    """Everything that one pass over the batches gives."""

    def __init__(self, max_ops: int) -> None:
        self.tables = Tables()
        self._ops = Ops(max_ops)
        self._runs = Runs()
        self._labels = Labels(_MOST_LABELS)
        self._lanes = Numbers(_MOST_LANES)
        self._spans = {
            "ranges": Spans(RANGE, _MOST_SPANS),
            "steps": Spans(STEP, _MOST_SPANS),
            "marks": Spans(MARK, _MOST_SPANS),
        }
        self._bounds: tuple[int, int] | None = None

    def add(self, batch: Batch) -> None:
        """Count the ops of `batch`, and take its ranges, steps and marks."""
        self.tables.add(batch)
        records = batch.array
        for spans in self._spans.values():
            spans.add(batch, records)
        is_timed = (records["start_ns"] > 0) & (records["end_ns"] >= records["start_ns"])
        records = records[(records["kind"] == _OP) & is_timed]
        if len(records):
            self._bounds = _around([self._bounds, (int(records["start_ns"].min()), int(records["end_ns"].max()))])
            ops = self._columns(batch, records)
            self._ops.add(ops)
            self._runs.add(ops)

    def told(self, source: Any, title: str = "") -> dict[str, Any]:
        """All that the page shows, as JSON takes it."""
        zero_ns, end_ns = _around([self._bounds, *(spans.bounds() for spans in self._spans.values())]) or (0, 0)
        lanes, runs = self._lane_names(), self._runs.sorted()
        return {
            "title": shown(title) or _title(source),
            "optap": version("optap"),
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "began": _wall_clock(source, zero_ns),
            "took": end_ns - zero_ns,
            "streams": len(lanes),
            "lanes": lanes,
            "names": self._labels.pairs(),
            "ops": packed(self._ops.sorted(), len(lanes), zero_ns),
            "density": self._ops.density.told(zero_ns),
            **{kind: spans.told(zero_ns) for kind, spans in self._spans.items()},
            "chart": bars(self.tables.steps(), runs),
            "damages": _damages(source),
            "notes": self._notes(),
            **self.tables.told(),
        }

    def _columns(self, batch: Batch, records: NDArray[np.void]) -> NDArray[np.void]:
        ops = np.empty(len(records), OP)
        ops["start"] = records["start_ns"]
        ops["duration"] = records["end_ns"] - records["start_ns"]
        ops["run"] = records["run_id"]
        ops["label"] = self._labels.of(records["op_id"], batch)
        streams = records["device_id"].astype(np.uint64) << np.uint64(32) | records["stream_id"]
        distinct, inverse = np.unique(streams, return_inverse=True)
        ops["lane"] = np.array([self._lanes[one] for one in distinct.tolist()], np.uint32)[inverse]
        return ops

    def _lane_names(self) -> list[str]:
        names = [f"device {one >> 32} stream {one & 0xFFFFFFFF}" for one in self._lanes.keys]
        return [*names, "(other streams)"] if self._lanes.is_full else names

    def _notes(self) -> list[str]:
        notes = [
            f"The timeline leaves out the {spans.left_out:,} shortest {kind}."
            for kind, spans in self._spans.items()
            if spans.left_out
        ]
        if self._ops.left_out:
            notes.append(
                f"The timeline shows the longest ops one by one; the {self._ops.left_out:,} shortest ones are drawn as "
                "grey hills: the share of time that they took. All other figures are of all ops."
            )
        if self._runs.is_cut:
            notes.append("The chart shows the first 100,000 runs.")
        return notes


def _around(bounds: Sequence[tuple[int, int] | None]) -> tuple[int, int] | None:
    """The first start and the last end of all that there are."""
    told = [one for one in bounds if one is not None]
    return (min(first for first, _ in told), max(last for _, last in told)) if told else None


def _title(source: Any) -> str:
    sources = getattr(source, "sources", ())
    return shown(", ".join(one.name for one in sources[:3])) or "Operators"


def _wall_clock(source: Any, time_ns: int) -> str | None:
    anchor = getattr(source, "anchor", None)
    if anchor is None or not time_ns:
        return None
    seconds, rest_ns = divmod(time_ns - anchor.monotonic_ns + anchor.unix_ns, 1_000_000_000)
    try:
        instant = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return f"{instant:%Y-%m-%d %H:%M:%S}.{rest_ns // 1_000_000:03} UTC"


def _damages(source: Any) -> dict[str, Any]:
    damages = getattr(source, "damages", ())
    rows = [[shown(str(one.path)), one.offset_bytes, one.bytes, shown(one.reason)] for one in damages[:_MOST_DAMAGES]]
    return {"count": len(damages), "rows": rows}
