"""What a full queue does, and how gaps are told."""

from __future__ import annotations

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_settled, play, take, until

pytestmark = pytest.mark.anyio


async def closing(ops: optap.Subscription) -> list[tuple[int, int]]:
    """Sequence and gap of every op left; the gap at the end stands for itself, with -1."""
    left: list[tuple[int, int]] = []

    async def read() -> None:
        async for batch in ops.batches():
            left.extend((op.sequence, op.gap) for op in batch)
            if not len(batch):
                left.append((-1, batch.gap))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await anyio.wait_all_tasks_blocked()
        await ops.aclose()
    return left


@pytest.mark.parametrize(
    ("overflow", "left"),
    [
        ("drop_oldest", [(7, 7), (8, 0), (9, 0)]),
        ("drop_newest", [(0, 0), (1, 0), (2, 0), (-1, 7)]),
        ("latest", [(9, 9)]),
    ],
)
async def test_a_full_queue_drops_by_policy_and_tells_the_gap(
    overflow: optap.Overflow, left: list[tuple[int, int]]
) -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model, overflow=overflow, capacity=3) as ops:
        await play(model, ops)
        assert await closing(ops) == left
        account = ops.statistics()
        assert account.dropped["overflow"] == 10 - account.delivered
        assert account.held_ns == 0


async def test_drop_newest_tells_the_gap_before_the_next_op_it_takes() -> None:
    async with ScriptedModel(count=5) as model, optap.subscribe(model, overflow="drop_newest", capacity=2) as ops:
        await play(model, ops)
        await take(ops, 2)
        await play(model, ops)
        assert [(op.sequence, op.gap) for op in await take(ops, 2)] == [(0, 3), (1, 0)]


async def test_gaps_of_the_source_are_told_where_they_happened() -> None:
    async with ScriptedModel(count=4, gaps={0: 2, 3: 5}) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        assert [(op.sequence, op.gap) for op in await take(ops, 4)] == [(2, 2), (3, 0), (4, 0), (10, 5)]
        account = ops.statistics()
        assert (account.produced, account.dropped["ring"]) == (11, 7)


async def test_gaps_add_up_where_both_source_and_queue_lose() -> None:
    async with ScriptedModel(count=6, gaps={4: 10}) as model, optap.subscribe(model, capacity=1) as ops:
        await play(model, ops)
        op = await ops.receive()
        assert (op.sequence, op.gap) == (15, 15)
        assert ops.statistics().dropped == {"overflow": 5, "ring": 10, "closed": 0, "stalled": 0}


async def test_only_the_first_op_of_a_batch_has_the_gap() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model, capacity=4) as ops:
        await play(model, ops)
        batch = await ops.receive_batch(4)
        assert [op.gap for op in batch] == [6, 0, 0, 0]
        assert batch.gap == 6


async def test_ops_dropped_by_closing_are_the_gap_at_the_end() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        await take(ops, 3)
        await ops.aclose()
        batch = await ops.receive_batch()
        assert (len(batch), batch.gap) == (0, 7)
        with pytest.raises(anyio.EndOfStream):
            await ops.receive_batch()
        assert ops.statistics().dropped["closed"] == 7


async def test_iterating_ends_quietly_at_a_gap() -> None:
    async with ScriptedModel(count=10) as model, optap.subscribe(model, overflow="drop_newest", capacity=2) as ops:
        await play(model, ops)
        await take(ops, 2)
        await ops.aclose()
        assert [op async for op in ops] == []


async def test_block_holds_the_run_until_it_is_read() -> None:
    async with ScriptedModel(count=100) as model, optap.subscribe(model, overflow="block", capacity=10) as ops:
        run = model.start()
        await until(lambda: ops.statistics().in_flight >= 10)
        assert not run.is_done()
        assert [op.sequence for op in await take(ops, 100)] == list(range(100))
        await run
        account = ops.statistics()
        assert account.held_ns > 0
        assert not any(account.dropped.values())


async def test_block_holds_no_other_stream() -> None:
    async with (
        ScriptedModel(count=100) as held,
        ScriptedModel(count=100) as free,
        optap.subscribe(held, overflow="block", capacity=10) as ops,
    ):
        run = held.start()
        await until(lambda: ops.statistics().in_flight >= 10)
        with anyio.fail_after(10):
            await free.run()
        assert not run.is_done()
        run.cancel()
        with pytest.raises(optap.errors.RunCancelledError):
            await run


async def test_closing_lets_a_held_run_go() -> None:
    async with ScriptedModel(count=100) as model, optap.subscribe(model, overflow="block", capacity=10) as ops:
        run = model.start()
        await until(lambda: ops.statistics().in_flight >= 10)
        await ops.aclose()
        with anyio.fail_after(10):
            await run
        expect_settled(ops.statistics())


async def test_cancelling_lets_a_held_run_go() -> None:
    async with ScriptedModel(count=100) as model, optap.subscribe(model, overflow="block", capacity=10) as ops:
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(model.run)
                await until(lambda: ops.statistics().in_flight >= 10)
                tasks.cancel_scope.cancel()


async def test_a_run_awaited_by_its_only_reader_is_let_go() -> None:
    """Nobody reads for 5 s: the run goes on, and what does not fit is counted as stalled."""
    async with ScriptedModel(count=100) as model, optap.subscribe(model, overflow="block", capacity=10) as ops:
        with anyio.fail_after(20):
            await play(model, ops)
        account = ops.statistics()
        assert account.dropped == {"overflow": 0, "ring": 0, "closed": 0, "stalled": 100 - account.in_flight}
        assert account.held_ns >= 5_000_000_000
        assert [op.sequence for op in await take(ops, account.in_flight)] == list(range(account.in_flight))


async def test_a_stalled_subscription_that_is_read_again_blocks_again() -> None:
    async with ScriptedModel(count=100) as model, optap.subscribe(model, overflow="block", capacity=10) as ops:
        with anyio.fail_after(20):
            await play(model, ops)
        await take(ops, ops.statistics().in_flight)
        stalled = ops.statistics().dropped["stalled"]
        run = model.start()
        seen = await take(ops, 100)
        await run
        assert (seen[0].sequence, seen[0].gap) == (0, stalled)
        assert ops.statistics().dropped["stalled"] == stalled
