"""An endless source and an empty loop body leave the loop to others."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import optap
import pytest
from anyio.lowlevel import checkpoint
from optap.testing import ScriptedModel
from support import until

pytestmark = pytest.mark.anyio

ENDLESS = 1 << 60


async def ops_by_iteration(ops: optap.Subscription) -> None:
    async for _ in ops:
        pass


async def ops_by_receive(ops: optap.Subscription) -> None:
    while True:
        await ops.receive()


async def ops_by_anext(ops: optap.Subscription) -> None:
    while True:
        await anext(ops)


async def ops_by_batches(ops: optap.Subscription) -> None:
    async for _ in ops.batches():
        pass


async def ops_by_small_batches(ops: optap.Subscription) -> None:
    async for _ in ops.batches(max_records=2):
        pass


Consume = Callable[[optap.Subscription], Awaitable[None]]
CONSUMERS = [ops_by_iteration, ops_by_receive, ops_by_anext, ops_by_batches, ops_by_small_batches]


@pytest.fixture(params=["drop_oldest", "block"])
def overflow(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("consume", CONSUMERS)
async def test_a_ticker_goes_on_ticking(consume: Consume, overflow: optap.Overflow) -> None:
    async with (
        ScriptedModel(count=ENDLESS) as model,
        optap.subscribe(model, overflow=overflow) as ops,
        anyio.create_task_group() as tasks,
    ):
        model.start()
        tasks.start_soon(consume, ops)
        with anyio.fail_after(20):
            for _ in range(50):
                await anyio.sleep(0.001)
        assert ops.statistics().delivered > 0
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("consume", CONSUMERS)
async def test_a_time_out_ends_the_iteration(consume: Consume, overflow: optap.Overflow) -> None:
    async with ScriptedModel(count=ENDLESS) as model, optap.subscribe(model, overflow=overflow) as ops:
        model.start()
        with anyio.move_on_after(0.05) as scope:
            await consume(ops)
        assert scope.cancelled_caught
        with pytest.raises(TimeoutError):
            with anyio.fail_after(0.05):
                await consume(ops)


@pytest.mark.parametrize("consume", CONSUMERS)
async def test_a_pending_cancellation_is_heeded_at_once(consume: Consume) -> None:
    async with ScriptedModel(count=20_000) as model, optap.subscribe(model) as ops:
        await model.run()
        before = ops.statistics()
        with anyio.CancelScope() as scope:
            scope.cancel()
            await consume(ops)
        assert scope.cancelled_caught
        assert ops.statistics().delivered == before.delivered


async def test_two_readers_side_by_side_both_get_on(overflow: optap.Overflow) -> None:
    async with (
        ScriptedModel(count=ENDLESS) as model,
        optap.subscribe(model, overflow=overflow) as one,
        optap.subscribe(model, overflow=overflow) as two,
        anyio.create_task_group() as tasks,
    ):
        model.start()
        tasks.start_soon(ops_by_iteration, one)
        tasks.start_soon(ops_by_iteration, two)
        await until(lambda: min(one.statistics().delivered, two.statistics().delivered) > 20_000, limit_s=20)
        tasks.cancel_scope.cancel()


async def test_awaiting_runs_leaves_the_loop_to_others() -> None:
    """Each await of a run suspends, though the run may be over before; trio shuffles who comes next, but one turn."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await checkpoint()

    async with ScriptedModel(count=1) as model, anyio.create_task_group() as tasks:
        tasks.start_soon(count)
        for _ in range(200):
            before = turns
            await model.run()
            await model.run()
            assert turns > before
        tasks.cancel_scope.cancel()


async def test_a_slow_body_gives_way_within_a_single_block() -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await checkpoint()

    async with ScriptedModel(count=20) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        await model.run()
        assert ops.statistics().in_flight == 20
        tasks.start_soon(count_turns)
        async for op in ops:
            busy_until = time.monotonic() + 0.0015
            while time.monotonic() < busy_until:
                pass
            if op.sequence == 19:
                break
        assert turns >= 19
        tasks.cancel_scope.cancel()


async def test_ops_that_lie_ready_are_read_without_suspensions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one block as of many: only every 4,096th op and each millisecond may suspend."""
    suspensions = 0
    suspended = optap.Subscription._suspended

    async def count(self: optap.Subscription, *arguments: Any) -> Any:
        nonlocal suspensions
        suspensions += 1
        return await suspended(self, *arguments)

    monkeypatch.setattr(optap.Subscription, "_suspended", count)
    async with ScriptedModel(count=10_000) as model, optap.subscribe(model) as ops:
        await model.run()
        assert ops.statistics().in_flight == 10_000
        async for op in ops:
            if op.sequence == 9_999:
                break
    assert suspensions < 1_000
