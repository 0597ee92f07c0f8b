"""`where`: which ops a subscriber wants."""

from __future__ import annotations

import optap
import pytest
from optap.testing import ScriptedModel
from support import expect_settled, rest, take

pytestmark = pytest.mark.anyio

OPS = {
    "/encoder/conv1": "Conv",
    "/encoder/relu1": "Relu",
    "/decoder/conv2": "Conv",
    "/decoder/matmul": "MatMul",
    "": "Identity",
}
TIMES_NS = [(100, 200), (100, 110), (100, 1100), (0, 900), (900, 100)]

CONV = optap.where(type="Conv")
ENCODER = optap.where(name="/encoder/*")
LONG = optap.where(min_duration_ns=100)
ALL = list(OPS)


def scripted(**settings: object) -> ScriptedModel:
    return ScriptedModel(count=len(OPS), names=list(OPS), types=list(OPS.values()), times_ns=TIMES_NS, **settings)


async def passed(condition: optap.Filter) -> list[str]:
    """Names of the ops that `condition` lets through; checks that the others are counted."""
    async with scripted() as model, optap.subscribe(model, where=condition) as ops:
        await model.run()
        account = ops.statistics()
        names = [op.name for op in await take(ops, account.produced)]
        assert account.filtered == len(OPS) - len(names)
        return names


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        (optap.where(), ALL),
        (optap.where(kind="op"), ALL),
        (optap.where(kind=["range", "mark", "step"]), []),
        (CONV, ["/encoder/conv1", "/decoder/conv2"]),
        (optap.where(type=["Relu", "MatMul"]), ["/encoder/relu1", "/decoder/matmul"]),
        (optap.where(type="*e*"), ["/encoder/relu1", ""]),
        (optap.where(type="conv"), []),
        (ENCODER, ["/encoder/conv1", "/encoder/relu1"]),
        (optap.where(name="/?ncoder/*1"), ["/encoder/conv1", "/encoder/relu1"]),
        (optap.where(name=""), [""]),
        (optap.where(name=[]), []),
        (optap.where(min_duration_ns=0), ALL[:3]),
        (LONG, ["/encoder/conv1", "/decoder/conv2"]),
        (optap.where(min_duration_ns=101), ["/decoder/conv2"]),
        (optap.where(type="Conv", name="/encoder/*"), ["/encoder/conv1"]),
    ],
)
async def test_every_given_condition_holds(condition: optap.Filter, names: list[str]) -> None:
    assert await passed(condition) == names


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        (CONV & ENCODER, ["/encoder/conv1"]),
        (CONV | ENCODER, ALL[:3]),
        (~CONV, ["/encoder/relu1", "/decoder/matmul", ""]),
        (~~CONV, ["/encoder/conv1", "/decoder/conv2"]),
        (CONV & ~ENCODER, ["/decoder/conv2"]),
        (~(CONV | ENCODER), ["/decoder/matmul", ""]),
        (ENCODER & LONG, ["/encoder/conv1"]),
        (ENCODER | LONG, ALL[:3]),
        (~LONG, ["/encoder/relu1", "/decoder/matmul", ""]),
        (~optap.where(), []),
    ],
)
async def test_conditions_combine_as_sets_do(condition: optap.Filter, names: list[str]) -> None:
    assert await passed(condition) == names


async def test_a_stream_is_told_by_its_id() -> None:
    async with (
        scripted(streams=[1, 2]) as model,
        optap.subscribe(model, where=optap.where(stream=2)) as second,
        optap.subscribe(model, where=optap.where(stream=[1, 2])) as both,
    ):
        await model.run()
        assert [op.stream_id for op in await take(second, 2)] == [2, 2]
        assert both.statistics().produced == 5


async def test_a_stream_is_told_by_the_object() -> None:
    async with optap.open_device(0) as device:
        stream = device.create_stream()
        async with (
            scripted(streams=[stream.stream_id, stream.stream_id + 1]) as model,
            optap.subscribe(model, where=optap.where(stream=stream)) as ops,
        ):
            await model.run()
            assert ops.statistics().produced == 3


async def test_refused_ops_are_no_gap_and_take_no_room() -> None:
    async with scripted() as model, optap.subscribe(model, where=CONV, capacity=2) as ops:
        await model.run()
        assert [(op.sequence, op.gap) for op in await take(ops, 2)] == [(0, 0), (2, 0)]
        assert not any(ops.statistics().dropped.values())
        assert ops.statistics().filtered == 3


async def test_lost_ops_are_counted_whatever_the_filter() -> None:
    """Nobody knows what a lost op would have been."""
    async with scripted(gaps={2: 4}) as model, optap.subscribe(model, where=CONV) as ops:
        await model.run()
        assert [(op.sequence, op.gap) for op in await take(ops, 2)] == [(0, 0), (6, 4)]


async def test_filters_of_side_by_side_subscribers_are_their_own() -> None:
    async with (
        scripted() as model,
        optap.subscribe(model, where=CONV) as convs,
        optap.subscribe(model, where=~CONV) as others,
        optap.subscribe(model) as whole,
    ):
        await model.run()
        accounts = [ops.statistics() for ops in (convs, others, whole)]
        assert [(account.produced, account.filtered) for account in accounts] == [(2, 3), (3, 2), (5, 0)]


async def test_a_filter_serves_many_subscriptions_and_models() -> None:
    """The answers that a filter remembers belong to one model's ops."""
    for types in (["Conv"], ["Relu"]) * 3:
        async with ScriptedModel(count=4, types=types) as model, optap.subscribe(model, where=CONV) as ops:
            await model.run()
            assert ops.statistics().produced == (4 if types == ["Conv"] else 0)


async def test_a_reader_is_not_woken_by_what_is_refused() -> None:
    async with scripted() as model, optap.subscribe(model, where=optap.where(name="none")) as ops:
        run = model.start()
        await run
        await ops.aclose()
        assert await rest(ops) == []
        expect_settled(ops.statistics())


@pytest.mark.parametrize("bad", [{"kind": "node"}, {"kind": ["op", "thing"]}])
def test_an_unknown_kind_is_named(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"node|thing"):
        optap.where(**bad)


@pytest.mark.parametrize("bad", [{"name": 3}, {"type": [b"Conv"]}, {"stream": "one"}, {"min_duration_ns": "long"}])
def test_a_condition_of_a_wrong_type_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        optap.where(**bad)


@pytest.mark.parametrize("bad", [{"min_duration_ns": -1}, {"stream": -1}, {"stream": 1 << 32}])
def test_a_number_out_of_range_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises((ValueError, OverflowError)):
        optap.where(**bad)


def test_a_condition_has_no_truth_of_its_own() -> None:
    with pytest.raises(TypeError, match="&"):
        _ = optap.where(type="Conv") and optap.where(type="Mul")
