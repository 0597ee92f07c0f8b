"""Ops from a native thread to a coroutine, as fast as both can: CPU time of the whole process an op, end to end."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import optap
import rivals
from delivery import THREE, read_batches, read_ops, read_rows, read_tuples_of_three
from harness import Row, Scale, at_least, in_turns, native
from optap.testing import ScriptedModel
from rivals import NAMES, Channel

BATCH = 1024


def ours(read: Callable[[Any], Awaitable[None]], count: int, fields: tuple[str, ...] | None = None) -> float:
    """CPU nanoseconds an op, of all threads, from the first op made to the last one read; none is lost."""

    async def emit(model: ScriptedModel, ops: optap.Subscription) -> None:
        await model.run()
        ops._core.finish()  # what `aclose` begins with; here no task polls for its end

    async def main() -> float:
        model = ScriptedModel(count=count, names=NAMES)
        listen = optap.subscribe(model, capacity=count, fields=fields)
        async with model, listen as ops, anyio.create_task_group() as tasks:
            began_ns = time.process_time_ns()
            tasks.start_soon(emit, model, ops)
            await read(ops)
            spent_ns = time.process_time_ns() - began_ns
            assert ops.statistics().delivered == count
            return spent_ns / count

    return anyio.run(main)


def rival(open_channel: Callable[[], Channel], read: Callable[[Any], Awaitable[None]], count: int, batch: int) -> float:
    """The same for a rival."""

    async def main() -> float:
        channel = open_channel()
        began_ns = time.process_time_ns()
        await rivals.play(channel, read, count, batch)
        return (time.process_time_ns() - began_ns) / count

    return anyio.run(main)


def run(scale: Scale) -> list[Row]:
    """Everything in turns; rivals by record get fewer ops, for they are slow."""
    native("producer")
    count, few = scale.pick(500_000, 20_000), scale.pick(30_000, 2_000)
    queue, janus, stream = rivals.asyncio_queue, rivals.janus_queue, rivals.anyio_stream
    told = in_turns(
        {
            "async for": lambda: ours(read_ops, count),
            "async for, 3 fields": lambda: ours(read_tuples_of_three, count, THREE),
            "batches": lambda: ours(read_batches, count),
            "rows": lambda: ours(read_rows, count),
            "asyncio.Queue by batch": lambda: rival(queue, rivals.read_generator, count, BATCH),
            "asyncio.Queue by batch, for": lambda: rival(queue, rivals.read_batches, count, BATCH),
            "janus by batch": lambda: rival(janus, rivals.read_generator, count, BATCH),
            "anyio stream by batch": lambda: rival(stream, rivals.read_generator, count, BATCH),
            "asyncio.Queue by record": lambda: rival(queue, rivals.read_records, few, 0),
            "janus by record": lambda: rival(janus, rivals.read_records, few, 0),
            "anyio stream by record": lambda: rival(stream, rivals.read_records, few, 0),
        },
        rounds=scale.pick(7, 1),
    )
    goal = at_least(3)
    rows = [
        ("`async for`, name and two times read", "async for", "asyncio.Queue by batch", goal),
        ("`async for`, `fields=` of the same three", "async for, 3 fields", "asyncio.Queue by batch", goal),
        ("batches, `for` inside on both sides", "batches", "asyncio.Queue by batch, for", None),
        ("rows of a batch, `for` inside on both sides", "rows", "asyncio.Queue by batch, for", None),
        ("rows of a batch against an async generator", "rows", "asyncio.Queue by batch", goal),
        ("`fields=` of 3 against janus", "async for, 3 fields", "janus by batch", None),
        ("`fields=` of 3 against an anyio stream", "async for, 3 fields", "anyio stream by batch", None),
        ("`fields=` of 3 against a queue by record", "async for, 3 fields", "asyncio.Queue by record", at_least(35)),
        ("`fields=` of 3 against janus by record", "async for, 3 fields", "janus by record", None),
        ("`fields=` of 3 against an anyio stream by record", "async for, 3 fields", "anyio stream by record", None),
    ]
    return [told.row(what, mine, theirs, wanted, inverse=True) for what, mine, theirs, wanted in rows]
