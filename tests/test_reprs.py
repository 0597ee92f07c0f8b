"""What objects say of themselves: what they are, which one, and where they stand."""

from __future__ import annotations

import threading

import models
import numpy as np
import optap
import pytest
from optap.testing import ScriptedModel

pytestmark = pytest.mark.anyio


async def test_a_device_says_whether_it_is_open() -> None:
    async with optap.open_device(0) as device:
        assert repr(device) == "<Device 0, open>"
        assert repr(device.allocate(64)).startswith("<DeviceBuffer of 64 bytes at 0x")
    assert repr(device) == "<Device 0, closed>"


async def test_a_model_and_its_run_say_what_they_are() -> None:
    gate = threading.Event()
    async with optap.open_device(0) as device:
        model, stream = await device.load_model(models.chain(1, (1,)), name="one"), device.create_stream()
        assert repr(model) == f"<Model 'one', id {model.model_id}, on device 0>"
        stream.launch(gate.wait, 10)
        run = model.start(np.zeros(1, np.float32), stream=stream)
        told = f"<Run {run.run_id} of model 'one' on stream {stream.stream_id}"
        assert repr(run) == f"{told}, running>"
        gate.set()
        await run
        assert repr(run) == f"{told}, done>"


async def test_a_stream_and_an_event_say_where_they_stand() -> None:
    gate = threading.Event()
    async with optap.open_device(0) as device:
        stream, event = device.create_stream(), device.create_event()
        assert repr(stream) == f"<Stream {stream.stream_id}, idle>"
        assert repr(event) == f"<Event {event.event_id}, marks no point>"
        stream.launch(gate.wait, 10)
        stream.record(event)
        assert repr(stream) == f"<Stream {stream.stream_id}, busy>"
        assert repr(event) == f"<Event {event.event_id}, not reached yet>"
        gate.set()
        await stream.synchronize()
        assert repr(event) == f"<Event {event.event_id}, reached>"
        stream.abort()
        assert repr(stream) == f"<Stream {stream.stream_id}, ended>"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (optap.where(type="Conv"), 'where(type="Conv")'),
        (optap.where(name=["a*", "b\n"]), 'where(name=["a*", "b\\n"])'),
        (optap.where(stream=3, min_duration_ns=5), "(where(stream=3) & where(min_duration_ns=5))"),
        (optap.where(kind=["op", "mark"]) | ~optap.where(type="A"), '(where(kind=["op", "mark"]) | ~where(type="A"))'),
        (optap.where(), "where()"),
    ],
)
async def test_a_condition_is_spelt_as_it_was_written(condition: optap.Filter, told: str) -> None:
    assert repr(condition) == told
    assert repr(eval(told, {"where": optap.where})) == told


async def test_a_script_and_its_run_say_what_they_are(tmp_path) -> None:
    async with ScriptedModel(count=3, name="three") as model:
        assert repr(model) == f"<ScriptedModel 'three', id {model.model_id}, 3 ops a run>"
        run = model.start()
        await run
        assert repr(run) == f"<ScriptedRun {run.run_id}, done>"
    with optap.ChromeTraceWriter(tmp_path / "t.json") as trace:
        assert repr(trace) == f'<ChromeTraceWriter to "{tmp_path}/t.json">'


async def test_a_subscription_says_to_what_and_how_it_stands() -> None:
    async with ScriptedModel(count=3, name="three") as model, optap.subscribe(model) as ops:
        assert repr(ops) == "<Subscription to ScriptedModel 'three', open>"
        ops.close()
        assert repr(ops) == "<Subscription to ScriptedModel 'three', closed>"
