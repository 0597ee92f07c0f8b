"""A profile session on against off: throughput and processor time of a model under load."""

from __future__ import annotations

import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import anyio
import numpy as np
import optap
from harness import Row, Scale, at_most, in_turns
from numpy.typing import NDArray

MAGIKA = Path(find_spec("magika").origin).parent / "models/standard_v3_3/model.onnx"  # type: ignore[union-attr, arg-type]
TASKS = 2


async def serve(runs: int, folder: str | None) -> dict[str, float]:
    """Wall and processor time of a run, ns, with a session into `folder` or without."""
    inputs = np.zeros((1, 2048), np.int32)

    async def load(model: optap.Model) -> dict[str, float]:
        began_ns, spent_ns = time.perf_counter_ns(), time.process_time_ns()
        async with anyio.create_task_group() as tasks:
            for _ in range(TASKS):
                tasks.start_soon(repeat, model, inputs, runs // TASKS)
        wall_ns, cpu_ns = time.perf_counter_ns() - began_ns, time.process_time_ns() - spent_ns
        return {"wall": wall_ns / runs, "cpu": cpu_ns / runs}

    async with optap.open_device(0) as device:
        model = await device.load_model(MAGIKA)
        await model.run(inputs)
        if folder is None:
            return await load(model)
        async with optap.profile(folder, devices=[device]):
            return await load(model)


async def repeat(model: optap.Model, inputs: NDArray[np.int32], runs: int) -> None:
    """Runs of one task, one after the other."""
    for _ in range(runs):
        await model.run(inputs)


def written(runs: int) -> dict[str, float]:
    """As `serve`, with a session into a folder that goes afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return anyio.run(serve, runs, folder)


def run(scale: Scale) -> list[Row]:
    """Both in turns."""
    runs = scale.pick(400, 4)
    contestants = {"off": lambda: anyio.run(serve, runs, None), "on": lambda: written(runs)}
    told = in_turns(contestants, rounds=scale.pick(15, 2))
    return [
        told.row("a run of Magika under load, wall", "on wall", "off wall", at_most(1.02)),
        told.row("a run of Magika under load, processor", "on cpu", "off cpu", at_most(1.02)),
    ]
