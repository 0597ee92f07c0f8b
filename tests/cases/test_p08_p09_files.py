"""P8 and P9 through every file: names of any text, and times that cannot be."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import optap
import pytest
from files import batch, records, written
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from test_p08_names import NAMES
from test_p09_times import CASES, DURATIONS_NS, TIMES_NS

EXACT = {"parquet": "x.parquet", "folder": "lake", "arrow": "x.arrow", "prof": "profiles"}
"""Formats that keep every byte and every time."""
FOLDERS = {"folder": "parquet", "prof": "prof"}
SHOWN = {"chrome": "x.json", "msprof-json": "m.json", "perfetto": "x.pftrace", "csv": "x.csv"}
"""Formats that show text."""
SLICES_NS = sorted(duration for duration in DURATIONS_NS if duration is not None)


def named() -> optap.Batch:
    return batch(records(len(NAMES), op_id=np.arange(len(NAMES)) + 1), NAMES)


def timed() -> optap.Batch:
    array = records(len(CASES))
    array["start_ns"], array["end_ns"] = np.array(TIMES_NS, "u8").T
    array["flags"] = [{"time_zero": 1 << 6, "time_reversed": 1 << 7, None: 0}[reason] for _, _, reason in CASES]
    return batch(array)


def shown(name: str) -> str:
    """What a viewer is shown of a name."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def chrome(path: Path) -> list[tuple[str, int]]:
    events = [event for event in json.loads(path.read_bytes()) if event["ph"] == "X"]
    return [(event["name"], round(event["dur"] * 1_000)) for event in events]


def msprof(path: Path) -> list[tuple[str, int]]:
    events = [event for event in json.loads(path.read_bytes()) if event["ph"] == "X" and "Task Type" in event["args"]]
    return [(event["name"], round(event["dur"] * 1_000)) for event in events]


def perfetto(path: Path) -> list[tuple[str, int]]:
    trace, names, begun, slices = Trace(), {}, {}, []
    trace.ParseFromString(path.read_bytes())
    for packet in trace.packet:
        names |= {one.iid: one.name for one in packet.interned_data.event_names}
        event = packet.track_event
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            begun.setdefault(event.track_uuid, []).append((names.get(event.name_iid, event.name), packet.timestamp))
        elif event.type == TrackEvent.TYPE_SLICE_END:
            name, start_ns = begun[event.track_uuid].pop()
            slices.append((name, packet.timestamp - start_ns))
    return slices


def op_summary(path: Path) -> list[tuple[str, int]]:
    rows = csv.DictReader(path.read_text("utf-8").splitlines())
    return [(row["Op Name"], round(float(row["Task Duration(us)"]) * 1_000)) for row in rows]


SLICES: dict[str, Callable[[Path], list[tuple[str, int]]]] = {
    "chrome": chrome,
    "msprof-json": msprof,
    "perfetto": perfetto,
    "csv": op_summary,
}


@pytest.mark.parametrize("to", EXACT)
def test_any_name_comes_back_from_a_file_byte_by_byte(to: str, tmp_path: Path) -> None:
    read = written(named(), tmp_path / EXACT[to], FOLDERS.get(to))
    assert [(op.name, op.type, op.kernel) for op in read] == [(name,) * 3 for name in NAMES]
    assert read.damages == ()


@pytest.mark.parametrize("to", EXACT)
def test_impossible_times_come_back_as_they_were(to: str, tmp_path: Path) -> None:
    read = written(timed(), tmp_path / EXACT[to], FOLDERS.get(to))
    told = {op.sequence: ((op.start_ns, op.end_ns), op.duration_ns) for op in read}
    assert told == dict(enumerate(zip(TIMES_NS, DURATIONS_NS, strict=True)))
    reasons = {op.sequence: op.flags & {"time_zero", "time_reversed"} for op in read}
    assert reasons == {number: {reason} - {None} for number, (_, _, reason) in enumerate(CASES)}


@pytest.mark.parametrize(("to", "name"), [("msprof-db", "x.db"), ("msprof-json", "m.json"), ("chrome", "x.json")])
def test_a_name_comes_back_as_it_is_shown(to: str, name: str, tmp_path: Path) -> None:
    read = written(named(), tmp_path / name, to)
    assert [op.name for op in read] == [shown(name) for name in NAMES]
    assert read.damages == ()


@pytest.mark.parametrize(("to", "name"), [("msprof-db", "x.db"), ("msprof-json", "m.json"), ("csv", "x.csv")])
def test_what_is_read_has_the_durations_that_were_written(to: str, name: str, tmp_path: Path) -> None:
    exported = optap.export(timed(), tmp_path / name, to)
    told = [op.duration_ns for op in optap.read(exported.path)]
    assert len(told) == exported.records
    assert set(told) <= set(SLICES_NS)


@pytest.mark.parametrize("to", SHOWN)
def test_no_name_breaks_a_file_that_shows_it(to: str, tmp_path: Path) -> None:
    optap.export(named(), tmp_path / SHOWN[to], to)
    told = [name for name, _ in SLICES[to](tmp_path / SHOWN[to])]
    if to == "csv":  # one line an op, so control characters are spelled out
        assert len(told) == len(NAMES)
        assert told[-2:] == NAMES[-2:]
    else:
        assert told == [shown(name) for name in NAMES]


@pytest.mark.parametrize("to", SHOWN)
def test_no_slice_of_a_file_is_negative_or_giant(to: str, tmp_path: Path) -> None:
    exported = optap.export(timed(), tmp_path / SHOWN[to], to)
    told = sorted(duration for _, duration in SLICES[to](tmp_path / SHOWN[to]))
    assert told == SLICES_NS
    assert exported.records + exported.skipped == len(CASES)


def test_sums_of_the_tables_leave_impossible_times_out(tmp_path: Path) -> None:
    optap.export(timed(), tmp_path / "tables", "csv")
    (row,) = csv.DictReader((tmp_path / "tables" / "op_statistic.csv").read_text().splitlines())
    assert (row["Count"], row["Total Time(us)"], row["Min Time(us)"]) == ("3", "0.015", "0.0")
