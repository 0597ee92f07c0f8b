"""Each benchmark runs from end to end; the figures are taken elsewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHES = Path(__file__).parent.parent / "benches"
NAMES = sorted(path.stem for path in BENCHES.glob("*.py") if "\ndef run(scale: Scale)" in path.read_text())


def run(*arguments):
    command = [sys.executable, BENCHES / "run.py", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=280)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NAMES)
def test_a_bench_prints_its_table(name):
    told = run("--quick", name)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("\n|") >= 3


def test_the_command_knows_every_bench():
    told = run("--help").stdout
    assert NAMES
    assert [name for name in NAMES if name not in told] == []
