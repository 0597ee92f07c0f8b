"""Steps: the iterations of a loop."""

from __future__ import annotations

from contextlib import aclosing

import anyio
import optap
import pytest
from annotated import listening, told

pytestmark = pytest.mark.anyio


async def test_a_step_has_a_number_and_times() -> None:
    async with listening("step") as records:
        with optap.annotate("loop"), optap.step(41) as step:
            assert step.number == 41
        async with optap.step(42):
            await anyio.lowlevel.checkpoint()
        first, second = await told(records)
    assert (first.kind, first.run_id, second.run_id) == ("step", 41, 42)
    assert first.range_id != 0 == second.range_id
    assert (first.device_id, first.model_id, first.name) == ((1 << 32) - 1, 0, "")
    assert first.start_ns <= first.end_ns <= second.start_ns


async def test_steps_without_a_number_are_counted() -> None:
    first, second = optap.step(), optap.step()
    assert second.number == first.number + 1


async def test_each_turn_of_a_loop_is_a_step() -> None:
    async with listening("step", "mark") as records:
        for item in optap.steps("abc", start=10):
            optap.mark(item)
        read = await told(records)
    steps = [record for record in read if record.kind == "step"]
    marks = [record for record in read if record.kind == "mark"]
    assert [step.run_id for step in steps] == [10, 11, 12]
    for step, mark in zip(steps, marks, strict=True):
        assert step.start_ns <= mark.start_ns <= step.end_ns


async def test_an_async_loop_has_steps_too() -> None:
    async def items():
        for item in range(3):
            await anyio.lowlevel.checkpoint()
            yield item

    async with listening("step") as records:
        assert [item async for item in optap.steps(items(), start=0)] == [0, 1, 2]
        assert [step.run_id for step in await told(records)] == [0, 1, 2]


def fail_in_the_first_turn() -> None:
    for item in optap.steps(range(10), start=5):
        _ = 1 // item


async def test_a_loop_that_is_left_ends_its_step() -> None:
    async with listening("step") as records:
        for item in optap.steps(range(10), start=0):
            if item == 1:
                break
        with pytest.raises(ZeroDivisionError):
            fail_in_the_first_turn()
        assert [step.run_id for step in await told(records)] == [0, 1, 5]


async def test_an_async_loop_that_is_cancelled_ends_its_step() -> None:
    async def items():
        for item in range(3):
            yield item

    async def loop() -> None:
        async with aclosing(items()) as source:
            async for _ in optap.steps(source, start=0):
                await anyio.sleep_forever()

    async with listening("step") as records:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(loop)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        assert [step.run_id for step in await told(records)] == [0]


def test_a_step_is_entered_once() -> None:
    step = optap.step()
    with step:
        pass
    with pytest.raises(RuntimeError, match=str(step.number)), step:
        pass


@pytest.mark.parametrize("number", [-1, 1 << 64])
def test_a_number_out_of_range_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=str(number)):
        optap.step(number)
    with pytest.raises(ValueError, match=str(number)):
        optap.steps([], start=number)
