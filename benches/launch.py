"""Streams: what giving one a task costs, and what ten thousand open ones weigh."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import optap
from harness import Row, Scale, at_most, in_turns, peak_mb


def ours(count: int) -> float:
    """CPU nanoseconds of the caller for each `Stream.launch`, while the stream is busy with an earlier task."""

    async def main() -> float:
        async with optap.open_device(0) as device:
            stream, gate = device.create_stream(), threading.Event()
            stream.launch(gate.wait)
            began_ns = time.thread_time_ns()
            for _ in range(count):
                stream.launch(int)
            spent_ns = time.thread_time_ns() - began_ns
            gate.set()
            await stream.synchronize()
            return spent_ns / count

    return anyio.run(main)


def rival(count: int) -> float:
    """The same for `ThreadPoolExecutor.submit`."""
    gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(gate.wait)
        began_ns = time.thread_time_ns()
        for _ in range(count):
            pool.submit(int)
        spent_ns = time.thread_time_ns() - began_ns
        gate.set()
    return spent_ns / count


async def measure(count: int) -> float:
    """Megabytes by which this process's peak rises with `count` open streams that have each run a task."""
    async with optap.open_device(0) as device:
        before_mb = peak_mb()
        streams = [device.create_stream() for _ in range(count)]
        for stream in streams:
            stream.launch(int)
        await device.synchronize()
        return peak_mb() - before_mb


def open_streams_mb(count: int) -> float:
    """The same in a fresh process."""
    told = subprocess.run([sys.executable, __file__, str(count)], capture_output=True, text=True, check=True)
    return float(told.stdout)


def run(scale: Scale) -> list[Row]:
    """Launches in turns; the streams in a process of their own."""
    count = scale.pick(20_000, 1_000)
    told = in_turns({"launch": lambda: ours(count), "submit": lambda: rival(count)}, rounds=scale.pick(15, 2))
    launch, streams = told.median("launch"), 10_000
    weight = open_streams_mb(streams)
    rival_told = f"ThreadPoolExecutor.submit: {told.median('submit'):.3g} ns"
    return [
        Row("`Stream.launch`", f"{launch:.3g} ns", rival_told, told.ratio("launch", "submit"), at_most(1000), launch),
        Row(f"{streams:,} open streams", f"{weight:.3g} MB", "", None, at_most(100), weight),
    ]


if __name__ == "__main__":
    print(anyio.run(measure, int(sys.argv[1])))
