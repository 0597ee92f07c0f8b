"""Streams: order, time-outs, aborts."""

import threading

import pytest
from driver import ABORTED, STREAM_LATE

pytestmark = pytest.mark.anyio


async def test_tasks_of_a_stream_run_in_order(open_runtime):
    seen = []
    async with open_runtime() as runtime:
        stream = runtime.create_stream()
        assert [runtime.launch(stream, seen.append, number) for number in range(100)] == [0] * 100
        assert await runtime.synchronize(stream) == 0
        assert runtime.is_done(stream)
    assert seen == list(range(100))


async def test_streams_run_beside_each_other(open_runtime):
    met = threading.Barrier(2, timeout=10)
    async with open_runtime() as runtime:
        for stream in (runtime.create_stream(), runtime.create_stream()):
            assert runtime.launch(stream, met.wait) == 0
        assert await runtime.synchronize_all(10_000) == 0
    assert not met.broken


async def test_a_synchronisation_that_times_out_can_be_repeated(open_runtime):
    gate = threading.Event()
    async with open_runtime() as runtime:
        stream = runtime.create_stream()
        assert runtime.launch(stream, gate.wait, 10) == 0
        assert await runtime.synchronize(stream, 10) == STREAM_LATE
        assert not runtime.is_done(stream)
        assert await runtime.synchronize_all(10) == STREAM_LATE
        gate.set()
        assert await runtime.synchronize(stream) == 0
        assert runtime.is_done(stream)


async def test_an_aborted_stream_drops_what_waits_and_takes_nothing_more(open_runtime):
    gate, seen = threading.Event(), []
    async with open_runtime() as runtime:
        stream, event = runtime.create_stream(), runtime.create_event()
        assert runtime.launch(stream, gate.wait, 10) == 0
        assert runtime.launch(stream, seen.append, "dropped") == 0
        assert runtime.record(stream, event) == 0
        assert runtime.abort(stream) == 0
        assert await runtime.reach(event) == ABORTED
        refused = [runtime.launch(stream, seen.append, "refused"), runtime.record(stream, event)]
        assert [*refused, await runtime.synchronize(stream)] == [ABORTED] * 3
        gate.set()
    assert seen == []
