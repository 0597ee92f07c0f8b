"""P2: a time-out at the moment of arrival."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import anyio
import optap
import pytest
import trio
from optap.testing import ScriptedModel, ScriptedRun
from support import expect_settled, soak

pytestmark = [pytest.mark.anyio, pytest.mark.soak]

COUNT = soak(3000, 400)
RATE = soak(2000, 500)
TIMEOUTS = 100
PATIENCE_S = 0.0005

Next = Callable[[], Awaitable[optap.Op]]
Timed = Callable[[Next], Awaitable[optap.Op | None]]


async def by_wait_for(following: Next) -> optap.Op | None:
    try:
        return await asyncio.wait_for(following(), PATIENCE_S)
    except TimeoutError:
        return None


async def by_asyncio_timeout(following: Next) -> optap.Op | None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await following()
    except TimeoutError:
        return None


async def by_move_on_after(following: Next) -> optap.Op | None:
    with anyio.move_on_after(PATIENCE_S):
        return await following()
    return None


async def by_trio_move_on_after(following: Next) -> optap.Op | None:
    with trio.move_on_after(PATIENCE_S):
        return await following()
    return None


async def collect(timed: Timed) -> None:
    """Plays the script until enough time-outs were taken; on a busy machine ops often lie ready."""
    timeouts = 0
    async with ScriptedModel(count=COUNT, rate=RATE) as model:
        while timeouts < TIMEOUTS:
            async with optap.subscribe(model, coalesce=0) as ops:
                run = model.start()
                timeouts += await play(timed, aiter(ops).__anext__)
                timeouts += await play(timed, ops.receive)
                await run
                expect_settled(ops.statistics())
                assert ops.statistics().delivered == COUNT


async def play(timed: Timed, following: Next) -> int:
    """Takes half of the ops, in order, and returns the number of time-outs."""
    timeouts, sequences = 0, []
    while len(sequences) < COUNT // 2:
        op = await timed(following)
        if op is None:
            timeouts += 1
        else:
            sequences.append(op.sequence)
    assert sequences == list(range(sequences[0], sequences[0] + COUNT // 2))
    return timeouts


async def test_move_on_after_loses_nothing() -> None:
    await collect(by_move_on_after)


async def test_the_loops_own_timeouts_lose_nothing(anyio_backend_name: str) -> None:
    own = [by_trio_move_on_after] if anyio_backend_name == "trio" else [by_wait_for, by_asyncio_timeout]
    for timed in own:
        await collect(timed)


async def test_a_consumer_cancelled_at_random_is_replaced_without_loss() -> None:
    chance, cancelled = random.Random(2), 0
    async with ScriptedModel(count=COUNT, rate=RATE) as model:
        while cancelled < TIMEOUTS:
            async with optap.subscribe(model, coalesce=0) as ops:
                cancelled += await replace_consumers(ops, model.start(), chance)
                expect_settled(ops.statistics())


async def replace_consumers(ops: optap.Subscription, run: ScriptedRun, chance: random.Random) -> int:
    """Cancels one consumer after the other until `run` ends, and returns how many."""
    sequences: list[int] = []
    cancelled = 0

    async def consume() -> None:
        async for op in ops:
            sequences.append(op.sequence)

    while not run.is_done():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(consume)
            await anyio.sleep(chance.uniform(0, 0.004))
            tasks.cancel_scope.cancel()
        cancelled += 1
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(consume)
        await anyio.wait_all_tasks_blocked()
        await ops.aclose()
    assert sequences == list(range(COUNT))
    return cancelled
