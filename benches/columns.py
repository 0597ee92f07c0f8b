"""Columns into numpy, end to end: from the op, which reads no clock, to a sum over two columns."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import numpy as np
import optap
import rivals
from harness import Row, Scale, at_most, in_turns, native
from optap.testing import ScriptedModel
from rivals import NAMES

BATCH = 1024


def ours(count: int) -> dict[str, float]:
    """CPU nanoseconds an op: of the reader, of the whole process, and of the source with nobody listening."""

    async def read(batches: optap.Batches) -> int:
        spent_ns = 0
        async for batch in batches:
            array = batch.array
            spent_ns += int((array["end_ns"] - array["start_ns"]).sum())
        return spent_ns

    async def main() -> dict[str, float]:
        async with ScriptedModel(count=count, names=NAMES, times_ns=[(1_000, 1_050)]) as model:
            began_ns = time.process_time_ns()
            await model.run()
            source_ns = time.process_time_ns() - began_ns
            async with optap.subscribe(model, capacity=count) as ops:
                began_ns = time.process_time_ns()
                await model.run()
                ops._core.finish()  # what `aclose` begins with; here no task polls for its end
                reader_began_ns = time.thread_time_ns()
                await read(ops.batches())
                reader_ns = time.thread_time_ns() - reader_began_ns
                process_ns = time.process_time_ns() - began_ns
                assert ops.statistics().delivered == count
        return {
            "reader": reader_ns / count,
            "process": process_ns / count,
            "line": (process_ns - source_ns) / count,
        }

    return anyio.run(main)


async def read_arrays(get: Callable[[], Awaitable[Any]]) -> int:
    """The same over batches of bytes."""
    layout = np.dtype({"names": ["start_ns", "end_ns"], "offsets": [0, 8], "formats": ["<u8"] * 2, "itemsize": 64})
    spent_ns = 0
    while (batch := await get()) is not None:
        array = np.frombuffer(batch, layout)
        spent_ns += int((array["end_ns"] - array["start_ns"]).sum())
    return spent_ns


def rival(count: int) -> dict[str, float]:
    """CPU nanoseconds an op of the whole process, with a queue fed by batches."""

    async def main() -> dict[str, float]:
        began_ns = time.process_time_ns()
        thread = native("producer").start(None, count, BATCH, 0, NAMES)
        del thread
        source_ns = time.process_time_ns() - began_ns
        began_ns = time.process_time_ns()
        await rivals.play(rivals.asyncio_queue(), read_arrays, count, BATCH)
        process_ns = time.process_time_ns() - began_ns
        return {"process": process_ns / count, "line": (process_ns - source_ns) / count}

    return anyio.run(main)


def run(scale: Scale) -> list[Row]:
    """Both in turns."""
    native("producer")
    count = scale.pick(2_000_000, 100_000)
    told = in_turns({"ours": lambda: ours(count), "queue": lambda: rival(count)}, rounds=scale.pick(9, 2))
    reader, line = told.median("ours reader"), told.median("ours line")
    return [
        Row("columns, CPU of the reader a record", f"{reader:.3g} ns", "", None, at_most(10), reader),
        Row("columns, CPU of ring, drain, batch and reader a record", f"{line:.3g} ns", "", None, at_most(10), line),
        told.row("columns, CPU of the process with the source", "ours process", "queue process", None),
    ]
