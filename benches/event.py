"""A stamped op in native code, against an LTTng-UST event of the same payload, in turns; and what the codec costs.

Needs a Rust toolchain; for the rival `apt install liblttng-ust-dev lttng-tools`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import NATIVE, Row, Scale, at_least, at_most, in_turns

ROOT = Path(__file__).parent.parent


def cargo_bench(package: str, bench: str) -> Path:
    """The compiled benchmark."""
    command = ["cargo", "bench", "--quiet", "--no-run", "--message-format=json", "-p", package, "--bench", bench]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    messages = (json.loads(line) for line in told.splitlines())
    return next(Path(message["executable"]) for message in messages if message.get("executable"))


def tabbed(executable: Path, rounds: int) -> dict[str, float]:
    """Names and nanoseconds, as the benchmark prints them."""
    told = subprocess.run([executable, str(rounds)], capture_output=True, text=True, check=True).stdout
    return {name: float(value) for name, value in (line.split("\t") for line in told.splitlines())}


def columns(executable: Path) -> dict[str, float]:
    """Names and the first figure of each line of a benchmark that prints a table."""
    told = subprocess.run([executable], capture_output=True, text=True, check=True).stdout
    return {name: float(value) for name, value in re.findall(r"^(\S.*?) {2,}(\d+\.\d+)", told, re.MULTILINE)}


def has_lttng() -> bool:
    """Whether LTTng's headers and its daemon are installed."""
    probe = ["cc", "-fsyntax-only", "-include", "lttng/tracepoint.h", "-x", "c", os.devnull]
    return (
        bool(shutil.which("lttng-sessiond")) and subprocess.run(probe, check=False, capture_output=True).returncode == 0
    )


@contextmanager
def lttng_session() -> Iterator[Path]:
    """A program whose events a session records into memory, as a flight recorder does."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "lttng"
        command = ["cc", "-O2", f"-I{NATIVE}", str(NATIVE / "lttng.c"), "-o", str(program), "-llttng-ust", "-ldl"]
        subprocess.run(command, check=True)
        environment = {**os.environ, "LTTNG_HOME": folder}
        daemon = subprocess.Popen(
            ["lttng-sessiond", "--no-kernel", "--quiet"], env=environment, stderr=subprocess.DEVNULL
        )
        try:
            _record(folder, environment)
            yield program
        finally:
            daemon.terminate()
            daemon.wait()


def _record(folder: str, environment: dict[str, str]) -> None:
    session = ["create", "optap-bench", "--snapshot", f"--output={folder}/trace"]
    channel = ["enable-channel", "-u", "ops", "--subbuf-size=1M", "--num-subbuf=4"]
    event = ["enable-event", "-u", "-c", "ops", "optap_bench:*"]
    wait = "for _ in $(seq 50); do lttng list >/dev/null 2>&1 && exit 0; sleep 0.1; done; exit 1"
    subprocess.run(["sh", "-c", wait], env=environment, check=True)
    for command in (session, channel, event, ["start"]):
        subprocess.run(["lttng", *command], env=environment, check=True, capture_output=True)


def against_lttng(op: Path, rounds: int) -> list[Row]:
    """The two in turns."""
    with lttng_session() as program:
        environment = {**os.environ, "LTTNG_HOME": str(program.parent)}

        def event() -> float:
            return float(subprocess.run([program], env=environment, capture_output=True, text=True, check=True).stdout)

        told = in_turns({"ours": lambda: tabbed(op, 1), "LTTng-UST": event}, rounds)
    return [
        told.row("stamped op, subscribed", "ours op, subscribed", "LTTng-UST", at_least(5), inverse=True),
        *_plain(told.values),
    ]


def _plain(values: dict[str, list[float]]) -> list[Row]:
    off = statistics.median(values["ours op, nobody subscribed"])
    stamped, clock = statistics.median(values["ours op, subscribed"]), statistics.median(values["ours clock"])
    bare = stamped - clock
    return [
        Row("op with nobody subscribed", f"{off:.3g} ns", "", None, at_most(1), off),
        Row("push of an op, clock not counted", f"{bare:.3g} ns", f"clock: {clock:.3g} ns", None, at_most(10), bare),
    ]


def run(scale: Scale) -> list[Row]:
    """The op against LTTng where it is installed; then the codec."""
    if shutil.which("cargo") is None:
        return [Row("native event", "not measured: no Rust toolchain", "", None, None)]
    op, rounds = cargo_bench("optap-profiler", "op"), scale.pick(9, 1)
    if has_lttng():
        rows = against_lttng(op, rounds)
    else:
        told = in_turns({"ours": lambda: tabbed(op, 1)}, rounds)
        missing = Row("LTTng-UST", "", "not installed: apt install liblttng-ust-dev lttng-tools", None, None)
        rows = [missing, *_plain(told.values)]
    return rows + _ring() + _codec()


def _ring() -> list[Row]:
    told = columns(cargo_bench("optap-ring", "push"))
    push, other = told["push"], told["rtrb"]
    return [
        Row("push of 64 bytes, bare ring", f"{push:.3g} ns", f"rtrb: {other:.3g} ns", push / other, at_most(10), push)
    ]


def _codec() -> list[Row]:
    told = columns(cargo_bench("optap-record", "codec"))
    whole = told["table CRC, whole buffer a getter"]
    verify, decode = told["verify"], told["verify + decode"]
    seeds = f"table CRC of the whole buffer by each of 6 getters: {whole:.3g} ns"
    return [
        Row("CANN record of 80 bytes: verify", f"{verify:.3g} ns", "", None, at_most(5), verify),
        Row("the same, verify and decode, 10 records a read", f"{decode:.3g} ns", seeds, decode / whole, None),
    ]
