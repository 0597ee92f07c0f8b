"""Operators of the async API that fail, hang or cannot be scripted, by `optap.testing.fail_op` and `OPTAP_FAULTS`."""

import anyio
import models
import numpy as np
import optap
import pytest
from optap.errors import InvalidArgumentError, OpError, RunCancelledError
from optap.testing import fail_op
from support import until

pytestmark = pytest.mark.anyio

CHAIN = models.chain(3, (8,))
GIVEN = np.ones(8, np.float32)
HANGS = 20


async def test_awaiting_a_run_raises_what_its_operator_is_made_to_say() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(CHAIN)
        fail_op(model.model_id, "node1")
        with pytest.raises(OpError, match=r"operator 'node1' \(Relu\) failed: it was asked to") as caught:
            await model.run(GIVEN)
        assert caught.value.code == 507011
        assert list(await model.run(GIVEN)) == ["y"]


async def test_cancelling_ends_a_hang_and_the_next_run_goes_on() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(CHAIN)
        fail_op(model.model_id, "node1", kind="hang")
        async with optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
            tasks.start_soon(model.run, GIVEN)
            await until(lambda: ops.statistics().produced == 1)
            tasks.cancel_scope.cancel()
        assert tasks.cancel_scope.cancelled_caught
        await model.run(GIVEN)


async def test_more_hangs_than_workers_hold_nobody_else_and_tell_that_they_were_cancelled() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(CHAIN)
        for at_run in range(1, HANGS + 1):
            fail_op(model.model_id, "node1", at_run=at_run, kind="hang")
        async with optap.subscribe(model) as ops:
            runs = [model.start(GIVEN) for _ in range(HANGS)]
            await until(lambda: ops.statistics().produced == HANGS)
            await model.run(GIVEN)
        assert not any(run.is_done() for run in runs)
        for run in runs:
            run.cancel()
            with pytest.raises(RunCancelledError, match="before operator 'node1'"):
                await run


async def test_leaving_the_device_ends_a_hang() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(CHAIN)
        fail_op(model.model_id, "node2", kind="hang")
        run = model.start(GIVEN)
    assert run.is_done()


@pytest.mark.parametrize("item", ["node1", "node1@0:error", "node1@1:late", "@:"])
async def test_faults_that_cannot_be_understood_are_named_when_a_model_is_loaded(
    monkeypatch: pytest.MonkeyPatch, item: str
) -> None:
    monkeypatch.setenv("OPTAP_FAULTS", f"other@1:nan, {item}")
    async with optap.open_device(0) as device:
        with pytest.raises(InvalidArgumentError, match=f"OPTAP_FAULTS is '{item}', expected name@run:kind"):
            await device.load_model(CHAIN)
