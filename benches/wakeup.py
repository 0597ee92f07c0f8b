"""How late an op comes at 10,000 a second, and what that costs; how often the loop wakes; whether idling is free."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import optap
import rivals
from harness import Rounds, Row, Scale, at_most, in_turns, native
from optap.testing import ScriptedModel
from rivals import NAMES, Channel

RATE = 10_000
LOOPS: dict[str, dict[str, Any]] = {
    "asyncio": {"backend": "asyncio"},
    "uvloop": {"backend": "asyncio", "backend_options": {"use_uvloop": True}},
    "trio": {"backend": "trio"},
}


def _told(latencies_ns: list[int], busy_ns: int, pacing_ns: int) -> dict[str, float]:
    cuts = statistics.quantiles(latencies_ns, n=100)
    return {"p50": cuts[49] / 1e3, "p99": cuts[98] / 1e3, "CPU": (busy_ns - pacing_ns) / len(latencies_ns) / 1e3}


def ours(loop: str, coalesce: float, count: int) -> dict[str, float]:
    """Microseconds of delay, and of CPU an op beyond what the paced source costs with nobody listening."""

    async def read(ops: optap.Subscription) -> list[int]:
        return [time.monotonic_ns() - op.end_ns async for op in ops]

    async def emit(model: ScriptedModel, ops: optap.Subscription) -> None:
        await model.run()
        ops._core.finish()  # what `aclose` begins with; here no task polls for its end

    async def main() -> dict[str, float]:
        async with ScriptedModel(count=count, rate=RATE, names=NAMES) as model:
            began_ns = time.process_time_ns()
            await model.run()
            pacing_ns = time.process_time_ns() - began_ns
            async with optap.subscribe(model, coalesce=coalesce) as ops, anyio.create_task_group() as tasks:
                began_ns = time.process_time_ns()
                tasks.start_soon(emit, model, ops)
                latencies_ns = await read(ops)
                return _told(latencies_ns, time.process_time_ns() - began_ns, pacing_ns)

    return anyio.run(main, **LOOPS[loop])


def rival(loop: str, open_channel: Callable[[], Channel], count: int) -> dict[str, float]:
    """The same for a rival."""

    async def main() -> dict[str, float]:
        began_ns = time.process_time_ns()
        thread = native("producer").start(None, count, 0, RATE, NAMES)
        del thread
        pacing_ns = time.process_time_ns() - began_ns
        channel = open_channel()
        began_ns = time.process_time_ns()
        latencies_ns = await rivals.play(channel, rivals.latencies, count, 0, RATE)
        return _told(latencies_ns, time.process_time_ns() - began_ns, pacing_ns)

    return anyio.run(main, **LOOPS[loop])


def wakes_an_op(rate: float, coalesce: float, count: int) -> float:
    """Wake-ups of the loop for each op."""

    async def read(ops: optap.Subscription) -> None:
        async for _ in ops:
            pass

    async def main() -> float:
        model = ScriptedModel(count=count, rate=rate)
        async with model, optap.subscribe(model, coalesce=coalesce) as ops, anyio.create_task_group() as tasks:
            tasks.start_soon(read, ops)
            await model.run()
            wakes = ops.statistics().wakes
            tasks.cancel_scope.cancel()
        return wakes / count

    return anyio.run(main)


def _switches() -> int:
    """Times that a thread of this process has slept so far."""
    told = [path.read_text() for path in Path("/proc/self/task").glob("*/status")]
    return sum(int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0]) for text in told)


def idle_switches(seconds: float) -> float:
    """Times that any thread woke while a subscription waited, and nothing happened, beyond the sleeper's own."""

    async def main() -> float:
        async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
            await model.run()
            await ops.receive()
            tasks.start_soon(ops.receive)
            await anyio.sleep(0.05)
            before = _switches()
            await anyio.sleep(seconds)
            woken = _switches() - before
            tasks.cancel_scope.cancel()
        return woken - 1

    return anyio.run(main)


def _contestants(count: int) -> dict[str, Callable[[], dict[str, float]]]:
    return {
        "at once": lambda: ours("asyncio", 0, count),
        "held 1 ms": lambda: ours("asyncio", 0.001, count),
        "asyncio.Queue": lambda: rival("asyncio", rivals.asyncio_queue, count),
        "janus": lambda: rival("asyncio", rivals.janus_queue, count),
        "anyio stream": lambda: rival("asyncio", rivals.anyio_stream, count),
        "trio, at once": lambda: ours("trio", 0, count),
        "trio, held 1 ms": lambda: ours("trio", 0.001, count),
        "trio channel": lambda: rival("trio", rivals.trio_channel, count),
        "uvloop, at once": lambda: ours("uvloop", 0, count),
        "uvloop, held 1 ms": lambda: ours("uvloop", 0.001, count),
        "uvloop, asyncio.Queue": lambda: rival("uvloop", rivals.asyncio_queue, count),
    }


def _duel(told: Rounds, loop: str, rival_name: str, *, has_goal: bool) -> list[Row]:
    prefix = "" if loop == "asyncio" else f"{loop}, "
    lines = [
        ("p50", "at once", at_most(0.9)),
        ("p99", "at once", None),
        ("CPU", "at once", None),
        ("CPU", "held 1 ms", at_most(1 / 6)),
    ]
    return [
        told.row(
            f"{key} at 10 k/s on {loop}, {manner}",
            f"{prefix}{manner} {key}",
            f"{rival_name} {key}",
            goal if has_goal else None,
            unit="us",
        )
        for key, manner, goal in lines
    ]


def _counts(scale: Scale) -> list[Row]:
    count = scale.pick(1_000_000, 50_000)
    held, at_once, idle = wakes_an_op(1e6, 0.001, count), wakes_an_op(1e6, 0, count), idle_switches(scale.pick(3, 1))
    return [
        Row("wake-ups an op at 1 M/s, held 1 ms", f"{held:.5f}", "", None, at_most(0.05), held),
        Row("wake-ups an op at 1 M/s, at once", f"{at_once:.5f}", "", None, at_most(0.05), at_once),
        Row("threads woken while idle", f"{idle:.0f}", "", None, at_most(0), idle),
    ]


def run(scale: Scale) -> list[Row]:
    """Latency and CPU in turns, then the counts."""
    native("producer")
    told = in_turns(_contestants(scale.pick(5_000, 500)), rounds=scale.pick(7, 1))
    return [
        *_duel(told, "asyncio", "asyncio.Queue", has_goal=True),
        *_duel(told, "asyncio", "janus", has_goal=False),
        *_duel(told, "asyncio", "anyio stream", has_goal=False),
        *_duel(told, "trio", "trio channel", has_goal=True),
        *_duel(told, "uvloop", "uvloop, asyncio.Queue", has_goal=False),
        *_counts(scale),
    ]
