"""P3: a slow consumer, under every policy."""

from __future__ import annotations

import random
from typing import Any

import anyio
import optap
import pytest
from leaks import resident_bytes
from optap.testing import ScriptedModel
from support import expect_conserved, expect_settled, soak

pytestmark = [pytest.mark.anyio, pytest.mark.soak]

COUNT = soak(100_000, 20_000)
CAPACITY = 1000
GROWTH_BYTES = 48 << 20
"""What rings and blocks may take, whatever the number of ops."""


async def consume(ops: optap.Subscription, checks: int = 50) -> list[tuple[int, int]]:
    """Reads slowly; returns sequence and gap of each op, and of the gap at the end."""
    moments = set(random.Random(3).sample(range(COUNT), checks))
    seen = []
    while (batch := await next_batch(ops)) is not None:
        for op in batch:
            seen.append((op.sequence, op.gap))
            if len(seen) in moments:
                expect_conserved(ops.statistics())
            if len(seen) % 100 == 0:
                await anyio.sleep(0.01)
        if not len(batch):
            seen.append((COUNT, batch.gap))
    return seen


async def next_batch(ops: optap.Subscription) -> optap.Batch | None:
    try:
        return await ops.receive_batch(100)
    except anyio.EndOfStream:
        return None


async def play(overflow: optap.Overflow) -> tuple[list[tuple[int, int]], optap.Statistics]:
    """A run at full speed beside a slow consumer."""
    before = resident_bytes()
    async with (
        ScriptedModel(count=COUNT) as model,
        optap.subscribe(model, overflow=overflow, capacity=CAPACITY) as ops,
        anyio.create_task_group() as tasks,
    ):
        seen = await start_consumer(tasks, ops)
        await model.run()
        await ops.aclose(timeout=30)
    account = ops.statistics()
    expect_settled(account)
    assert account.produced == COUNT
    assert sum(gap for _, gap in seen) == sum(account.dropped.values())
    expect_no_hidden_hole(seen)
    assert resident_bytes() - before < GROWTH_BYTES
    return seen, account


def expect_no_hidden_hole(seen: list[tuple[int, int]]) -> None:
    """Each gap stands right after the ops that are missing."""
    following = 0
    for sequence, gap in seen:
        assert sequence == following + gap, f"op {sequence} hides a hole after {following - 1}"
        following = sequence + 1


async def start_consumer(tasks: Any, ops: optap.Subscription) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []

    async def fill() -> None:
        seen.extend(await consume(ops))

    tasks.start_soon(fill)
    await anyio.wait_all_tasks_blocked()
    return seen


@pytest.mark.parametrize("overflow", ["drop_oldest", "latest"])
async def test_the_newest_op_arrives(overflow: optap.Overflow) -> None:
    seen, account = await play(overflow)
    assert seen[-1][0] == COUNT - 1
    assert account.dropped["overflow"] == sum(account.dropped.values()) > 0


async def test_drop_newest_keeps_the_first_ops() -> None:
    seen, account = await play("drop_newest")
    assert [sequence for sequence, _ in seen[:CAPACITY]] == list(range(CAPACITY))
    assert account.dropped["overflow"] == sum(account.dropped.values()) > 0


async def test_block_drops_nothing_and_tells_the_delay() -> None:
    seen, account = await play("block")
    assert [sequence for sequence, _ in seen] == list(range(COUNT))
    assert not any(account.dropped.values())
    assert account.held_ns > 0
