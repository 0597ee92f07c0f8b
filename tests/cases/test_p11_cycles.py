"""P11: ten thousand cycles of subscribe, run, read, close."""

from __future__ import annotations

import gc

import anyio
import optap
import pytest
from leaks import Census, resident_bytes
from optap.testing import ScriptedModel
from support import expect_settled, soak, take, until_names_are

pytestmark = [pytest.mark.anyio, pytest.mark.soak, pytest.mark.timeout(600)]

CYCLES = soak(10_000, 600)
STRETCH = CYCLES // 10
GROWTH_BYTES = 10 << 20


async def unknown_model(model: ScriptedModel) -> None:
    with pytest.raises(TypeError):
        optap.subscribe([model, "unknown"])


async def refused(model: ScriptedModel) -> None:
    with pytest.raises(ValueError, match="capacity"):
        optap.subscribe(model, capacity=0)


async def cancelled(model: ScriptedModel) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        async with optap.subscribe(model) as ops:
            await ops.receive()
    assert scope.cancelled_caught


FAILURES = (unknown_model, refused, cancelled)


async def cycle(model: ScriptedModel) -> None:
    async with optap.subscribe(model, coalesce=0) as ops:
        await model.run()
        assert [op.sequence for op in await take(ops, 10)] == list(range(10))
    expect_settled(ops.statistics())


async def test_cycles_leave_nothing_behind() -> None:
    async with ScriptedModel(count=10) as model:
        await cycle(model)
        base, resident = Census.take(), 0
        for number in range(CYCLES):
            await (FAILURES[number // 5 % 3] if number % 5 == 4 else cycle)(model)
            if (number + 1) % STRETCH == 0:
                await anyio.sleep(0.01)  # The loop holds the frames of its last cancellation until its next turn.
                base.expect_again(limit_s=1)
                resident = resident or resident_bytes()
        gc.collect()
        assert resident_bytes() - resident < GROWTH_BYTES


async def test_cycles_of_fresh_models_leave_no_name_behind() -> None:
    names = optap._core.name_table()[0]
    for number in range(STRETCH):
        async with ScriptedModel(count=10, names=[f"{number}/{index}" for index in range(10)]) as model:
            await cycle(model)
        del model

    await until_names_are(names)
