"""Ops: their attributes, and times that cannot be."""

from __future__ import annotations

import threading
import time

import anyio
import optap
import pytest
from optap.testing import ScriptedModel
from support import play

FLAGS = frozenset({"scripted"})
MOST = 2**64 - 1


def record(start_ns: int = 10, end_ns: int = 30, **settings: object) -> optap.Op:
    """The one op of a script."""

    async def run() -> optap.Op:
        async with (
            ScriptedModel(count=1, times_ns=[(start_ns, end_ns)], **settings) as model,
            optap.subscribe(model) as ops,
        ):
            await play(model, ops)
            return await ops.receive()

    return anyio.run(run)


def test_its_attributes_are_what_the_source_said() -> None:
    op = record(names=["conv"], types=["Conv"], streams=[7], first_sequence=41, device_id=0, gaps={0: 2})
    assert (op.name, op.type, op.kernel, op.kind) == ("conv", "Conv", "scripted", "op")
    assert (op.start_ns, op.end_ns, op.duration_ns) == (10, 30, 20)
    assert (op.device_id, op.stream_id, op.sequence, op.gap) == (0, 7, 43, 2)
    assert op.flags == FLAGS


def test_its_attributes_have_the_documented_types() -> None:
    op = record()
    for field in ("start_ns", "end_ns", "duration_ns", "model_id", "device_id", "stream_id", "thread_id", "run_id"):
        assert type(getattr(op, field)) is int, field
    for field in ("name", "type", "kernel", "kind"):
        assert type(getattr(op, field)) is str, field
    assert type(op.flags) is frozenset


def test_its_ids_are_those_of_its_source() -> None:
    async def run() -> None:
        async with ScriptedModel(count=1) as model, optap.subscribe(model) as ops:
            runs = [model.start(), model.start()]
            for one in runs:
                await one
            seen = [await ops.receive(), await ops.receive()]
            assert {op.run_id for op in seen} == {one.run_id for one in runs}
            assert {op.model_id for op in seen} == {model.model_id}
            assert threading.get_native_id() not in {op.thread_id for op in seen}

    anyio.run(run)


def test_its_text_tells_the_essentials() -> None:
    assert repr(record(names=["c'1"], types=["Conv"])) == "<Op 'Conv' \"c'1\" 20 ns>"
    assert repr(record(5, 0)) == "<Op 'Scripted' 'op' no duration>"


def test_it_cannot_be_made_or_changed() -> None:
    op = record()
    with pytest.raises(TypeError):
        optap.Op()
    with pytest.raises(AttributeError):
        op.name = "other"
    with pytest.raises(AttributeError):
        op.colour = "red"


def test_names_are_made_once() -> None:
    async def run() -> None:
        async with ScriptedModel(count=2, names=["a name that nobody interns"]) as model, optap.subscribe(model) as ops:
            await play(model, ops)
            one, two = await ops.receive(), await ops.receive()
            assert one.name is two.name

    anyio.run(run)


@pytest.mark.parametrize(
    ("start_ns", "end_ns", "duration_ns", "reason"),
    [
        (0, 0, None, {"time_zero"}),
        (5, 0, None, {"time_zero"}),
        (0, 5, None, {"time_zero"}),
        (10, 4, None, {"time_reversed"}),
        (7, 7, 0, set()),
        (1, MOST, MOST - 1, set()),
        (2**63, 2**63 + 5, 5, set()),
        (MOST, 0, None, {"time_zero"}),
        (MOST, 1, None, {"time_reversed"}),
    ],
)
def test_a_duration_is_absent_and_flagged_where_there_is_none(
    start_ns: int, end_ns: int, duration_ns: int | None, reason: set[str]
) -> None:
    op = record(start_ns, end_ns)
    assert (op.start_ns, op.end_ns) == (start_ns, end_ns), "raw times change"
    assert op.duration_ns == duration_ns
    assert op.flags == FLAGS | reason


def test_times_are_those_of_the_monotonic_clock() -> None:
    async def run() -> None:
        async with ScriptedModel(count=3) as model, optap.subscribe(model) as ops:
            before = time.monotonic_ns()
            await play(model, ops)
            after = time.monotonic_ns()
            slack = 1_000_000
            for _ in range(3):
                op = await ops.receive()
                assert before - slack <= op.start_ns <= op.end_ns <= after + slack

    anyio.run(run)
