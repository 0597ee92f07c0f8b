"""P1: the loop ends while the source keeps producing."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import optap
import pytest
from leaks import Census
from optap.testing import ScriptedModel
from support import expect_rising, expect_settled, soak, take

pytestmark = pytest.mark.soak

ROUNDS = soak(20, 4)
PAUSE_S = soak(500, 100) / 1000


@contextmanager
def lasting_model() -> Iterator[ScriptedModel]:
    """A model that produces longer than any test runs."""
    with ScriptedModel(count=1_000_000, rate=2000, name="lasting") as model:
        model.start()
        yield model


async def take_and_leave(model: ScriptedModel) -> optap.Subscription:
    """Takes 50 ops and leaves the subscription open."""
    ops = optap.subscribe(model)
    expect_rising([op.sequence for op in await take(ops, 50)])
    return ops


def expect_counted(ops: optap.Subscription) -> None:
    """What the loop did not take is dropped, reason `closed`."""
    ops.close()
    account = ops.statistics()
    expect_settled(account)
    assert account.delivered == 50
    assert account.dropped["closed"] == account.produced - 50


def test_the_next_loop_works_and_the_rest_is_counted(run_loop: Callable[..., Any]) -> None:
    with lasting_model() as model:
        base = Census.take()
        for _ in range(ROUNDS):
            first = run_loop(take_and_leave, model)
            time.sleep(PAUSE_S)
            second = run_loop(take_and_leave, model)
            expect_counted(first)
            expect_counted(second)
            assert first.statistics().dropped["closed"] > 0
            del first, second
            base.expect_again(limit_s=1)


def test_a_forgotten_subscription_closes_itself(run_loop: Callable[..., Any], unclosed: list[str]) -> None:
    with lasting_model() as model:
        base = Census.take()
        for done in range(1, ROUNDS + 1):
            run_loop(take_and_leave, model)
            run_loop(take_and_leave, model)
            gc.collect()
            assert unclosed == ["subscription to ScriptedModel 'lasting' was never closed"] * (2 * done)
            base.expect_again(limit_s=1)
