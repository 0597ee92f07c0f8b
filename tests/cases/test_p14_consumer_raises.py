"""P14: the consumer raises."""

from __future__ import annotations

import traceback

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_settled, rest

pytestmark = pytest.mark.anyio

COUNT = 10_000


class BareError(BaseException):
    """No `Exception`, so that loops must not swallow it."""


class MuteError(Exception):
    """Cannot even be told."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


ERRORS = [ValueError, BareError, MuteError]


async def fail_at_100(ops: optap.Subscription, error: BaseException) -> None:
    async for op in ops:
        if op.sequence == 100:
            raise error


async def fail_in_block(ops: optap.Subscription, error: BaseException) -> None:
    async with ops:
        await fail_at_100(ops, error)


async def fail_in_batches(ops: optap.Subscription, error: BaseException) -> None:
    async with ops:
        async for batch in ops.batches():
            if len(batch):
                raise error


@pytest.mark.parametrize("error_class", ERRORS)
@pytest.mark.parametrize("fail", [fail_in_block, fail_in_batches])
async def test_the_error_reaches_who_awaits_and_nobody_else(error_class: type[BaseException], fail: object) -> None:
    error = error_class("mine") if error_class is not MuteError else error_class()
    caught: list[BaseException] = []

    async def consume() -> None:
        try:
            await fail(one, error)
        except error_class as told:
            caught.append(told)

    async with ScriptedModel(count=COUNT) as model, optap.subscribe(model) as other:
        one = optap.subscribe(model)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(consume)
            await anyio.wait_all_tasks_blocked()
            await model.run()
        assert len(caught) == 1
        assert caught[0] is error
        frames = traceback.extract_tb(caught[0].__traceback__)
        assert any(frame.line == "raise error" for frame in frames)
        expect_settled(one.statistics())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other.aclose)
            assert [op.sequence for op in await rest(other)] == list(range(COUNT))


async def test_a_failed_thread_leaves_the_subscription_usable() -> None:
    def fail() -> None:
        for op in ops:
            if op.sequence == 100:
                raise ValueError("mine")

    async with ScriptedModel(count=COUNT) as model, optap.subscribe(model) as ops:
        await model.run()
        with pytest.raises(ValueError, match="mine"):
            await anyio.to_thread.run_sync(fail)
        assert (await ops.receive()).sequence == 101
