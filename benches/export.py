"""Ops into files: against what writes them in Python, and the least that the same file can cost.

The floors are those of `rust/export/benches`, and need a Rust toolchain.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import optap
import orjson
import polars
import pyarrow
from event import cargo_bench
from event import columns as figures
from harness import Row, Scale, at_least, at_most, in_turns, peak_mb
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

NAMES = [f"OpType{number % 40}/layer/MatMul_{number}" for number in range(500)]
OPS = [[name.encode(), name.partition("/")[0].encode(), b"OptMatMul"] for name in NAMES]
MOST_MB = 200
FLOORS = {"chrome": "floor: name, times, 4 integers", "perfetto": "floor: name, times, track"}


def records(count: int) -> np.ndarray:
    """`count` ops of 500 nodes, as a run of a model leaves them."""
    random = np.random.default_rng(1)
    array = np.zeros(count, optap.OP_DTYPE)
    array["op_id"] = random.integers(1, len(NAMES) + 1, count)
    array["start_ns"] = np.cumsum(random.integers(500, 5_000, count)).astype("u8") + 10**15
    array["end_ns"] = array["start_ns"] + random.lognormal(10, 1, count).astype("u8") + 1
    array["sequence"] = np.arange(count)
    array["run_id"] = array["sequence"] // 500
    array["model_id"], array["thread_id"] = 1, 7
    return array


def by_orjson(array: np.ndarray, path: Path) -> None:
    """A Chrome trace by way of objects."""
    fields = ["op_id", "start_ns", "end_ns", "device_id", "stream_id", "model_id"]
    events = [
        {
            "name": NAMES[op_id - 1], "cat": "op", "ph": "X", "ts": start_ns / 1_000,
            "dur": (end_ns - start_ns) / 1_000, "pid": device_id, "tid": stream_id,
            "args": {"model_id": model_id, "op_id": op_id},
        }
        for op_id, start_ns, end_ns, device_id, stream_id, model_id in array[fields].tolist()
    ]  # fmt: skip
    path.write_bytes(orjson.dumps({"traceEvents": events}))


def by_builder(array: np.ndarray, path: Path) -> None:
    """A Perfetto trace by the builder of the package `perfetto`."""
    builder = TraceProtoBuilder()
    packet = builder.add_packet()
    packet.track_descriptor.uuid, packet.track_descriptor.name = 1, "ops"
    for op_id, start_ns, end_ns in array[["op_id", "start_ns", "end_ns"]].tolist():
        for at_ns, kind in ((start_ns, TrackEvent.TYPE_SLICE_BEGIN), (end_ns, TrackEvent.TYPE_SLICE_END)):
            packet = builder.add_packet()
            packet.timestamp, packet.trusted_packet_sequence_id = at_ns, 1
            packet.track_event.type, packet.track_event.track_uuid = kind, 1
            if kind == TrackEvent.TYPE_SLICE_BEGIN:
                packet.track_event.name = NAMES[op_id - 1]
    path.write_bytes(builder.serialize())


def cpu_ns(work: Callable[[], object], count: int) -> float:
    """CPU nanoseconds an op, of all threads."""
    began_ns = time.process_time_ns()
    work()
    return (time.process_time_ns() - began_ns) / count


def growth_mb(name: str, count: int) -> float:
    """Megabytes by which a fresh process's peak rises while it writes `count` ops."""
    command = [sys.executable, __file__, name, str(count)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def write_many(name: str, count: int) -> float:
    """The same in this process; ops are made a batch at a time."""
    batch_of = records(65_536)
    batch = optap._core.make_batch(batch_of.tobytes(), OPS)
    with tempfile.TemporaryDirectory() as folder, optap.FileWriter(Path(folder) / name) as file:
        file.write(batch)  # what is loaded once is there before the measure
        before_mb = peak_mb()
        for _ in range(count // len(batch)):
            file.write(batch)
    return peak_mb() - before_mb


def run(scale: Scale) -> list[Row]:
    """Everything in turns, then memory."""
    count = scale.pick(1_000_000, 20_000)
    array = records(count)
    table = optap.OpTable([optap._core.make_batch(array.tobytes(), OPS)])
    floors = {name: cargo_bench("optap-export", name) for name in FLOORS}
    with tempfile.TemporaryDirectory(dir=Path("/dev/shm") if Path("/dev/shm").is_dir() else None) as folder:
        at = Path(folder)

        def ours(name: str) -> Callable[[], float]:
            return lambda: cpu_ns(lambda: optap.export(table, at / name, overwrite=True), count)

        def frame() -> None:
            polars.DataFrame(table).write_parquet(at / "rival.parquet")

        told = in_turns(
            {
                "chrome": ours("x.json"),
                "orjson": lambda: cpu_ns(lambda: by_orjson(array, at / "rival.json"), count),
                "floor chrome": lambda: figures(floors["chrome"])[FLOORS["chrome"]],
                "perfetto": ours("x.pftrace"),
                "builder": lambda: cpu_ns(lambda: by_builder(array, at / "rival.pftrace"), count),
                "floor perfetto": lambda: figures(floors["perfetto"])[FLOORS["perfetto"]],
                "arrow columns": lambda: cpu_ns(lambda: pyarrow.table(table), count),
                "parquet": ours("x.parquet"),
                "polars": lambda: cpu_ns(frame, count),
            },
            rounds=scale.pick(5, 1),
        )
    columns_ns = told.median("arrow columns")
    rows = [
        told.row("Chrome trace", "chrome", "orjson", at_least(15), inverse=True),
        told.row("Chrome trace, against the floor", "chrome", "floor chrome", at_most(2.5)),
        told.row("Perfetto trace", "perfetto", "builder", at_least(30), inverse=True),
        told.row("Perfetto trace, against the floor", "perfetto", "floor perfetto", at_most(2.5)),
        Row("columns to pyarrow, a record", f"{columns_ns:.3g} ns", "", None, at_most(80), columns_ns),
        told.row("Parquet", "parquet", "polars", None),
    ]
    many = scale.pick(10_000_000, 200_000)
    for name in ("x.json", "x.pftrace", "x.parquet", "x.arrow", "x.db"):
        grown = in_turns({name: lambda name=name: growth_mb(name, many)}, rounds=1)
        mine_mb = grown.median(name)
        rows.append(Row(f"growth over {many:,} ops, {name}", f"{mine_mb:.3g} MB", "", None, at_most(MOST_MB), mine_mb))
    return rows


if __name__ == "__main__":
    print(write_many(sys.argv[1], int(sys.argv[2])))
