"""Subscriptions: what is told of runs, and what is not."""

import models
import pytest

pytestmark = pytest.mark.anyio

CHAIN = models.chain(3, (2, 4))
NAMES = ["node0", "node1", "node2"]


async def test_every_op_of_a_run_is_told_once_and_then_the_end(open_runtime):
    async with open_runtime() as runtime:
        model = await runtime.load(CHAIN)
        ops = runtime.subscribe(model)
        for _ in range(2):
            assert (await runtime.run(model))[1] == 0
        told = await runtime.end(ops)
        assert [op.name for op in told] == NAMES * 2
        assert {(op.type, op.model_id) for op in told} == {("Relu", runtime.model_id(model))}
        assert all(0 < op.start_ns <= op.end_ns for op in told)
        assert [op.start_ns for op in told] == sorted(op.start_ns for op in told)


async def test_nothing_before_the_subscription_and_nothing_after_it(open_runtime):
    async with open_runtime() as runtime:
        model = await runtime.load(CHAIN)
        assert (await runtime.run(model))[1] == 0
        told = await runtime.end(runtime.subscribe(model))
        assert (await runtime.run(model))[1] == 0
        assert told == []


async def test_a_model_is_told_to_its_own_subscriber(open_runtime):
    async with open_runtime() as runtime:
        loaded = [await runtime.load(models.chain(3, (2, 4), prefix=prefix)) for prefix in ("left", "right")]
        subscribed = [runtime.subscribe(model) for model in loaded]
        for model in loaded:
            assert (await runtime.run(model))[1] == 0
        told = [[op.name for op in await runtime.end(ops)] for ops in subscribed]
        assert told == [[f"{prefix}{at}" for at in range(3)] for prefix in ("left", "right")]


async def test_a_model_on_many_streams_loses_nothing(open_runtime):
    async with open_runtime() as runtime:
        model = await runtime.load(CHAIN)
        ops = runtime.subscribe(model)
        streams = [runtime.create_stream() for _ in range(4)]
        assert [runtime.queue(model, stream) for _ in range(25) for stream in streams] == [0] * 100
        assert [await runtime.synchronize(stream) for stream in streams] == [0] * 4
        assert sorted(op.name for op in await runtime.end(ops)) == sorted(NAMES * 100)


async def test_a_model_that_goes_first_is_told_to_the_end(open_runtime):
    async with open_runtime() as runtime:
        models_held = [await runtime.load(CHAIN)]
        ops = runtime.subscribe(models_held[0])
        assert (await runtime.run(models_held[0]))[1] == 0
        runtime.unload(models_held)
        assert [op.name for op in await runtime.end(ops)] == NAMES
