"""P9: times that cannot be."""

from __future__ import annotations

import time

import numpy as np
import optap
import pytest
from optap.testing import ScriptedModel
from support import play, take

pytestmark = pytest.mark.anyio

FUTURE_NS = time.monotonic_ns() + 10_000_000_000

CASES = [
    ((0, 0), None, "time_zero"),
    ((5, 0), None, "time_zero"),
    ((10, 4), None, "time_reversed"),
    ((7, 7), 0, None),
    ((2**63, 2**63 + 5), 5, None),
    ((2**64 - 1, 0), None, "time_zero"),
    ((FUTURE_NS - 10, FUTURE_NS), 10, None),
]
TIMES_NS = [times for times, _, _ in CASES]
DURATIONS_NS = [duration for _, duration, _ in CASES]
REASONS = {"time_zero", "time_reversed"}


async def test_single_ops_keep_raw_times_and_flag_the_rest() -> None:
    async with ScriptedModel(count=len(CASES), times_ns=TIMES_NS) as model, optap.subscribe(model) as ops:
        await model.run()
        seen = await take(ops, len(CASES))
    assert [(op.start_ns, op.end_ns) for op in seen] == TIMES_NS
    assert [op.duration_ns for op in seen] == DURATIONS_NS
    assert [op.flags & REASONS for op in seen] == [{reason} - {None} for _, _, reason in CASES]


async def test_a_batch_keeps_raw_times_and_flag_bits() -> None:
    async with ScriptedModel(count=len(CASES), times_ns=TIMES_NS) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        batch = await ops.receive_batch(len(CASES))
    array = batch.array
    assert list(zip(array["start_ns"].tolist(), array["end_ns"].tolist(), strict=True)) == TIMES_NS
    flagged = (array["flags"] & (1 << 6 | 1 << 7)) != 0
    assert flagged.tolist() == [duration is None for duration in DURATIONS_NS]
    sound = array[~flagged]
    assert (sound["end_ns"] - sound["start_ns"]).tolist() == [one for one in DURATIONS_NS if one is not None]


async def test_sums_over_unflagged_ops_are_sound() -> None:
    async with (
        ScriptedModel(count=len(CASES), times_ns=TIMES_NS) as model,
        optap.subscribe(model, fields=["duration_ns"]) as ops,
    ):
        await model.run()
        durations = [duration for (duration,) in await take(ops, len(CASES))]
    known = [duration for duration in durations if duration is not None]
    assert sum(known) == 15
    assert len(durations) - len(known) == 4


async def test_a_filter_by_duration_lets_no_flagged_op_pass() -> None:
    async with (
        ScriptedModel(count=len(CASES), times_ns=TIMES_NS) as model,
        optap.subscribe(model, where=optap.where(min_duration_ns=0)) as ops,
    ):
        await model.run()
        assert ops.statistics().produced == 3
        assert ops.statistics().filtered == 4


async def test_starts_out_of_order_keep_the_order_of_completion() -> None:
    times_ns = [(500, 600), (100, 200), (300, 700), (50, 60)]
    async with ScriptedModel(count=4, times_ns=times_ns, streams=[1, 2]) as model, optap.subscribe(model) as ops:
        await model.run()
        seen = await take(ops, 4)
    assert [(op.start_ns, op.end_ns) for op in seen] == times_ns
    assert [(op.stream_id, op.sequence) for op in seen] == [(1, 0), (2, 0), (1, 1), (2, 1)]


async def test_no_column_is_signed() -> None:
    kinds = {np.dtype(optap.OP_DTYPE[name]).kind for name in optap.OP_DTYPE.names}
    assert kinds == {"u"}
