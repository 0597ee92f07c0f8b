"""What a range and a mark cost the thread that makes them, against a C floor, nvtx and OpenTelemetry.

Each contestant runs in a process of its own, for a tracer leaves its state behind. nvtx records into the least tool
that is possible, `native/nvtx_tool.c`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

from harness import Row, Scale, at_least, at_most, built, in_turns, native

REPEATS = 7

Loop = Callable[[int], None]


def with_each(make: Callable[[str], AbstractContextManager[object]]) -> Loop:
    """Enters and leaves what `make` gives, made anew each time."""

    def loop(count: int) -> None:
        for _ in range(count):
            with make("x"):
                pass

    return loop


def call_each(function: Callable[[str], object]) -> Loop:
    """Calls `function`."""

    def loop(count: int) -> None:
        for _ in range(count):
            function("x")

    return loop


def nothing(count: int) -> None:
    """The loop alone."""
    for _ in range(count):
        pass


def optap_loop(kind: str, stack: ExitStack, *, is_recording: bool) -> Loop:
    """Ours; while recording somebody listens, and a full queue drops the oldest."""
    import optap
    from optap.testing import ScriptedModel

    if is_recording:
        model = stack.enter_context(ScriptedModel(count=0))
        stack.enter_context(optap.subscribe(model, where=optap.where(kind=kind)))
    return call_each(optap.mark) if kind == "mark" else with_each(optap.annotate)


def floor_loop(kind: str, *, is_recording: bool) -> Loop:
    """The floor."""
    floor = native("annotate")
    floor.record(is_recording)
    return call_each(floor.mark) if kind == "mark" else with_each(floor.range)


def nvtx_loop(kind: str) -> Loop:
    """nvtx; whether it records is decided by the environment, before it is loaded."""
    import nvtx

    return call_each(nvtx.mark) if kind == "mark" else with_each(nvtx.annotate)


def otel_loop() -> Loop:
    """OpenTelemetry, with a batch processor and an exporter that does nothing."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

    class Nothing(SpanExporter):
        def export(self, spans: object) -> SpanExportResult:
            return SpanExportResult.SUCCESS

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Nothing()))
    return with_each(provider.get_tracer("bench").start_as_current_span)


def timed(loop: Loop, count: int) -> float:
    """CPU nanoseconds of this thread for one turn of `loop`, less those of the loop itself."""

    def spend(loop: Loop) -> int:
        began_ns = time.thread_time_ns()
        loop(count)
        return time.thread_time_ns() - began_ns

    loop(count // 10)
    return statistics.median((spend(loop) - spend(nothing)) / count for _ in range(REPEATS))


def contest(who: str, kind: str, mode: str, count: int) -> float:
    """What one contestant takes, in this process."""
    is_recording = mode == "recording"
    with ExitStack() as stack:
        if who == "optap":
            return timed(optap_loop(kind, stack, is_recording=is_recording), count)
        if who == "floor":
            return timed(floor_loop(kind, is_recording=is_recording), count)
        if who == "nvtx":
            return timed(nvtx_loop(kind), count)
        return timed(otel_loop(), count // 10)


def contestant(who: str, kind: str, mode: str, count: int) -> Callable[[], float]:
    """Runs it in a fresh process."""
    environment = dict(os.environ)
    if who == "nvtx" and mode == "recording":
        environment["NVTX_INJECTION64_PATH"] = str(built("nvtx_tool"))
    command = [sys.executable, __file__, who, kind, mode, str(count)]

    def measure() -> float:
        told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return float(told.stdout)

    return measure


CONTESTANTS = [
    *(
        (who, kind, mode)
        for who in ("optap", "floor", "nvtx")
        for kind in ("range", "mark")
        for mode in ("off", "recording")
    ),
    ("otel", "range", "recording"),
]


def run(scale: Scale) -> list[Row]:
    """Everybody in turns."""
    import optap

    count = scale.pick(100_000, 2_000)
    contestants = {" ".join(one): contestant(*one, count) for one in CONTESTANTS}
    told = in_turns(contestants, rounds=scale.pick(7, 1))
    clock = f"clock: {optap.clock_source()}"

    def mark(mode: str, limit_ns: float) -> Row:
        ours, floor = f"optap mark {mode}", f"floor mark {mode}"
        figure = told.median(ours)
        rival = f"C floor: {told.median(floor):.3g} ns"
        return Row(
            f"`mark`, {mode} ({clock})", f"{figure:.3g} ns", rival, told.ratio(ours, floor), at_most(limit_ns), figure
        )

    rows = [mark("off", 15), mark("recording", 50)]
    for mode in ("off", "recording"):
        rows.append(told.row(f"`mark`, {mode}", f"optap mark {mode}", f"nvtx mark {mode}", None, inverse=True))
    for mode in ("off", "recording"):
        ours = f"optap range {mode}"
        rows.append(told.row(f"`with annotate`, {mode} ({clock})", ours, f"floor range {mode}", at_most(1.5)))
        rows.append(told.row(f"`with annotate`, {mode}", ours, f"nvtx range {mode}", at_least(2), inverse=True))
    recording = "optap range recording"
    rows.append(told.row("`with annotate`, recording", recording, "otel range recording", None, inverse=True))
    return rows


if __name__ == "__main__":
    print(contest(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
