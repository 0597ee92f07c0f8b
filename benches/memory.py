"""Memory under a reader that is too slow: bounded by the capacity, whatever is produced."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import anyio
import optap
from harness import Row, Scale, at_most, in_turns, peak_mb
from optap.testing import ScriptedModel


async def read_slowly(ops: optap.Subscription) -> None:
    async for _batch in ops.batches(max_records=100):
        await anyio.sleep(0.01)


async def measure(count: int) -> float:
    """Megabytes by which this process's peak rises while `count` ops are produced."""
    model = ScriptedModel(count=count)
    async with model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        before_mb = peak_mb()
        tasks.start_soon(read_slowly, ops)
        await model.run()
        told = ops.statistics()
        assert told.produced == count == told.delivered + sum(told.dropped.values()) + told.in_flight
        tasks.cancel_scope.cancel()
    return peak_mb() - before_mb


def growth_mb(count: int) -> float:
    """The same in a fresh process."""
    told = subprocess.run([sys.executable, __file__, str(count)], capture_output=True, text=True, check=True)
    return float(told.stdout)


def run(scale: Scale) -> list[Row]:
    """Much beside little, in turns: the one may take no more than its share of the queue and its blocks."""
    little, much = scale.pick(1_000_000, 200_000), scale.pick(10_000_000, 1_000_000)
    contestants = {f"{count:,} ops": lambda count=count: growth_mb(count) for count in (little, much)}
    told = in_turns(contestants, rounds=scale.pick(3, 1))
    mine, other = f"{much:,} ops", f"{little:,} ops"
    what = f"growth over {mine} ({much * 64 / 1e6:.0f} MB of records), slow reader, capacity 65,536"
    return [replace(told.row(what, mine, other, at_most(32), unit="MB"), figure=told.median(mine))]


if __name__ == "__main__":
    print(anyio.run(measure, int(sys.argv[1])))
