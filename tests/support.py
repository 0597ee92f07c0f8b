"""Words that many tests share."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import optap
from optap.testing import ScriptedModel

REASONS = ("overflow", "ring", "closed", "stalled")


def soak(full: int, small: int) -> int:
    """The count of a long case: `full` with OPTAP_SOAK=1, `small` without."""
    return full if os.environ.get("OPTAP_SOAK") == "1" else small


def expect_conserved(account: optap.Statistics) -> None:
    """Rule (C): what was produced is delivered, dropped or in flight."""
    assert set(account.dropped) == set(REASONS)
    lost = sum(account.dropped.values())
    assert account.produced == account.delivered + lost + account.in_flight, account


def expect_settled(account: optap.Statistics) -> None:
    """Rule (C) after closing."""
    expect_conserved(account)
    assert account.in_flight == 0, account


def expect_rising(sequences: Iterable[int]) -> None:
    """Rule (O): the sequence numbers of one stream strictly increase."""
    broken = [(before, after) for before, after in pairwise(sequences) if after <= before]
    assert not broken, f"out of order: {broken[:5]}"


async def play(model: ScriptedModel, *subscriptions: optap.Subscription) -> None:
    """Runs `model`; its ops then lie in the queues, for taking an account flushes the rings."""
    await model.run()
    for ops in subscriptions:
        ops.statistics()


async def take(ops: optap.Subscription, count: int) -> list[Any]:
    """The next `count` ops."""
    return [await ops.receive() for _ in range(count)]


async def rest(ops: optap.Subscription) -> list[Any]:
    """All ops until the end."""
    return [op async for op in ops]


async def until(condition: Callable[[], Any], limit_s: float = 10) -> None:
    """Waits until `condition` holds."""
    with anyio.fail_after(limit_s):
        while not condition():  # noqa: ASYNC110 - any condition, so no event
            await anyio.sleep(0.001)


async def until_names_are(count: int) -> None:
    """Waits until the name table holds no more than `count` names."""
    await until(lambda: gc.collect() >= 0 and optap._core.name_table()[0] <= count)


def run_program(
    path: Path, *arguments: str, limit_s: float = 60, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a Python file in a fresh interpreter, in development mode, with more variables in its environment."""
    command, variables = [sys.executable, "-X", "dev", str(path), *arguments], os.environ | dict(environment or {})
    return subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False, env=variables)


def expect_quiet(stderr: str) -> None:
    """Rule (Q): nothing on stderr but a ResourceWarning of a subscription that was left open."""
    noise = [line for line in stderr.splitlines() if line and not _is_expected(line)]
    assert not noise, stderr


def _is_expected(line: str) -> bool:
    return "ResourceWarning: subscription to" in line or line.startswith("  ") or "Enable tracemalloc" in line
