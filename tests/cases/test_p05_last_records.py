"""P5: the last records, at a close right behind them."""

from __future__ import annotations

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_settled, soak

pytestmark = [pytest.mark.anyio, pytest.mark.soak, pytest.mark.timeout(300)]

COUNT = 10_000
ROUNDS = soak(200, 15)


async def consume(ops: optap.Subscription, seen: list[int]) -> None:
    async for op in ops:
        seen.append(op.sequence)


async def test_draining_delivers_up_to_the_last_one() -> None:
    async with ScriptedModel(count=COUNT) as model:
        for _ in range(ROUNDS):
            seen: list[int] = []
            with anyio.fail_after(30):
                async with optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
                    tasks.start_soon(consume, ops, seen)
                    await anyio.wait_all_tasks_blocked()
                    await model.run()
                    await ops.aclose(timeout=30)
            account = ops.statistics()
            expect_settled(account)
            assert (account.produced, account.dropped["closed"]) == (COUNT, 0)
            assert seen == list(range(COUNT))


@pytest.mark.parametrize("overflow", ["drop_oldest", "drop_newest", "latest"])
async def test_draining_a_small_queue_accounts_for_each_op(overflow: optap.Overflow) -> None:
    async with ScriptedModel(count=COUNT) as model:
        for _ in range(ROUNDS):
            seen: list[int] = []
            async with (
                optap.subscribe(model, overflow=overflow, capacity=100) as ops,
                anyio.create_task_group() as tasks,
            ):
                tasks.start_soon(consume, ops, seen)
                await anyio.wait_all_tasks_blocked()
                await model.run()
                await ops.aclose(timeout=30)
            account = ops.statistics()
            expect_settled(account)
            assert account.produced == COUNT
            assert account.delivered == len(seen)
            if overflow != "drop_newest":
                assert seen[-1] == COUNT - 1


async def test_without_draining_the_rest_is_counted_at_once() -> None:
    async with ScriptedModel(count=COUNT) as model:
        for _ in range(ROUNDS):
            seen: list[int] = []
            async with optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
                tasks.start_soon(consume, ops, seen)
                await anyio.wait_all_tasks_blocked()
                await model.run()
                with anyio.fail_after(5):
                    await ops.aclose(timeout=0)
            account = ops.statistics()
            expect_settled(account)
            assert account.produced == COUNT
            assert account.dropped["closed"] == COUNT - len(seen)
            assert seen == list(range(len(seen)))
