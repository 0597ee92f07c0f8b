"""The ways to read: op by op, by batches, as tuples, from a thread."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_settled, play, take, until

pytestmark = pytest.mark.anyio

LABELS = ["name", "type", "kernel"]
TIMES = ["start_ns", "end_ns", "duration_ns"]
IDS = ["model_id", "device_id", "stream_id", "thread_id", "run_id"]
FIELDS = [*LABELS, *TIMES, *IDS, "sequence", "gap"]


async def first_of_batches(ops: optap.Subscription) -> object:
    async for batch in ops.batches():
        return batch
    return None


async def first_of_iteration(ops: optap.Subscription) -> object:
    async for op in ops:
        return op
    return None


async def first_of_tight_batches(ops: optap.Subscription) -> object:
    return await ops.receive_batch(max_records=10, max_age=60)


WAITS = [
    optap.Subscription.receive,
    optap.Subscription.receive_batch,
    first_of_iteration,
    first_of_batches,
    first_of_tight_batches,
]
Wait = Callable[[optap.Subscription], Awaitable[Any]]


async def test_receive_gives_one_op() -> None:
    async with ScriptedModel(count=2, names=["a", "b"]) as model, optap.subscribe(model) as ops:
        await model.run()
        assert [(await ops.receive()).name, (await ops.receive()).name] == ["a", "b"]


async def test_receive_waits_for_an_op_to_come() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        tasks.start_soon(ops.receive)
        await anyio.wait_all_tasks_blocked()
        await model.run()
        await until(lambda: ops.statistics().delivered == 1)


async def test_receive_raises_at_the_end() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops:
        await ops.aclose()
        for wait in (ops.receive, ops.receive_batch):
            with pytest.raises(anyio.EndOfStream):
                await wait()
        with pytest.raises(StopAsyncIteration):
            await anext(ops)
        with pytest.raises(StopAsyncIteration):
            await anext(aiter(ops))


async def test_a_batch_is_all_that_has_come() -> None:
    async with ScriptedModel(count=100) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        seen = []
        while len(seen) < 100:
            seen += list(await ops.receive_batch())
        assert [op.sequence for op in seen] == list(range(100))


async def test_a_batch_holds_at_most_max_records() -> None:
    async with ScriptedModel(count=100) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        assert [len(await ops.receive_batch(30)) for _ in range(4)] == [30, 30, 30, 10]


async def test_a_batch_waits_for_max_records_and_joins_blocks() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        batches: list[optap.Batch] = []

        async def read() -> None:
            batches.append(await ops.receive_batch(30, max_age=60))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            for _ in range(3):
                await anyio.wait_all_tasks_blocked()
                assert not batches
                await play(model, ops)
        assert [op.sequence for op in batches[0]] == list(range(10)) * 3


async def test_a_batch_waits_no_longer_than_max_age() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        with anyio.fail_after(10):
            assert len(await ops.receive_batch(30, max_age=0.01)) == 10


async def test_max_age_counts_from_the_first_op() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        tasks.start_soon(ops.receive_batch, 2, 0.001)
        await anyio.sleep(0.05)
        assert ops.statistics().delivered == 0
        await model.run()
        await until(lambda: ops.statistics().delivered == 1)


async def test_batches_iterates_until_the_end() -> None:
    lengths: list[int] = []

    async def read() -> None:
        async for batch in ops.batches(max_records=40, max_age=0.01):
            lengths.append(len(batch))

    async with ScriptedModel(count=100) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await anyio.wait_all_tasks_blocked()
        await model.run()
        await ops.aclose()
    assert sum(lengths) == 100
    assert max(lengths) <= 40
    expect_settled(ops.statistics())


async def test_fields_give_tuples_in_the_order_asked_for() -> None:
    async with (
        ScriptedModel(count=3, names=["a", "b"], types=["T"], times_ns=[(5, 9)], gaps={1: 4}) as model,
        optap.subscribe(model, fields=["duration_ns", "name", "type", "gap", "sequence"]) as ops,
    ):
        await model.run()
        assert await take(ops, 3) == [(4, "a", "T", 0, 0), (4, "b", "T", 4, 5), (4, "a", "T", 0, 6)]


@pytest.mark.parametrize("field", FIELDS)
async def test_each_field_is_the_attribute_of_the_op(field: str) -> None:
    async with (
        ScriptedModel(count=3, names=["a", "b"], streams=[3], times_ns=[(5, 9), (0, 0)], gaps={1: 4}) as model,
        optap.subscribe(model) as whole,
        optap.subscribe(model, fields=[field]) as chosen,
    ):
        await model.run()
        assert [(getattr(op, field),) for op in await take(whole, 3)] == await take(chosen, 3)


async def test_the_field_flags_is_an_int() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model, fields=["flags"]) as ops:
        await model.run()
        ((flags,),) = await take(ops, 1)
        assert flags == 1 << 5


async def test_a_thread_reads_with_a_plain_for() -> None:
    seen: list[int] = []

    def read() -> None:
        for op in ops:
            seen.append(op.sequence)
            if op.sequence == 99:
                return

    async with ScriptedModel(count=100, rate=5000) as model, optap.subscribe(model) as ops:
        model.start()
        with anyio.fail_after(10):
            await anyio.to_thread.run_sync(read)
    assert seen == list(range(100))


async def test_closing_ends_the_loop_of_a_thread() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops:
        thread = threading.Thread(target=lambda: list(ops))
        thread.start()
        await model.run()
        await until(lambda: ops.statistics().delivered == 1)
        await ops.aclose()
        await anyio.to_thread.run_sync(thread.join, 5)
        assert not thread.is_alive()


async def test_closing_lets_a_thread_that_iterates_take_the_rest() -> None:
    seen: list[int] = []
    release = threading.Event()

    def read() -> None:
        for op in ops:
            seen.append(op.sequence)
            release.wait(5)

    async with ScriptedModel(count=50) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, read)
        await model.run()
        await until(lambda: seen)
        release.set()
        await ops.aclose()
    assert seen == list(range(50))


async def test_a_with_block_closes_for_sync_code() -> None:
    async with ScriptedModel(count=3) as model:
        with optap.subscribe(model) as ops:
            await model.run()
            assert next(ops).sequence == 0
        expect_settled(ops.statistics())
        assert ops.statistics().dropped["closed"] == 2


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("second", WAITS)
async def test_a_second_reader_is_refused_at_each_wait(wait: Wait, second: Wait) -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        tasks.start_soon(wait, ops)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(anyio.BusyResourceError):
            await second(ops)
        tasks.cancel_scope.cancel()


async def test_two_tasks_cannot_share_one_wait() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        reader = aiter(ops)
        wait = anext(reader)
        taken: list[int] = []

        async def first() -> None:
            taken.append((await wait).sequence)

        tasks.start_soon(first)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(anyio.BusyResourceError):
            await wait
        await model.run()
    assert taken == [0]


async def test_an_error_thrown_into_an_idle_reader_is_raised_as_given() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops:
        for given in ([ValueError("told")], [ValueError, "told"], [ValueError, ValueError("told"), None]):
            with pytest.raises(ValueError, match="told"):
                aiter(ops).__anext__().throw(*given)  # type: ignore[attr-defined]


@pytest.mark.parametrize("wait", WAITS)
async def test_a_cancelled_wait_loses_nothing(wait: Wait) -> None:
    async with ScriptedModel(count=20) as model, optap.subscribe(model) as ops:
        for _ in range(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait, ops)
                await anyio.wait_all_tasks_blocked()
                tasks.cancel_scope.cancel()
        await model.run()
        assert [op.sequence for op in await take(ops, 20)] == list(range(20))


@pytest.mark.parametrize("wait", WAITS)
async def test_a_wait_cancelled_before_it_begins_takes_nothing(wait: Wait) -> None:
    async with ScriptedModel(count=5) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        with anyio.CancelScope() as scope:
            scope.cancel()
            await wait(ops)
        assert scope.cancelled_caught
        assert ops.statistics().delivered == 0


@pytest.mark.parametrize("wait", WAITS)
async def test_cancelling_as_ops_arrive_loses_nothing(wait: Wait) -> None:
    """The cancellation and the wake-up land in the same step of the loop."""
    async with ScriptedModel(count=1) as model, optap.subscribe(model, coalesce=0) as ops:
        for _ in range(50):
            taken: list[Any] = []

            async def read(taken: list[Any] = taken) -> None:
                taken.append(await wait(ops))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read)
                await anyio.wait_all_tasks_blocked()
                before = ops.statistics()
                await play(model, ops)
                tasks.cancel_scope.cancel()
            account = ops.statistics()
            assert account.delivered - before.delivered == len(taken)
            if account.in_flight:
                await take(ops, account.in_flight)
        assert ops.statistics().delivered == 50


@pytest.mark.parametrize("wait", WAITS)
async def test_closing_ends_each_wait(wait: Wait) -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops:
        ended: list[object] = []

        async def read() -> None:
            try:
                ended.append(await wait(ops))
            except anyio.EndOfStream as end:
                ended.append(end)

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read)
                await anyio.wait_all_tasks_blocked()
                await ops.aclose()
        assert len(ended) == 1
