"""P13: several subscribers on one model, each with its own pace."""

from __future__ import annotations

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_conserved, expect_rising, expect_settled, rest, soak

pytestmark = [pytest.mark.anyio, pytest.mark.soak]

COUNT = soak(50_000, 25_000)
RATE = 20_000
STALL_AT, CLOSE_AT, JOIN_AT = COUNT // 10, COUNT // 2, COUNT * 6 // 10
STALL_S = soak(2000, 500) / 1000


async def stall_and_close(ops: optap.Subscription) -> list[int]:
    seen: list[int] = []
    async for op in ops:
        if len(seen) == STALL_AT:
            await anyio.sleep(STALL_S)
        expect_conserved(ops.statistics()) if len(seen) % 1000 == 0 else None
        seen.append(op.sequence)
        if op.sequence >= CLOSE_AT:
            break
    await ops.aclose()
    return seen


async def test_each_gets_its_own_share_and_account() -> None:
    taken: dict[str, list[int]] = {"block": [], "small": [], "late": []}

    async def patient() -> None:
        async for op in block:
            taken["block"].append(op.sequence)
            if op.sequence == JOIN_AT:
                joined.set()

    async def small_reader() -> None:
        taken["small"] = await stall_and_close(small)

    async def late_reader() -> None:
        await joined.wait()
        async with optap.subscribe(model) as late:
            tasks.start_soon(close_behind, late)
            taken["late"] = [op.sequence for op in await rest(late)]
        accounts.append(late.statistics())

    async def close_behind(ops: optap.Subscription) -> None:
        await run
        await ops.aclose(timeout=30)

    joined, accounts = anyio.Event(), []
    async with (
        ScriptedModel(count=COUNT, rate=RATE) as model,
        optap.subscribe(model, overflow="block") as block,
        optap.subscribe(model, capacity=100) as small,
        anyio.create_task_group() as tasks,
    ):
        run = model.start()
        for reader in (patient, small_reader, late_reader):
            tasks.start_soon(reader)
        await close_behind(block)

    assert taken["block"] == list(range(COUNT))
    assert not any(block.statistics().dropped.values())
    expect_rising(taken["small"])
    expect_settled(small.statistics())
    assert small.statistics().produced < COUNT
    assert small.statistics().dropped["overflow"] > 0
    assert taken["late"] == list(range(taken["late"][0], COUNT))
    assert taken["late"][0] >= JOIN_AT
    expect_settled(accounts[0])
    assert accounts[0].produced == accounts[0].delivered == len(taken["late"])
