"""The types told are the types that are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(300)


def run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_reading_has_the_types_it_promises() -> None:
    run("mypy", "--strict", "--warn-unused-ignores", "tests/typing/reading.py")


def test_the_stub_is_the_native_module() -> None:
    run("mypy.stubtest", "optap._core")
