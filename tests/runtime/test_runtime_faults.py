"""Operators that fail, hang or give no numbers, by script."""

import models
import numpy as np
import pytest
from driver import ABORTED, STREAM_LATE
from optap.errors import InvalidArgumentError, OptapError
from optap.testing import fail_op

pytestmark = pytest.mark.anyio

CHAIN = models.chain(3, (2, 4))
EXPECTED = np.maximum(np.arange(8) - 4, 0)


async def codes(runtime, model, runs):
    return [(await runtime.run(model))[1] for _ in range(runs)]


async def test_the_named_run_fails_and_the_next_goes_on(open_runtime):
    async with open_runtime() as runtime:
        model = await runtime.load(CHAIN)
        fail_op(runtime.model_id(model), "node2", at_run=3)
        assert await codes(runtime, model, 4) == [0, 0, runtime.failed_op, 0]


async def test_a_model_fails_and_another_of_the_same_nodes_does_not(open_runtime):
    async with open_runtime() as runtime:
        model, other = await runtime.load(CHAIN), await runtime.load(CHAIN)
        fail_op(runtime.model_id(model), "node0")
        assert await codes(runtime, other, 1) == [0]
        assert await codes(runtime, model, 1) == [runtime.failed_op]


async def test_a_queued_failure_is_told_once_by_the_stream(open_runtime):
    async with open_runtime() as runtime:
        model, stream = await runtime.load(CHAIN), runtime.create_stream()
        fail_op(runtime.model_id(model), "node1")
        assert [runtime.queue(model, stream), runtime.queue(model, stream)] == [0, 0]
        assert await runtime.synchronize(stream) == runtime.failed_op
        assert await runtime.synchronize(stream) == 0


async def test_a_hang_ends_with_its_stream(open_runtime):
    async with open_runtime() as runtime:
        model, other, stream = await runtime.load(CHAIN), await runtime.load(CHAIN), runtime.create_stream()
        fail_op(runtime.model_id(model), "node1", kind="hang")
        assert runtime.queue(model, stream) == 0
        assert await runtime.synchronize(stream, 10) == STREAM_LATE
        assert await codes(runtime, other, 1) == [0]
        assert runtime.abort(stream) == 0
        assert await runtime.synchronize(stream) == ABORTED


async def test_no_numbers(open_runtime):
    async with open_runtime() as runtime:
        model = await runtime.load(CHAIN)
        fail_op(runtime.model_id(model), "node0", kind="nan")
        output, code = await runtime.run(model)
        assert code == 0
        assert np.isnan(output).all()
        output, _ = await runtime.run(model)
        np.testing.assert_array_equal(output, EXPECTED)


async def test_the_environment_scripts_every_model_that_has_the_node(open_runtime, monkeypatch):
    monkeypatch.setenv("OPTAP_FAULTS", "other@1:error, node1@2:error")
    async with open_runtime() as runtime:
        loaded = [await runtime.load(CHAIN), await runtime.load(CHAIN)]
        assert [await codes(runtime, model, 3) for model in loaded] == [[0, runtime.failed_op, 0]] * 2


async def test_a_scripted_failure_is_told_in_the_stream_of_ops(open_runtime):
    async with open_runtime() as runtime:
        model = await runtime.load(CHAIN)
        ops = runtime.subscribe(model)
        fail_op(runtime.model_id(model), "node1")
        assert await codes(runtime, model, 1) == [runtime.failed_op]
        assert [op.name for op in await runtime.end(ops)] == ["node0", "node1"]


async def test_faults_that_cannot_be(open_runtime):
    async with open_runtime() as runtime:
        models_held = [await runtime.load(CHAIN)]
        model_id = runtime.model_id(models_held[0])
        with pytest.raises(OptapError, match="no node 'other'"):
            fail_op(model_id, "other")
        with pytest.raises(InvalidArgumentError, match="at_run is 0"):
            fail_op(model_id, "node0", at_run=0)
        with pytest.raises(ValueError, match="kind"):
            fail_op(model_id, "node0", kind="other")
        runtime.unload(models_held)
        with pytest.raises(OptapError, match=f"id {model_id}"):
            fail_op(model_id, "node0")
