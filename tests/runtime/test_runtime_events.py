"""Events: points on streams, before, while and after they are reached."""

import threading

import pytest
from driver import EVENT_LATE

pytestmark = pytest.mark.anyio

NOT_RECORDED, NOT_REACHED, NOTHING_TO_WAIT_FOR = 507000, 107006, 107000


async def test_an_event_is_a_point_on_its_stream(open_runtime):
    gate = threading.Event()
    async with open_runtime() as runtime:
        stream, before, after = runtime.create_stream(), runtime.create_event(), runtime.create_event()
        assert runtime.record(stream, before) == 0
        assert runtime.launch(stream, gate.wait, 10) == 0
        assert runtime.record(stream, after) == 0
        assert await runtime.reach(before) == 0
        assert (runtime.is_reached(before), runtime.is_reached(after)) == (True, False)
        assert runtime.elapsed_ms(before, after) == (0.0, NOT_REACHED)
        assert await runtime.reach(after, 10) == EVENT_LATE
        gate.set()
        assert await runtime.reach(after) == 0
        elapsed_ms, code = runtime.elapsed_ms(before, after)
        assert (code, elapsed_ms >= 0) == (0, True)
        assert runtime.elapsed_ms(after, before) == (-elapsed_ms, 0)


async def test_an_idle_stream_is_at_the_point_at_once(open_runtime):
    async with open_runtime() as runtime:
        stream, event = runtime.create_stream(), runtime.create_event()
        for _ in range(100):
            assert runtime.record(stream, event) == 0
            assert runtime.is_reached(event)
            assert runtime.is_done(stream)
            assert runtime.elapsed_ms(event, event) == (0.0, 0)
        assert await runtime.reach(event) == 0


async def test_an_unrecorded_event_holds_nobody_and_has_no_time(open_runtime):
    async with open_runtime() as runtime:
        event = runtime.create_event()
        assert runtime.is_reached(event)
        assert [await runtime.reach(event), await runtime.reach(event, 10)] == [0, 0]
        assert runtime.wait(runtime.create_stream(), event) == NOTHING_TO_WAIT_FOR
        assert runtime.elapsed_ms(event, event) == (0.0, NOT_RECORDED)


async def test_a_stream_waits_for_an_event_of_another(open_runtime):
    gate, seen = threading.Event(), []
    async with open_runtime() as runtime:
        first, second, event = runtime.create_stream(), runtime.create_stream(), runtime.create_event()
        assert runtime.launch(first, gate.wait, 10) == 0
        assert runtime.launch(first, seen.append, "first") == 0
        assert runtime.record(first, event) == 0
        assert runtime.wait(second, event) == 0
        assert runtime.launch(second, seen.append, "second") == 0
        assert not runtime.is_done(second)
        gate.set()
        assert await runtime.synchronize(second) == 0
    assert seen == ["first", "second"]


async def test_a_second_recording_leaves_earlier_waits_at_the_first(open_runtime):
    gates = [threading.Event(), threading.Event()]
    async with open_runtime() as runtime:
        held, waiting = ([runtime.create_stream(), runtime.create_stream()] for _ in range(2))
        event = runtime.create_event()
        for gate, stream, waiter in zip(gates, held, waiting, strict=True):
            assert runtime.launch(stream, gate.wait, 10) == 0
            assert runtime.record(stream, event) == 0
            assert runtime.wait(waiter, event) == 0
        gates[0].set()
        assert await runtime.synchronize(waiting[0]) == 0
        assert (runtime.is_reached(event), runtime.is_done(waiting[1])) == (False, False)
        gates[1].set()
        assert await runtime.synchronize(waiting[1]) == 0


async def test_an_event_may_go_while_a_stream_waits_for_it(open_runtime):
    gate = threading.Event()
    async with open_runtime() as runtime:
        first, second, events = runtime.create_stream(), runtime.create_stream(), [runtime.create_event()]
        assert runtime.launch(first, gate.wait, 10) == 0
        assert runtime.record(first, events[0]) == 0
        assert runtime.wait(second, events[0]) == 0
        runtime.forget(events)
        assert not runtime.is_done(second)
        gate.set()
        assert await runtime.synchronize(second) == 0
