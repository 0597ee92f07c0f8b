"""What listening costs a model: Magika, and 1,000 tiny nodes; ONNX Runtime's own profiler beside it."""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import numpy as np
import optap
from harness import Rounds, Row, Scale, at_most, in_turns

NODES = 1_000


def tiny_nodes() -> bytes:
    """A chain of `NODES` nodes over four floats that nothing can fuse: Add and Tanh in turn."""
    from onnx import TensorProto, helper

    def node(index: int) -> Any:
        inputs = [f"v{index}", "y"] if index % 2 == 0 else [f"v{index}"]
        return helper.make_node("Add" if index % 2 == 0 else "Tanh", inputs, [f"v{index + 1}"], name=f"node_{index}")

    def value(name: str) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])

    nodes = [node(index) for index in range(NODES)]
    graph = helper.make_graph(nodes, "chain", [value("v0"), value("y")], [value(f"v{NODES}")])
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()


def magika() -> bytes:
    """The model in the `magika` wheel."""
    spec = importlib.util.find_spec("magika")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("magika is not installed: pip install magika")
    return next(Path(spec.submodule_search_locations[0]).glob("models/*/model.onnx")).read_bytes()


def _inputs(model: optap.Model) -> list[np.ndarray[Any, Any]]:
    def size(dim: int | str | None) -> int:
        return dim if isinstance(dim, int) else 1

    return [np.ones([size(dim) for dim in spec.shape or ()], spec.dtype) for spec in model.inputs]


async def _drain(ops: optap.Subscription) -> None:
    async for batch in ops.batches():
        batch.array["end_ns"]


class Cost(NamedTuple):
    """What one run took: on the clock, and of its worker's CPU. Nanoseconds."""

    wall: int
    worker: int


def _workers_ns() -> int:
    """CPU time of the threads that run models; of the whole process where the system does not tell."""
    told = 0
    for thread in Path("/proc/self/task").glob("*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            if (thread / "comm").read_text().startswith("optap-worker"):
                told += int((thread / "schedstat").read_text().split()[0])
    return told or time.process_time_ns()


async def _one_run(model: optap.Model, inputs: list[Any], is_subscribed: bool) -> Cost:
    async with AsyncExitStack() as stack:
        if is_subscribed:
            ops = await stack.enter_async_context(optap.subscribe(model))
            tasks = await stack.enter_async_context(anyio.create_task_group())
            tasks.start_soon(_drain, ops)
            await anyio.lowlevel.checkpoint()
        began_ns, worker_began_ns = time.perf_counter_ns(), _workers_ns()
        await model.run(*inputs)
        cost = Cost(time.perf_counter_ns() - began_ns, _workers_ns() - worker_began_ns)
        if is_subscribed:
            tasks.cancel_scope.cancel()
    return cost


async def _pairs(model: optap.Model, inputs: list[Any], runs: int) -> list[tuple[Cost, Cost]]:
    """Runs with and without a subscriber, each first in every other pair."""
    told = []
    for turn in range(runs):
        first = await _one_run(model, inputs, turn % 2 == 0)
        second = await _one_run(model, inputs, turn % 2 == 1)
        told.append((first, second) if turn % 2 == 0 else (second, first))
    return told


def paired(source: bytes, runs: int) -> dict[str, float]:
    """Medians over the pairs, in nanoseconds, and of their ratios."""

    async def main() -> dict[str, float]:
        async with optap.open_device(0) as device:
            model = await device.load_model(source, name="bench")
            inputs = _inputs(model)
            nodes = len(model.ops(*(array.shape for array in inputs)))
            await _pairs(model, inputs, 10)
            pairs = await _pairs(model, inputs, runs)
        return {
            "on": statistics.median(on.wall for on, _ in pairs),
            "off": statistics.median(off.wall for _, off in pairs),
            "ratio": statistics.median(on.wall / off.wall for on, off in pairs),
            "worker": statistics.median(off.worker for _, off in pairs),
            "worker ratio": statistics.median(on.worker / off.worker for on, off in pairs),
            "node": statistics.median(on.wall - off.wall for on, off in pairs) / nodes,
            "worker node": statistics.median(on.worker - off.worker for on, off in pairs) / nodes,
        }

    return anyio.run(main)


def onnxruntime_paired(source: bytes, runs: int) -> dict[str, float]:
    """The same with ONNX Runtime's profiler on and off."""
    import onnxruntime as ort

    with tempfile.TemporaryDirectory() as folder:

        def session(is_profiled: bool) -> Callable[[], int]:
            options = ort.SessionOptions()
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.intra_op_num_threads = 1
            options.enable_profiling = is_profiled
            options.profile_file_prefix = str(Path(folder) / "profile")
            opened = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
            inputs = {one.name: np.ones([4], np.float32) for one in opened.get_inputs()}

            def once() -> int:
                began_ns = time.perf_counter_ns()
                opened.run(None, inputs)
                return time.perf_counter_ns() - began_ns

            return once

        on, off = session(True), session(False)
        pairs = [(on(), off()) if turn % 2 else (off(), on())[::-1] for turn in range(runs)]
    return {
        "ratio": statistics.median(one / other for one, other in pairs),
        "node": statistics.median(one - other for one, other in pairs) / NODES,
    }


def run(scale: Scale) -> list[Row]:
    """Each model by itself; ONNX Runtime and optap in turns on the chain."""
    runs, chain, label = scale.pick(60, 5), tiny_nodes(), magika()
    told = in_turns(
        {
            "magika": lambda: paired(label, runs),
            "chain": lambda: paired(chain, runs),
            "onnxruntime": lambda: onnxruntime_paired(chain, runs),
        },
        rounds=scale.pick(5, 1),
    )
    return [*_magika_rows(told), *_chain_rows(told)]


def _magika_rows(told: Rounds) -> list[Row]:
    on, off, worker = (told.median(f"magika {key}") / 1e6 for key in ("on", "off", "worker"))
    goal, without = at_most(1.01), f"not subscribed: {off:.4g} ms"
    return [
        Row("Magika, subscribed, on the clock", f"{on:.4g} ms", without, told.median("magika ratio"), goal),
        Row("Magika, CPU of its thread", "", f"{worker:.4g} ms", told.median("magika worker ratio"), goal),
    ]


def _chain_rows(told: Rounds) -> list[Row]:
    on, off = told.median("chain on") / 1e3, told.median("chain off") / 1e3
    node, of_worker = told.median("chain node"), told.median("chain worker node")
    rival, ratio = told.median("onnxruntime node"), told.ratio("chain node", "onnxruntime node")
    what = f"{NODES:,} tiny nodes, subscribed"
    return [
        Row(what, f"{on:.4g} us", f"not subscribed: {off:.4g} us", told.median("chain ratio"), None),
        Row(
            "added to each, on the clock",
            f"{node:.3g} ns",
            f"ONNX Runtime's profiler: {rival:.3g} ns",
            ratio,
            at_most(60),
            node,
        ),
        Row("added to each, CPU of its thread", f"{of_worker:.3g} ns", "", None, at_most(60), of_worker),
    ]
