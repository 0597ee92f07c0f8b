"""Devices, models and runs through the async API."""

import math
import threading

import anyio
import models
import numpy as np
import optap
import pytest
from optap.errors import (
    AbortedError,
    HandleError,
    InputError,
    ModelError,
    ModelFileError,
    RunCancelledError,
    UnsupportedModelError,
)

pytestmark = pytest.mark.anyio

LONG = models.chain(2_000, (64,), "Tanh", prefix="slow")


async def test_a_model_tells_its_inputs_outputs_and_nodes() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(models.chain(3, ("N", 4)), name="three")
        assert (model.name, model.nodes) == ("three", [("node0", "Relu"), ("node1", "Relu"), ("node2", "Relu")])
        (spec,) = model.inputs
        assert (spec.name, spec.dtype, spec.shape) == ("x", np.dtype("f4"), ("N", 4))
        assert model.outputs[0].name == "y"


async def test_a_run_gives_the_outputs_by_name() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(models.chain(1, (2, 2)))
        given = np.array([[-1, 2], [3, -4]], np.float32)
        runs = (given,), ({"x": given},), (np.asfortranarray(given),), (given.astype(">f4"),)
        for outputs in [await model.run(x=given), *[await model.run(*inputs) for inputs in runs]]:
            assert list(outputs) == ["y"]
            np.testing.assert_array_equal(outputs["y"], np.maximum(given, 0))
            assert not outputs["y"].flags.writeable


async def test_many_runs_at_once_share_a_model() -> None:
    async with optap.open_device(0) as device:
        model, seen = await device.load_model(models.chain(5, (8,))), {}

        async def run(number: int) -> None:
            seen[number] = (await model.run(np.full(8, number, np.float32)))["y"][0]

        async with anyio.create_task_group() as tasks:
            for number in range(100):
                tasks.start_soon(run, number)
    assert seen == {number: number for number in range(100)}


@pytest.mark.parametrize(
    ("arguments", "named", "told"),
    [
        ((np.zeros(4, np.float64),), {}, r"input 'x': expected float32\[4\], given float64\[4\]"),
        ((np.zeros(5, np.float32),), {}, r"expected float32\[4\], given float32\[5\]"),
        ((np.zeros((4, 1), np.float32),), {}, "given float32"),
        ((), {}, "'x'"),
        ((np.zeros(4, np.float32),) * 2, {}, "takes 1 inputs"),
        ((), {"z": np.zeros(4, np.float32)}, "no input 'z'; its inputs are 'x'"),
        ((), {"\udcff": np.zeros(4, np.float32)}, r"no input '\\udcff'"),
        ((), {"xx": np.zeros(4, np.float32)}, "did you mean 'x'"),
        (({},), {}, "'x'"),
        (({"z": np.zeros(4, np.float32)},), {}, "no input 'z'"),
        (({3: np.zeros(4, np.float32)},), {}, "no input 3"),
        (({"x": np.zeros(4, np.float32)},), {"x": np.zeros(4, np.float32)}, "given twice"),
        (({"x": np.zeros(4, np.float32)}, {}), {}, "input 'x' is a mapping"),
        ((), {"x": {"x": 1}}, "input 'x' is a mapping"),
        (([[1.0], [2.0, 3.0]],), {}, "input 'x' makes no array"),
        (([object()] * 4,), {}, r"input 'x': numpy dtype \|O"),
        ((["text"],), {}, "input 'x': numpy dtype <U4"),
        ((np.zeros(4, np.float32),), {"x": np.zeros(4, np.float32)}, "given twice"),
    ],
)
async def test_a_wrong_input_is_named_with_what_was_expected(arguments, named, told) -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(models.chain(2, (4,)))
        with pytest.raises(InputError, match=told) as caught:
            await model.run(*arguments, **named)
        assert isinstance(caught.value, ValueError)


async def test_a_wrong_file_is_named(tmp_path) -> None:
    async with optap.open_device(0) as device:
        with pytest.raises(ModelError, match=r"missing\.onnx"):
            await device.load_model(tmp_path / "missing.onnx")
        with pytest.raises(ModelError, match="not an ONNX model"):
            await device.load_model(b"\x00\x01garbage")
        unknown = models.model(
            [models.node("Frobnicate", ["x"], ["y"])], [models.tensor("x", (1,))], [models.tensor("y", (1,))]
        )
        with pytest.raises(UnsupportedModelError, match="Frobnicate"):
            await device.load_model(unknown)


async def test_a_directory_and_a_dtype_without_tensors_are_refused(tmp_path) -> None:
    async with optap.open_device(0) as device:
        with pytest.raises(ModelFileError, match="no regular file") as caught:
            await device.load_model(tmp_path)
        assert isinstance(caught.value, OSError)
        assert caught.value.filename == str(tmp_path)
        model = await device.load_model(models.chain(1, (1,)))
        with pytest.raises(InputError, match="dtype"):
            await model.run(np.zeros(1, np.complex64))


async def test_cancelling_the_await_stops_the_run_at_its_next_node() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(LONG)
        given = np.zeros(64, np.float32)
        await model.run(given)
        async with optap.subscribe(model, overflow="block", capacity=4) as ops:
            with anyio.move_on_after(0.2) as scope:
                await model.run(given)
            assert scope.cancelled_caught
            assert ops.statistics().produced < 2_000


async def test_cancelling_an_await_on_a_run_leaves_it_going() -> None:
    gate = threading.Event()
    async with optap.open_device(0) as device:
        model, stream = await device.load_model(models.chain(2, (4,))), device.create_stream()
        stream.launch(gate.wait, 10)
        run = model.start(np.ones(4, np.float32), stream=stream)
        with anyio.move_on_after(0.01) as scope:
            await run
        assert scope.cancelled_caught
        assert not run.is_done()
        gate.set()
        assert (await run)["y"].tolist() == [1, 1, 1, 1]
        assert run.stream_id == stream.stream_id


async def test_a_cancelled_run_says_so() -> None:
    gate = threading.Event()
    async with optap.open_device(0) as device:
        model, stream = await device.load_model(models.chain(2, (4,))), device.create_stream()
        stream.launch(gate.wait, 10)
        run = model.start(np.ones(4, np.float32), stream=stream)
        run.cancel()
        gate.set()
        with pytest.raises(RunCancelledError):
            await run


async def test_leaving_the_device_cancels_and_joins_what_is_left() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(LONG)
        runs = [model.start(np.zeros(64, np.float32)) for _ in range(20)]
    assert all(run.is_done() for run in runs)
    with pytest.raises(AbortedError):
        await runs[-1]


async def test_a_closed_device_says_so() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(models.chain(1, (1,)))
    for use in (lambda: model.start(np.zeros(1, np.float32)), lambda: optap.subscribe(model)):
        with pytest.raises(HandleError, match="closed"):
            use()


async def test_a_run_of_no_ops_takes_no_names_away() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(models.chain(3, ("N", 4), "Tanh"))
        for rows in (1, 0, 1, 0, 1):
            async with optap.subscribe(model) as ops:
                await model.run(np.zeros((rows, 4), np.float32))
                await model.run(np.zeros((1, 4), np.float32))
                ops.statistics()
                assert (await ops.receive()).name == "node0"


async def test_an_error_in_the_block_comes_out_as_it_is() -> None:
    with pytest.raises(KeyError):
        async with optap.open_device(0):
            raise KeyError("mine")


async def test_a_device_that_is_not_there_is_refused() -> None:
    assert optap.device_count() >= 1
    for device_id in (4096, -1):
        with pytest.raises(HandleError):
            async with optap.open_device(device_id):
                pass


async def test_every_op_of_a_run_carries_its_ids_and_names() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(models.chain(4, (64,), "Tanh"))
        async with optap.subscribe(model) as ops:
            run = model.start(np.zeros(64, np.float32))
            await run
            await ops.aclose()
            assert ops.statistics().produced > 0
        async with optap.subscribe(model) as ops:
            run = model.start(np.zeros(64, np.float32))
            await run
            ops.statistics()
            op = await ops.receive()
        assert (op.run_id, op.model_id, op.stream_id) == (run.run_id, model.model_id, run.stream_id)
        assert (op.name, op.type, op.device_id, op.sequence >= 0) == ("node0", "Tanh", 0, True)
        assert op.duration_ns == op.end_ns - op.start_ns > 0
        assert model.ops((64,))[0][:2] == ("node0", "Tanh")


async def test_magika_knows_python() -> None:
    text = b"import os\n\n\ndef main() -> None:\n    print(os.getcwd())\n" * 10
    given = np.full((1, 2048), 256, np.int32)
    given[0, : len(text)] = np.frombuffer(text[:1024], np.uint8)
    given[0, -min(len(text), 1024) :] = np.frombuffer(text[-1024:], np.uint8)
    async with optap.open_device(0) as device:
        model = await device.load_model(models.MAGIKA)
        (scores,) = (await model.run(given)).values()
    assert math.isclose(scores.sum(), 1, rel_tol=1e-3)
