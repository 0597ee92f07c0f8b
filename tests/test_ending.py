"""A subscription ends with what it listens to."""

from __future__ import annotations

import anyio
import numpy as np
import optap
import pytest
from models import chain
from optap.testing import ScriptedModel

pytestmark = pytest.mark.anyio


async def test_it_ends_with_its_device_and_the_rest_can_be_read() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(chain(3, [2], "Tanh"))
        ops = optap.subscribe(model)
        await model.run(np.ones(2, np.float32))
    assert len([op async for op in ops]) == 3
    ops.close()


async def test_a_waiting_reader_ends_with_the_device() -> None:
    async def read(ops: optap.Subscription[optap.Op]) -> None:
        with ops:
            async for op in ops:
                raise AssertionError(op)

    async with anyio.create_task_group() as tasks, optap.open_device(0) as device:
        tasks.start_soon(read, optap.subscribe(device))
        await anyio.wait_all_tasks_blocked()


async def test_it_goes_on_until_the_last_device_is_left() -> None:
    async with optap.open_device(0) as outer:
        model = await outer.load_model(chain(3, [2], "Tanh"))
        async with optap.open_device(0) as inner:
            ops = optap.subscribe([await inner.load_model(chain(2, [2], "Tanh")), model])
        await model.run(np.ones(2, np.float32))
        assert [(await ops.receive()).sequence for _ in range(3)] == [0, 1, 2]
    with pytest.raises(anyio.EndOfStream):
        await ops.receive()
    ops.close()


async def test_it_ends_with_its_script() -> None:
    async with ScriptedModel(count=3) as model:
        ops = optap.subscribe(model)
        await model.run()
    assert len([op async for op in ops]) == 3
    ops.close()
