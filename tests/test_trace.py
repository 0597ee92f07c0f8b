"""Chrome traces and Arrow columns: names and times of cases P8 and P9 survive both."""

import json

import nanoarrow
import optap
import pytest
from optap.testing import ScriptedModel
from support import play

pytestmark = pytest.mark.anyio

LONG = "x" * 300
NAMES = [
    "",
    'quote"',
    "back\\slash",
    "new\nline",
    "\x01",
    "汉" * 90,
    "😀",
    "\udcff",
    LONG + "a",
    LONG + "b",
    "y" * 10_000,
]
TIMES_NS = [(0, 0), (5, 0), (10, 4), (7, 7), (2**63, 2**63 + 5), (2**64 - 1, 0), (1_000, 2_500)]


async def batch_of(**script) -> optap.Batch:
    async with ScriptedModel(**script) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        return await ops.receive_batch(script["count"])


def events(path) -> list[dict]:
    told = json.loads(path.read_text("utf-8"))
    return [event for event in told if event["ph"] in "Xi"]


async def test_any_name_comes_through_a_trace(tmp_path) -> None:
    path = tmp_path / "trace.json"
    batch = await batch_of(count=len(NAMES), names=NAMES, times_ns=[(1_000, 2_500)])
    with optap.ChromeTraceWriter(path) as trace:
        trace.write(batch)
    told = [event["name"] for event in events(path)]
    assert told == [name if name != "\udcff" else "\ufffd" for name in NAMES]


async def test_no_slice_of_a_trace_is_negative_or_giant(tmp_path) -> None:
    path = tmp_path / "trace.json"
    batch = await batch_of(count=len(TIMES_NS), times_ns=TIMES_NS)
    with optap.ChromeTraceWriter(path) as trace:
        trace.write(batch)
        skipped = trace.skipped
    told = events(path)
    assert len(told) + skipped == len(TIMES_NS)
    slices = [event for event in told if event["ph"] == "X"]
    assert sorted(event["dur"] for event in slices) == [0, 0.005, 1.5]


async def test_a_gap_is_an_event_of_the_trace(tmp_path) -> None:
    path = tmp_path / "trace.json"
    batch = await batch_of(count=1, times_ns=[(1_000, 2_500)], gaps={0: 7})
    assert batch.gap == 7
    with optap.ChromeTraceWriter(path) as trace:
        trace.write(batch)
    assert any("7" in event["name"] for event in events(path))


async def test_a_closed_trace_refuses_and_a_bad_path_is_an_os_error(tmp_path) -> None:
    trace = optap.ChromeTraceWriter(tmp_path / "trace.json")
    trace.close()
    trace.close()
    with pytest.raises(ValueError, match="closed"):
        trace.write(await batch_of(count=1))
    with pytest.raises(OSError, match="directory"):
        optap.ChromeTraceWriter(tmp_path)


async def test_columns_hold_what_the_ops_hold() -> None:
    batch = await batch_of(count=len(TIMES_NS), names=NAMES[:3], types=["T"], times_ns=TIMES_NS)
    columns = nanoarrow.Array(batch)
    names = [field.name for field in columns.schema.fields]
    rows = {name: columns.child(index).to_pylist() for index, name in enumerate(names)}
    assert rows["duration_ns"] == [op.duration_ns for op in batch]
    assert rows["start_ns"] == [op.start_ns for op in batch]
    assert rows["sequence"] == [op.sequence for op in batch]
    assert columns.n_children == len(names) == 16
