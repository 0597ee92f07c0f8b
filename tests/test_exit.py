"""The end of the interpreter, with everything still going: no abort, no traceback, the right exit code."""

import subprocess
import sys

import pytest

PRELUDE = """
import sys, time, threading
import anyio, optap
from optap.testing import ScriptedModel

async def main():
    global model, ops, reader, device
    model = ScriptedModel(count=10_000_000, rate=10_000)
    ops = optap.subscribe(model)
    model.start()
    device = optap.open_device(0)
    opened = await device.__aenter__()
    stream = opened.create_stream()
    reader = aiter(ops)
    await anext(reader)
"""

ENDS = {
    "with_a_run_and_a_reader": "    sys.exit(3)",
    "with_a_launched_function": "    stream.launch(time.sleep, 0.5)\n    sys.exit(3)",
    "with_launches_queued": "    [stream.launch(time.sleep, 0.2) for _ in range(100)]\n    sys.exit(3)",
}

RECURSION = """
import anyio, optap
def sink(depth=0):
    return max([depth], key=lambda _: sink(depth + 1))
async def main():
    async with optap.open_device(0) as device:
        stream = device.create_stream()
        stream.launch(sink)
        try:
            await stream.synchronize()
        except optap.OptapError as error:
            print(type(error.__cause__).__name__)
anyio.run(main)
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=50, check=False
    )


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_the_interpreter_ends_cleanly(end: str) -> None:
    ended = run(f"{PRELUDE}{end}\nanyio.run(main)\n")
    assert (ended.returncode, ended.stderr) == (3, "")


def test_a_launched_function_may_recurse_as_deep_as_any() -> None:
    assert run(RECURSION).stdout == "RecursionError\n"
