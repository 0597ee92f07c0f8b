"""A task of asyncio that is asked to end: told by its own count of requests, not by a scope."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import optap
import pytest
from loops import LOOPS
from optap.testing import ScriptedModel

pytestmark = pytest.mark.anyio

COUNT = 20_000


@pytest.fixture(params=LOOPS[:2])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


@asynccontextmanager
async def ready() -> AsyncGenerator[optap.Subscription[optap.Op]]:
    """A subscription whose ops all lie ready."""
    async with ScriptedModel(count=COUNT) as model, optap.subscribe(model) as ops:
        await model.run()
        assert ops.statistics().in_flight == COUNT
        yield ops


async def read(ops: optap.Subscription[optap.Op], cancel_at: int) -> int:
    """How many ops come when the task asks itself to end in the body of one of them."""
    seen = 0
    with suppress(asyncio.CancelledError):
        async for _ in ops:
            seen += 1
            if seen == cancel_at:
                asyncio.current_task().cancel()  # type: ignore[union-attr]
            if not ops.statistics().in_flight:
                break
    return seen


async def test_a_task_that_cancels_itself_gets_no_further_op() -> None:
    async with ready() as ops:
        assert await asyncio.create_task(read(ops, cancel_at=500)) == 500


async def test_a_swallowed_cancellation_leaves_the_reading_fast() -> None:
    async with ready() as ops:

        async def read_on() -> tuple[int, int]:
            before = await read(ops, cancel_at=10)
            turning = asyncio.create_task(turn())
            after = await read(ops, cancel_at=0)
            turning.cancel()
            return before, after

        async def turn() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        turns = 0
        assert await asyncio.create_task(read_on()) == (10, COUNT - 10)
        assert turns < COUNT / 10


async def test_a_time_out_of_the_loop_ends_the_reading_and_leaves_it_good() -> None:
    async with ready() as ops:
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                async for _ in ops:
                    pass
        left = ops.statistics().in_flight
        assert await read(ops, cancel_at=0) == left > 0


async def test_reads_that_always_time_out_at_their_suspension_get_on() -> None:
    """Each read is a task of its own; what the last one was cancelled for is nothing to the next."""
    async with ready() as ops:
        reader, seen, tries = aiter(ops), 0, 0
        while seen < 100:
            tries += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(anext(reader), 1e-9)
                seen += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(0):
                    await anext(reader)
                    seen += 1
            assert tries < 1_000
