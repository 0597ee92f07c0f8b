"""Memory under a reader that is too slow: bounded by the capacity, whatever is produced."""

from __future__ import annotations

import subprocess
import sys

from harness import Row, Scale, at_most, in_turns

SLOW_READER = """
import resource, anyio, optap
from optap.testing import ScriptedModel

def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

async def read(ops):
    async for batch in ops.batches(max_records=100):
        await anyio.sleep(0.01)

async def main():
    async with ScriptedModel(count={count}) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
        before = peak_mb()
        tasks.start_soon(read, ops)
        await model.run()
        told = ops.statistics()
        assert told.produced == {count} == told.delivered + sum(told.dropped.values()) + told.in_flight
        print(peak_mb() - before)
        tasks.cancel_scope.cancel()

anyio.run(main)
"""


def growth_mb(count: int) -> float:
    """Megabytes by which the peak of a fresh process rises while `count` ops are produced."""
    command = [sys.executable, "-c", SLOW_READER.format(count=count)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def run(scale: Scale) -> list[Row]:
    """Much beside little, in turns."""
    little, much = scale.pick(1_000_000, 200_000), scale.pick(10_000_000, 1_000_000)
    contestants = {f"{count:,} ops": lambda count=count: growth_mb(count) for count in (little, much)}
    told = in_turns(contestants, rounds=scale.pick(3, 1))
    what = "growth under a slow reader, capacity 65,536 (4 MiB of records)"
    return [told.row(what, f"{much:,} ops", f"{little:,} ops", at_most(1.2), unit="MB")]
