"""A pending cancellation is met by the next read, also where every op lies ready and nothing suspends."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager

import anyio
import optap
import pytest
from optap.testing import ScriptedModel

pytestmark = pytest.mark.anyio

COUNT = 20_000


@asynccontextmanager
async def ready(count: int = COUNT) -> AsyncGenerator[optap.Subscription[optap.Op]]:
    """A subscription whose ops all lie ready."""
    async with ScriptedModel(count=count) as model, optap.subscribe(model) as ops:
        await model.run()
        assert ops.statistics().in_flight == count
        yield ops


@pytest.mark.parametrize("depth", [0, 1, 3])
async def test_a_scope_cancelled_in_the_body_ends_the_loop_before_the_next_op(depth: int) -> None:
    async with ready() as ops:
        seen = 0
        with anyio.CancelScope() as scope, ExitStack() as inner:
            for _ in range(depth):
                inner.enter_context(anyio.CancelScope())
            async for _ in ops:
                seen += 1
                if seen == 1_000:
                    scope.cancel()
        assert (seen, scope.cancelled_caught) == (1_000, True)
        assert ops.statistics().delivered == 1_000


@pytest.mark.parametrize("cancel_at", [1, 2, 49])
async def test_so_does_one_in_the_only_block_that_there_is(cancel_at: int) -> None:
    async with ready(count=50) as ops:
        seen = 0
        with anyio.CancelScope() as scope:
            async for _ in ops:
                seen += 1
                if seen == cancel_at:
                    scope.cancel()
        assert (seen, scope.cancelled_caught) == (cancel_at, True)


async def test_a_task_group_cancelled_in_the_body_ends_the_loop_of_its_child() -> None:
    async with ready() as ops:
        seen = 0

        async def read() -> None:
            nonlocal seen
            async for _ in ops:
                seen += 1
                if seen == 777:
                    tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
        assert seen == 777


async def test_a_scope_around_a_single_read_is_heeded() -> None:
    async with ready() as ops:
        reader = aiter(ops)
        for _ in range(10):
            await anext(reader)
        with anyio.CancelScope() as scope:
            scope.cancel()
            await anext(reader)
        assert scope.cancelled_caught
        assert (await anext(reader)).sequence == 10


async def test_a_shield_keeps_the_loop_going() -> None:
    async with ready() as ops:
        seen = 0
        with anyio.CancelScope() as outer, anyio.CancelScope(shield=True):
            async for _ in ops:
                seen += 1
                if seen == 100:
                    outer.cancel()
                if seen == COUNT:
                    break
        assert seen == COUNT


async def test_batches_and_single_reads_heed_it_too() -> None:
    async with ready() as ops:
        batches = ops.batches(max_records=10)
        assert [len(await anext(batches)), (await ops.receive()).sequence] == [10, 10]
        for read in (ops.receive, batches.__anext__, ops.receive_batch):
            with anyio.CancelScope() as scope:
                scope.cancel()
                await read()
            assert scope.cancelled_caught
        assert ops.statistics().delivered == 11
