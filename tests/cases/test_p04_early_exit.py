"""P4: leaving the loop body early."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Awaitable, Callable

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_settled, until

pytestmark = pytest.mark.anyio

COUNT = 100_000
RATE = 5000
WARNING = "subscription to ScriptedModel 'watched' was never closed"


class BodyError(Exception):
    """What a loop body raises."""


async def by_break(ops: optap.Subscription) -> None:
    async for op in ops:
        if op.sequence >= 10:
            break


async def by_return(ops: optap.Subscription) -> int:
    async for op in ops:
        if op.sequence >= 10:
            return op.sequence
    raise AssertionError("the stream ended early")


async def by_error(ops: optap.Subscription) -> None:
    with contextlib.suppress(BodyError):
        async for op in ops:
            if op.sequence >= 10:
                raise BodyError


async def by_cancellation(ops: optap.Subscription) -> None:
    with anyio.CancelScope() as scope:
        async for op in ops:
            if op.sequence >= 10:
                scope.cancel()
    assert scope.cancelled_caught


async def by_break_with_the_iterator_held(ops: optap.Subscription) -> None:
    iterator = aiter(ops)
    async for op in iterator:
        if op.sequence >= 10:
            break
    assert (await anext(iterator)).sequence > 10


EXITS = [by_break, by_return, by_error, by_cancellation, by_break_with_the_iterator_held]
Exit = Callable[[optap.Subscription], Awaitable[object]]


@pytest.mark.parametrize("leave", EXITS)
async def test_the_block_closes_what_the_body_left(leave: Exit) -> None:
    async with ScriptedModel(count=COUNT, rate=RATE) as model:
        model.start()
        async with optap.subscribe(model) as ops:
            await leave(ops)
        account = ops.statistics()
        expect_settled(account)
        await anyio.sleep(0.01)
        assert ops.statistics() == account, "ops were counted after the block was left"


@pytest.mark.parametrize("leave", EXITS)
async def test_without_a_block_the_last_reference_closes_and_warns(leave: Exit, unclosed: list[str]) -> None:
    async with ScriptedModel(count=COUNT, rate=RATE, name="watched") as model:
        model.start()
        await leave(optap.subscribe(model))
        await until(lambda: gc.collect() >= 0 and unclosed, limit_s=1)
        assert unclosed == [WARNING]


async def test_another_task_may_drop_the_last_reference(unclosed: list[str]) -> None:
    held: list[optap.Subscription] = []

    async def subscribe() -> None:
        held.append(optap.subscribe(model))
        await by_break(held[0])

    async def drop() -> None:
        held.clear()

    async with ScriptedModel(count=COUNT, rate=RATE, name="watched") as model:
        model.start()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(subscribe)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(drop)
        await until(lambda: unclosed, limit_s=1)
        assert unclosed == [WARNING]


@pytest.mark.parametrize("leave", EXITS)
async def test_another_task_may_hold_the_block(leave: Exit) -> None:
    async with ScriptedModel(count=COUNT, rate=RATE) as model:
        model.start()
        async with optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
            tasks.start_soon(leave, ops)
        expect_settled(ops.statistics())
