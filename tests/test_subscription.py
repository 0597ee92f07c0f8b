"""Subscriptions: when they start, in what order they tell, what they count, and to what they listen."""

from __future__ import annotations

import gc
import inspect
import warnings

import anyio
import numpy as np
import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_conserved, expect_rising, expect_settled, play, rest, take, until

pytestmark = pytest.mark.anyio


async def test_recording_starts_when_subscribe_returns() -> None:
    async with ScriptedModel(count=5) as model:
        await model.run()
        async with optap.subscribe(model) as ops:
            assert ops.statistics().produced == 0
            await model.run()
            assert ops.statistics().produced == 5


async def test_order_is_kept_in_each_stream() -> None:
    async with ScriptedModel(count=3000, streams=[4, 5, 6]) as model, optap.subscribe(model) as ops:
        await model.run()
        seen = await take(ops, 3000)
    for stream_id in (4, 5, 6):
        assert [op.sequence for op in seen if op.stream_id == stream_id] == list(range(1000))


async def test_the_account_adds_up_at_every_moment() -> None:
    async with (
        ScriptedModel(count=20_000) as model,
        optap.subscribe(model, capacity=500) as ops,
    ):
        run = model.start()
        while not run.is_done():
            with anyio.move_on_after(0.001):
                await ops.receive()
            expect_conserved(ops.statistics())
        await run
        account = ops.statistics()
        expect_conserved(account)
        assert account.produced == 20_000
        assert account.in_flight <= 500
    expect_settled(ops.statistics())


async def test_nothing_is_produced_after_closing() -> None:
    async with ScriptedModel(count=10) as model:
        async with optap.subscribe(model) as ops:
            await model.run()
        await model.run()
        account = ops.statistics()
        assert account.produced == account.dropped["closed"] == 10


async def test_wakes_are_counted() -> None:
    async with ScriptedModel(count=20, rate=200) as model, optap.subscribe(model, coalesce=0) as ops:
        model.start()
        await take(ops, 20)
        assert 0 < ops.statistics().wakes <= 20


async def test_a_subscriber_to_several_models_hears_each() -> None:
    async with (
        ScriptedModel(count=3, names=["a"], streams=[1]) as one,
        ScriptedModel(count=3, names=["b"], streams=[2]) as two,
        ScriptedModel(count=3, names=["c"], streams=[3]) as three,
        optap.subscribe([one, two]) as ops,
    ):
        for model in (one, two, three):
            await model.run()
        seen = await take(ops, 6)
        assert sorted(op.name for op in seen) == ["a"] * 3 + ["b"] * 3
        assert {op.model_id for op in seen} == {one.model_id, two.model_id}
        assert ops.statistics().produced == 6


async def test_a_subscriber_to_a_device_hears_every_model_of_it() -> None:
    async with (
        optap.open_device(0) as device,
        optap.subscribe(device) as ops,
        ScriptedModel(count=2, names=["early"]) as early,
        ScriptedModel(count=2, names=["late"]) as late,
    ):
        await early.run()
        await late.run()
        seen = await take(ops, 4)
        assert sorted(op.name for op in seen) == ["early", "early", "late", "late"]
        assert {op.device_id for op in seen} == {device.device_id}


async def test_overlapping_targets_give_each_op_once() -> None:
    async with (
        optap.open_device(0) as device,
        ScriptedModel(count=4) as model,
        optap.subscribe([device, model]) as ops,
    ):
        await model.run()
        assert ops.statistics().produced == 4


async def test_subscribers_have_their_own_accounts() -> None:
    async with (
        ScriptedModel(count=100) as model,
        optap.subscribe(model) as whole,
        optap.subscribe(model, capacity=10) as small,
    ):
        await model.run()
        assert [op.sequence for op in await take(whole, 100)] == list(range(100))
        assert whole.statistics().dropped["overflow"] == 0
        assert small.statistics().dropped["overflow"] == 90
        assert small.statistics().in_flight == 10


async def test_unfiltered_subscribers_share_the_bytes() -> None:
    async with ScriptedModel(count=50) as model, optap.subscribe(model) as one, optap.subscribe(model) as two:
        await play(model, one, two)
        first, second = await one.receive_batch(), await two.receive_batch()
        assert np.shares_memory(first.array, second.array)


async def test_batches_outlive_their_subscription_and_model() -> None:
    async with ScriptedModel(count=5, names=["kept"]) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        batch, op = await ops.receive_batch(4), await ops.receive()
    del model, ops
    assert [one.name for one in batch] == ["kept"] * 4
    assert op.name == "kept"


async def test_runs_side_by_side_keep_their_own_order() -> None:
    async with ScriptedModel(count=500, streams=[8]) as one, ScriptedModel(count=500, streams=[9]) as two:
        async with optap.subscribe([one, two]) as ops, anyio.create_task_group() as tasks:
            tasks.start_soon(one.run)
            tasks.start_soon(two.run)
            seen = await take(ops, 1000)
        for stream_id in (8, 9):
            expect_rising([op.sequence for op in seen if op.stream_id == stream_id])


async def test_a_subscriber_to_a_run_hears_no_other_and_ends_with_it() -> None:
    async with ScriptedModel(count=200, rate=2000) as model:
        heard, other = model.start(), model.start()
        with anyio.fail_after(10):
            async with optap.subscribe(heard) as ops:
                seen = await rest(ops)
        await other
        assert seen
        assert {op.run_id for op in seen} == {heard.run_id}
        expect_settled(ops.statistics())


async def test_a_subscription_to_an_ended_run_ends_at_once() -> None:
    async with ScriptedModel(count=2) as model:
        run = model.start()
        await run
        with anyio.fail_after(5):
            async with optap.subscribe(run) as ops:
                assert await rest(ops) == []


async def test_a_subscription_to_a_run_ends_when_the_run_is_cancelled() -> None:
    async with ScriptedModel(count=100_000, rate=1000) as model:
        run = model.start()
        with anyio.fail_after(10):
            async with optap.subscribe(run) as ops:
                await ops.receive()
                run.cancel()
                await rest(ops)
        with pytest.raises(optap.errors.RunCancelledError):
            await run


async def test_a_second_loop_may_go_on_reading() -> None:
    """A subscription belongs to the process, not to the loop that opened it."""
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        await model.run()
        first = await take(ops, 5)
        second = await anyio.to_thread.run_sync(lambda: anyio.run(take, ops, 5))
        assert [op.sequence for op in first + second] == list(range(10))


@pytest.mark.parametrize("target", [None, "model", 7.5, object()])
async def test_what_cannot_be_listened_to_is_refused(target: object) -> None:
    with pytest.raises(TypeError, match="neither a model, a run nor a device"):
        optap.subscribe([target])
    with pytest.raises(TypeError):
        optap.subscribe(target)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"capacity": 0}, "capacity=0"),
        ({"overflow": "never"}, "never"),
        ({"coalesce": -1.0}, "coalesce=-1"),
        ({"coalesce": float("nan")}, "coalesce=NaN"),
        ({"coalesce": 61.0}, "coalesce=61"),
        ({"fields": ["name", "colour"]}, "colour"),
    ],
)
async def test_settings_out_of_range_are_named(setting: dict[str, object], told: str) -> None:
    async with ScriptedModel(count=1) as model:
        with pytest.raises(ValueError, match=told):
            optap.subscribe(model, **setting)


async def test_a_subscription_never_closed_warns_once_and_names_its_target(unclosed: list[str]) -> None:
    async with ScriptedModel(count=1, name="forgotten") as model:
        optap.subscribe(model)
        await until(lambda: unclosed)
        assert unclosed == ["subscription to ScriptedModel 'forgotten' was never closed"]


async def test_a_closed_subscription_does_not_warn(unclosed: list[str]) -> None:
    async with ScriptedModel(count=1) as model:
        async with optap.subscribe(model):
            pass
        with optap.subscribe(model):
            pass
        await optap.subscribe(model).aclose()
        optap.subscribe(model).close()
    assert unclosed == []


async def test_a_subscription_to_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to listen to"):
        optap.subscribe([])


async def test_one_that_is_never_closed_is_told_at_the_line_that_opened_it() -> None:
    async with ScriptedModel(count=0, name="lost") as model:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            ops = optap.subscribe(model)
            opened = inspect.currentframe().f_lineno - 1
            del ops
            gc.collect()
    (warning,) = told
    assert (warning.filename, warning.lineno) == (__file__, opened)
    assert str(warning.message) == "subscription to ScriptedModel 'lost' was never closed"
