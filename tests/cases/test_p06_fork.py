"""P6: a fork while subscribed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import expect_quiet, run_program, soak

PROGRAMS = Path(__file__).parent / "programs"
COUNT = soak(50_000, 10_000)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(120)]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("action", ["inherited", "own", "soft_exit", "hard_exit"])
def test_the_child_ends_and_the_parent_gets_everything(action: str, backend: str) -> None:
    ended = run_program(PROGRAMS / "fork_child.py", str(COUNT), backend, action)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert told["child"] == 0, f"the child ended with {told['child']}\n{ended.stderr}"
    assert told["in_order"], f"{told['seen']} of {COUNT}"
    assert told["produced"] == told["delivered"] == COUNT
    expect_quiet(ended.stderr)


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_each_start_method_of_multiprocessing_works(method: str) -> None:
    ended = run_program(PROGRAMS / "start_method.py", method)
    assert (ended.returncode, ended.stdout.strip()) == (0, "done"), ended.stderr
    expect_quiet(ended.stderr)
