"""What one op costs its reader: `async for`, chosen fields and batches, against the same reads in C."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import anyio
import optap
from harness import Row, Scale, at_most, in_turns, native
from optap.testing import ScriptedModel
from rivals import NAMES

THREE = ("name", "start_ns", "end_ns")
FIVE = ("name", "start_ns", "end_ns", "sequence", "run_id")


async def read_ops(ops: Any) -> None:
    async for op in ops:
        _name = op.name
        _start_ns = op.start_ns
        _end_ns = op.end_ns


async def read_tuples_of_three(ops: Any) -> None:
    async for _name, _start_ns, _end_ns in ops:
        pass


async def read_tuples_of_five(ops: Any) -> None:
    async for _name, _start_ns, _end_ns, _sequence, _run_id in ops:
        pass


async def read_batches(ops: Any) -> None:
    async for batch in ops.batches():
        for op in batch:
            _name = op.name
            _start_ns = op.start_ns
            _end_ns = op.end_ns


async def read_rows(ops: Any) -> None:
    async for batch in ops.batches():
        for _name, _start_ns, _end_ns in batch.rows(*THREE):
            pass


async def read_plain_tuples(ops: Any) -> None:
    for _name, _start_ns, _end_ns in ops:
        pass


async def read_plain(ops: Any) -> None:
    for op in ops:
        _name = op.name
        _start_ns = op.start_ns
        _end_ns = op.end_ns


def ours(read: Callable[[Any], Any], count: int, fields: tuple[str, ...] | None = None) -> float:
    """CPU nanoseconds an op of the reading thread; everything lies ready before the first read."""

    async def main() -> float:
        model = ScriptedModel(count=count, names=NAMES)
        async with model, optap.subscribe(model, capacity=count, fields=fields) as ops:
            await model.run()
            ops._core.finish()  # what `aclose` begins with; here no task polls for its end
            began_ns = time.thread_time_ns()
            await read(ops)
            spent_ns = time.thread_time_ns() - began_ns
            assert ops.statistics().delivered == count
            return spent_ns / count

    return anyio.run(main)


def floor(read: Callable[[Any], Any], source: Any, count: int) -> float:
    """The same for the floor's iterator."""

    async def main() -> float:
        began_ns = time.thread_time_ns()
        await read(source)
        return (time.thread_time_ns() - began_ns) / count

    return anyio.run(main)


def run(scale: Scale) -> list[Row]:
    """All reads, in turns."""
    count = scale.pick(200_000, 20_000)
    records = native("floor").Records(count, NAMES)
    told = in_turns(
        {
            "async for, ours": lambda: ours(read_ops, count),
            "async for in C": lambda: floor(read_ops, records.awaited(), count),
            "3 fields, ours": lambda: ours(read_tuples_of_three, count, THREE),
            "3-tuples in C": lambda: floor(read_tuples_of_three, records.awaited(THREE), count),
            "5 fields, ours": lambda: ours(read_tuples_of_five, count, FIVE),
            "5-tuples in C": lambda: floor(read_tuples_of_five, records.awaited(FIVE), count),
            "batches, ours": lambda: ours(read_batches, count),
            "rows, ours": lambda: ours(read_rows, count),
            "for 3-tuples in C": lambda: floor(read_plain_tuples, records.plain(THREE), count),
            "for in C": lambda: floor(read_plain, records.plain(), count),
        },
        rounds=scale.pick(15, 2),
    )
    goal = at_most(1.5)
    return [
        told.row("`async for`, name and two times read", "async for, ours", "async for in C", goal),
        told.row("`async for`, `fields=` of 3", "3 fields, ours", "3-tuples in C", goal),
        told.row("`async for`, `fields=` of 5", "5 fields, ours", "5-tuples in C", goal),
        told.row("batches, `for` inside, name and two times read", "batches, ours", "for in C", goal),
        told.row("batches, `for` over rows of the same three", "rows, ours", "for 3-tuples in C", goal),
    ]
