"""Numbers out of range: each is told with its parameter, its value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import anyio
import models
import numpy as np
import optap
import pytest
from optap import _core
from optap.errors import HandleError
from optap.testing import ScriptedModel

pytestmark = pytest.mark.anyio

HUGE = 10**5000
WHOLE = [-1, 1 << 64, HUGE]
SECONDS = [-1, -math.inf, math.nan]


def shown(value: float) -> str:
    return "many digits" if value == HUGE else f"={value} must"


@pytest.mark.parametrize("value", WHOLE, ids=["negative", "large", "huge"])
@pytest.mark.parametrize("name", ["capacity", "max_records", "min_duration_ns", "stream", "size_bytes", "shape"])
async def test_a_whole_number_out_of_range_is_named(name: str, value: int) -> None:
    async with optap.open_device(0) as device, ScriptedModel(count=1) as script, optap.subscribe(script) as ops:
        model = await device.load_model(models.chain(1, ("N",)))
        uses: dict[str, Callable[[], Any]] = {
            "capacity": lambda: optap.subscribe(script, capacity=value),
            "max_records": lambda: ops.batches(max_records=value),
            "min_duration_ns": lambda: optap.where(min_duration_ns=value),
            "stream": lambda: optap.where(stream=[1, value]),
            "size_bytes": lambda: device.allocate(value),
            "shape": lambda: model.ops((value,)),
        }
        with pytest.raises(ValueError, match=f"{name}.*{shown(value)}"):
            uses[name]()


@pytest.mark.parametrize("value", SECONDS)
async def test_a_time_out_out_of_range_is_named(value: float) -> None:
    async with optap.open_device(0) as device, ScriptedModel(count=1) as script, optap.subscribe(script) as ops:
        stream, event = device.create_stream(), device.create_event()
        waits: list[Callable[[], Any]] = [
            lambda: stream.synchronize(value),
            lambda: event.wait(timeout=value),
            lambda: device.synchronize(value),
            lambda: ops.aclose(value),
        ]
        for wait in waits:
            with pytest.raises(ValueError, match=f"timeout={value} must be 0 seconds or more"):
                await wait()
        for take in (lambda: ops.batches(max_age=value), lambda: ops.receive_batch(max_age=value)):
            with pytest.raises(ValueError, match=f"max_age={value} must be 0 seconds or more"):
                await take()
        with pytest.raises(ValueError, match=f"(?i)coalesce={value} must lie between 0 and 60"):
            optap.subscribe(script, coalesce=value)


@pytest.mark.parametrize("value", [None, math.inf, 1e300, 10**400])
async def test_a_wait_without_an_end_is_allowed(value: float | None) -> None:
    async with optap.open_device(0) as device:
        stream, event = device.create_stream(), device.create_event()
        stream.record(event)
        await event.wait(value)
        await stream.synchronize(value)
        await device.synchronize(value)


@pytest.mark.parametrize("value", [-1, math.nan])
async def test_the_core_refuses_the_same(value: float) -> None:
    async with optap.open_device(0) as device:
        pending = device.create_stream()._core.drained()
        with pytest.raises(ValueError, match="timeout"):
            pending.wait(value)
        assert pending.wait(math.inf)
        with pytest.raises(ValueError, match="timeout"):
            _core.shutdown(value)


async def test_an_offset_is_told_with_the_size_of_the_buffer() -> None:
    async with optap.open_device(0) as device:
        buffer = device.allocate(8)
        for use in (
            lambda: buffer.read(offset_bytes=9),
            lambda: buffer.read(-1),
            lambda: buffer.read(9),
            lambda: buffer.write(b"x", -1),
        ):
            with pytest.raises(ValueError, match=r"_bytes=.* must lie between 0 and 8"):
                use()
        buffer.write(np.arange(4, dtype=np.uint8), offset_bytes=4)
        assert buffer.read(offset_bytes=4) == bytes(range(4))
        assert buffer.read(0, 8) == b""


@pytest.mark.parametrize("device_id", [-1, 1 << 70])
async def test_a_device_that_no_number_can_name_is_not_there(device_id: int) -> None:
    with pytest.raises(HandleError, match=f"device {device_id} does not exist; the ids are 0 to"):
        async with optap.open_device(device_id):
            pass


async def test_a_word_for_a_number_is_named() -> None:
    async with ScriptedModel(count=1) as script:
        with pytest.raises(TypeError, match="capacity must be a whole number, not str"):
            optap.subscribe(script, capacity="many")
        with pytest.raises(TypeError, match="min_duration_ns must be a whole number, not float"):
            optap.where(min_duration_ns=1.5)


async def test_a_rate_may_be_as_slow_as_it_likes() -> None:
    async with ScriptedModel(count=3, rate=1e-300) as script, optap.subscribe(script) as ops:
        run = script.start()
        assert (await ops.receive()).sequence == 0
        run.cancel()
        with anyio.fail_after(10), pytest.raises(optap.OptapError):
            await run


async def test_one_text_is_no_list_of_fields() -> None:
    async with ScriptedModel(count=1) as script:
        with pytest.raises(ValueError, match=r"fields='type' is one text; give a tuple: fields=\('type',\)"):
            optap.subscribe(script, fields="type")
        with pytest.raises(ValueError, match='no field "nmae"; it has name'):
            optap.subscribe(script, fields=["nmae"])


async def test_a_condition_is_not_nested_without_an_end() -> None:
    condition = optap.where(type="Conv")
    for _ in range(1000):
        condition = condition & optap.where(name="a*")
    with pytest.raises(ValueError, match="nested"):
        negate(condition, 1000)


def negate(condition: optap.Filter, times: int) -> None:
    for _ in range(times):
        condition = ~(condition | optap.where(stream=1))
