"""P7: Ctrl-C where something goes on that cannot be stopped: one is enough, two at most, and no process aborts."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "programs" / "left_behind.py"
LOOPS = ["asyncio", "uvloop", "trio"]
LIMIT_S = 20
"""Longer than the five seconds for which a device waits for launched functions."""


ENDED = (-signal.SIGINT, 130, 1)
"""By the signal, or by an interrupt that a task group or a late press turned into an error; never by an abort."""


def interrupt(loop: str, action: str, endless: str = "doze", presses: int = 1) -> tuple[int, str]:
    """Runs the program, interrupts it once it is ready, and returns how it ended, and what it said."""
    command = [sys.executable, "-X", "dev", str(PROGRAM), loop, action, endless]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            for _ in range(presses):
                time.sleep(0.3)
                process.send_signal(signal.SIGINT)
            _, noise = process.communicate(timeout=LIMIT_S)
        finally:
            process.kill()
    assert "Fatal" not in noise
    assert "not rethrown" not in noise
    return process.returncode, noise


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("endless", ["doze", "spin", "sleep"])
def test_one_ends_a_program_whose_launched_function_never_does(loop: str, endless: str) -> None:
    code, noise = interrupt(loop, "inside", endless)
    assert code == -signal.SIGINT, noise


@pytest.mark.parametrize("loop", LOOPS)
def test_a_second_one_does_not_wait_for_the_function(loop: str) -> None:
    code, noise = interrupt(loop, "inside", presses=2)
    assert code in ENDED, noise


@pytest.mark.parametrize("loop", LOOPS)
def test_one_while_the_device_is_left_ends_the_program(loop: str) -> None:
    code, noise = interrupt(loop, "leaving")
    assert code == -signal.SIGINT, noise


@pytest.mark.parametrize("endless", ["doze", "spin", "sleep"])
def test_one_ends_the_wait_of_the_interpreters_end(endless: str) -> None:
    code, noise = interrupt("asyncio", "exit", endless)
    assert code == 0, noise


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("action", ["plain", "child", "thread"])
def test_one_ends_a_plain_loop(loop: str, action: str) -> None:
    code, noise = interrupt(loop, action)
    assert code in ENDED, noise
