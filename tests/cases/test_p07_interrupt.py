"""P7: Ctrl-C with nothing to read."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import expect_quiet

PROGRAM = Path(__file__).parent / "programs" / "interrupted.py"


def interrupt(loop: str, action: str, times: int = 1) -> tuple[int, str, str]:
    """Runs the program, interrupts it once it waits, and returns how it ended."""
    command = [sys.executable, "-X", "dev", str(PROGRAM), loop, action]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            time.sleep(0.3)
            for _ in range(times):
                process.send_signal(signal.SIGINT)
                time.sleep(0.1)
            told, noise = process.communicate(timeout=10)
        finally:
            process.kill()
    return process.returncode, told, noise


@pytest.mark.parametrize("loop", ["asyncio", "uvloop", "trio"])
@pytest.mark.parametrize("action", ["iterate", "next", "stop"])
def test_it_ends_at_once_and_the_account_is_readable(loop: str, action: str) -> None:
    code, told, noise = interrupt(loop, action)
    assert code == 130, noise
    assert told.strip() == ("2" if action == "stop" else "0")
    expect_quiet(noise)


@pytest.mark.parametrize("loop", ["asyncio", "uvloop", "trio"])
@pytest.mark.parametrize("action", ["iterate", "next", "stop"])
def test_a_second_interrupt_does_no_more_harm(loop: str, action: str) -> None:
    code, _, noise = interrupt(loop, action, times=2)
    assert code in (130, -signal.SIGINT, 1), noise
    assert "core dumped" not in noise
    assert "Fatal Python error" not in noise
