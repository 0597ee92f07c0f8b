"""Streams and events of the async API alone; what they share with pyACL is in `tests/runtime`."""

import contextvars
import resource
import threading
import time

import anyio
import optap
import pytest
from optap.errors import AbortedError, HandleError, InvalidArgumentError, OpError, OptapError, SyncTimeoutError
from support import until

pytestmark = pytest.mark.anyio

WAITERS = 10_000
DESCRIPTORS = 1_024


async def test_launches_are_numbered_and_late_waits_are_time_outs() -> None:
    gate = threading.Event()
    async with optap.open_device(0) as device:
        stream, event = device.create_stream(), device.create_event()
        assert [stream.launch(gate.wait, 10) for _ in range(3)] == [0, 1, 2]
        stream.record(event)
        for late, code in ((stream.synchronize(0.01), 507046), (event.wait(0.01), 507047)):
            with pytest.raises(SyncTimeoutError) as caught:
                await late
            assert isinstance(caught.value, TimeoutError)
            assert caught.value.code == code
        gate.set()
        await event.wait()
        assert 0 < event.timestamp_ns <= time.monotonic_ns()


async def test_a_launched_function_sees_the_launchers_context_and_keywords() -> None:
    who, seen = contextvars.ContextVar("who", default="nobody"), []
    async with optap.open_device(0) as device:
        stream = device.create_stream()
        who.set("launcher")
        stream.launch(lambda *args, **kwargs: seen.append((who.get(), args, kwargs)), 1, two=2)
        who.set("later")
        await stream.synchronize()
    assert seen == [("launcher", (1,), {"two": 2})]


async def test_an_exception_is_the_streams_failure_once_and_later_work_runs() -> None:
    seen = []

    def fail() -> None:
        raise ValueError("on purpose")

    async with optap.open_device(0) as device:
        stream = device.create_stream()
        stream.launch(fail)
        stream.launch(seen.append, "later")
        with pytest.raises(OpError, match="on purpose") as caught:
            await stream.synchronize()
        assert isinstance(caught.value.__cause__, ValueError)
        assert seen == ["later"]
        await stream.synchronize()


async def test_an_event_without_a_recording_has_no_time_and_cannot_be_waited_for_by_a_stream() -> None:
    async with optap.open_device(0) as device:
        event = device.create_event()
        await event.wait()
        told = rf"event {event.event_id} marks no point; mark one with stream\.record"
        with pytest.raises(HandleError, match=told):
            _ = event.timestamp_ns
        reached, stream = device.create_event(), device.create_stream()
        stream.record(reached)
        await reached.wait()
        for measure in (lambda: event.elapsed_ns(reached), lambda: reached.elapsed_ns(event)):
            with pytest.raises(HandleError, match=told):
                measure()
        with pytest.raises(InvalidArgumentError):
            device.create_stream().wait(event)


async def ten_thousand_waits() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, hard))
    gate, begun, woken = threading.Event(), [], []
    try:
        async with optap.open_device(0) as device:
            stream = device.create_stream()
            stream.launch(gate.wait, 30)
            events = [device.create_event() for _ in range(WAITERS)]
            for event in events:
                stream.record(event)
            threads = threading.active_count()

            async def wait(event: optap.Event) -> None:
                begun.append(event)
                await event.wait()
                woken.append(event)

            async with anyio.create_task_group() as tasks:
                for event in events:
                    tasks.start_soon(wait, event)
                await until(lambda: len(begun) == WAITERS, limit_s=20)
                assert threading.active_count() == threads
                gate.set()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(woken) == WAITERS


@pytest.mark.parametrize("options", [{}, {"use_uvloop": True}, None], ids=["asyncio", "uvloop", "trio"])
def test_ten_thousand_tasks_wait_for_events_on_few_descriptors_and_threads(options: dict[str, bool] | None) -> None:
    """Without asyncio's debug mode, which keeps a traceback of each of the many calls."""
    anyio.run(ten_thousand_waits, backend="trio" if options is None else "asyncio", backend_options=options)


async def test_a_cancelled_wait_leaves_the_others_waiting() -> None:
    gate = threading.Event()
    async with optap.open_device(0) as device:
        stream, event = device.create_stream(), device.create_event()
        stream.launch(gate.wait, 10)
        stream.record(event)
        async with anyio.create_task_group() as tasks:
            scopes = [anyio.CancelScope() for _ in range(3)]

            async def wait(scope: anyio.CancelScope) -> None:
                with scope:
                    await event.wait()

            for scope in scopes:
                tasks.start_soon(wait, scope)
            await anyio.wait_all_tasks_blocked()
            scopes[0].cancel()
            await anyio.wait_all_tasks_blocked()
            gate.set()
        assert [scope.cancelled_caught for scope in scopes] == [True, False, False]


async def test_an_aborted_stream_wakes_who_waits_and_takes_nothing_more() -> None:
    gate = threading.Event()
    async with optap.open_device(0) as device:
        stream, event = device.create_stream(), device.create_event()
        stream.launch(gate.wait, 10)
        stream.record(event)
        async with anyio.create_task_group() as tasks:

            async def wait() -> None:
                with pytest.raises(AbortedError):
                    await event.wait()

            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            stream.abort()
        with pytest.raises(AbortedError):
            stream.launch(int)
        gate.set()


async def test_device_memory_is_copied_in_stream_order() -> None:
    async with optap.open_device(0) as device:
        stream, source, target = device.create_stream(), device.allocate(8), device.allocate(8)
        source.write(b"12345678")
        stream.copy(target, source)
        await stream.synchronize()
        assert target.read() == b"12345678"
        assert target.read(3, 2) == b"345"
        assert (len(target), target.size_bytes, target.address % 64) == (8, 8, 0)
        with pytest.raises(InvalidArgumentError):
            target.write(b"123", 6)
        stream.copy(device.allocate(4), source)
        with pytest.raises(OptapError):
            await stream.synchronize()
        info = device.memory_info()
        assert 0 < info.free_bytes < info.total_bytes
