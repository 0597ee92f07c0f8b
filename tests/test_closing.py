"""`aclose`, `close`, and leaving the block."""

from __future__ import annotations

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_settled, play, rest, take, until

pytestmark = pytest.mark.anyio


async def test_aclose_lets_an_iterating_task_take_the_rest() -> None:
    seen: list[int] = []

    async def read() -> None:
        async for op in ops:
            seen.append(op.sequence)
            if len(seen) % 100 == 0:
                await anyio.sleep(0.001)

    async with ScriptedModel(count=5000) as model, optap.subscribe(model) as ops:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            await model.run()
            await ops.aclose()
        assert seen == list(range(5000))
        assert ops.statistics().dropped["closed"] == 0
        expect_settled(ops.statistics())


async def test_aclose_with_a_receiving_task_delivers_the_rest() -> None:
    seen: list[int] = []

    async def read() -> None:
        while True:
            try:
                seen.append((await ops.receive()).sequence)
            except anyio.EndOfStream:
                return

    async with ScriptedModel(count=500) as model, optap.subscribe(model) as ops:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            await model.run()
            await ops.aclose()
        assert seen == list(range(500))


async def test_aclose_without_a_reader_drops_the_rest_at_once() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        with anyio.fail_after(2):
            await ops.aclose(timeout=60)
        assert ops.statistics().dropped["closed"] == 10
        expect_settled(ops.statistics())


async def test_aclose_by_the_only_reader_drops_the_rest_at_once() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        with anyio.fail_after(2):
            async for _ in ops:
                await ops.aclose(timeout=60)
        assert ops.statistics().delivered == 1
        assert ops.statistics().dropped["closed"] == 9


async def test_aclose_drops_the_rest_at_the_deadline() -> None:
    async def read() -> None:
        async for _ in ops:
            await anyio.sleep_forever()

    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await play(model, ops)
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(5):
            await ops.aclose(timeout=0.05)
        assert ops.statistics().delivered == 1
        assert ops.statistics().dropped["closed"] == 9
        tasks.cancel_scope.cancel()


async def test_a_cancelled_aclose_has_closed() -> None:
    async def read() -> None:
        async for _ in ops:
            await anyio.sleep_forever()

    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await play(model, ops)
        await anyio.wait_all_tasks_blocked()
        with anyio.move_on_after(0.05):
            await ops.aclose(timeout=60)
        expect_settled(ops.statistics())
        assert await rest(ops) == []
        tasks.cancel_scope.cancel()


async def test_nothing_is_admitted_once_aclose_has_begun() -> None:
    async def read() -> None:
        async for _ in ops:
            await anyio.sleep(0.001)

    async with ScriptedModel(count=100) as model, optap.subscribe(model) as ops:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await play(model, ops)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(ops.aclose)
            await anyio.wait_all_tasks_blocked()
            await model.run()
        assert ops.statistics().produced == ops.statistics().delivered == 100


async def test_records_still_in_the_rings_are_flushed_first() -> None:
    async with ScriptedModel(count=1000) as model:
        for _ in range(20):
            async with optap.subscribe(model) as ops:
                await model.run()
            assert ops.statistics().produced == 1000


async def test_leaving_the_block_waits_for_no_reader() -> None:
    async def read() -> None:
        async for _ in ops:
            await anyio.sleep_forever()

    async with ScriptedModel(count=10) as model, anyio.create_task_group() as tasks:
        with anyio.fail_after(2):
            async with optap.subscribe(model) as ops:
                tasks.start_soon(read)
                await play(model, ops)
                await until(lambda: ops.statistics().delivered == 1)
        assert ops.statistics().dropped["closed"] == 9
        tasks.cancel_scope.cancel()


async def test_leaving_the_block_by_an_error_closes_and_lets_it_through() -> None:
    async with ScriptedModel(count=10) as model:
        ops = optap.subscribe(model)

        async def fail() -> None:
            async with ops:
                await play(model, ops)
                raise ValueError("mine")

        with pytest.raises(ValueError, match="mine"):
            await fail()
        assert ops.statistics().dropped["closed"] == 10


async def test_leaving_the_block_by_cancellation_closes() -> None:
    async with ScriptedModel(count=10) as model:
        with anyio.CancelScope() as scope:
            async with optap.subscribe(model) as ops:
                await play(model, ops)
                scope.cancel()
                await anyio.sleep_forever()
        assert ops.statistics().dropped["closed"] == 10


async def test_closing_again_changes_nothing() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        await take(ops, 4)
        await ops.aclose()
        account = ops.statistics()
        ops.close()
        await ops.aclose()
        await ops.aclose(timeout=0)
        assert ops.statistics() == account
    assert ops.statistics() == account


async def test_closing_at_the_same_time_is_harmless() -> None:
    async def read() -> None:
        async for _ in ops:
            await anyio.sleep(0.001)

    async with ScriptedModel(count=50) as model, optap.subscribe(model) as ops:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await play(model, ops)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(ops.aclose)
            tasks.start_soon(ops.aclose)
        assert ops.statistics().delivered == 50


async def test_close_from_a_thread_ends_the_iteration() -> None:
    async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops:
        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(rest, ops)
                await anyio.wait_all_tasks_blocked()
                await anyio.to_thread.run_sync(ops.close)


async def test_statistics_can_be_read_after_the_target_is_gone() -> None:
    async with ScriptedModel(count=3) as model, optap.subscribe(model) as ops:
        await model.run()
    del model
    assert ops.statistics().produced == 3
