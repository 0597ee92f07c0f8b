"""Ranges and marks: what they tell, and that they pair by context."""

from __future__ import annotations

import contextvars
import gc
import threading
from pathlib import Path

import anyio
import anyio.from_thread
import anyio.to_thread
import models
import numpy as np
import optap
import pytest
from annotated import by_name, listening, told
from optap.testing import ScriptedModel
from support import expect_conserved, rest, run_program, take, until

pytestmark = pytest.mark.anyio

SHARED = optap.annotate("shared")


async def test_a_range_tells_what_was_said() -> None:
    async with listening() as records:
        with optap.annotate("outer", domain="llm", category="phase", payload=128):
            with optap.annotate("inner", payload=0.5):
                optap.mark("mark", domain="cache", payload=-3)
            optap.mark("bare")
        named = by_name(await told(records))
    outer, inner, mark, bare = (named[name] for name in ("outer", "inner", "mark", "bare"))
    assert (outer.kind, outer.type, outer.kernel, outer.payload) == ("range", "llm", "phase", 128)
    assert (inner.type, inner.kernel, inner.payload) == ("", "", 0.5)
    assert (mark.kind, mark.type, mark.payload, mark.duration_ns) == ("mark", "cache", -3, 0)
    assert (bare.payload, bare.range_id) == (None, outer.range_id)
    assert (inner.parent_id, outer.parent_id, mark.parent_id) == (outer.range_id, 0, inner.range_id)
    assert outer.start_ns <= inner.start_ns <= mark.start_ns <= inner.end_ns <= bare.start_ns <= outer.end_ns
    assert {record.thread_id for record in named.values()} == {threading.get_native_id()}
    assert [set(record.flags) for record in (outer, inner, bare)] == [{"payload_int"}, {"payload_float"}, set()]


async def test_sequences_count_the_annotations_of_a_thread() -> None:
    async with listening("range", "mark") as records:
        for _ in range(3):
            with optap.annotate("range"):
                optap.mark("mark")
        sequences = [record.sequence for record in await told(records)]
    assert sequences == list(range(sequences[0], sequences[0] + 6))


async def test_ops_carry_the_range_in_which_their_run_was_launched() -> None:
    async with ScriptedModel(count=2) as model, listening() as records, optap.subscribe(model) as ops:
        await model.run()
        with optap.annotate("outer"):
            first = model.start()
            with optap.annotate("inner"):
                await model.run()
        await first
        named = by_name(await told(records))
        carried = [op.range_id for op in await take(ops, 6)]
    outer, inner = named["outer"].range_id, named["inner"].range_id
    assert sorted(carried) == sorted([0, 0, outer, outer, inner, inner])


async def test_the_ops_of_a_model_carry_the_range_too() -> None:
    async with optap.open_device(0) as device:
        model = await device.load_model(models.chain(3, (4,)))
        where = optap.where(kind=["op", "range"])
        async with optap.subscribe(device, where=where) as records:
            with optap.annotate("run"):
                await model.run(np.zeros(4, np.float32))
            read = await told(records)
            assert sorted(record.kind for record in read) == ["op", "op", "op", "range"]
            assert len({record.range_id for record in read}) == 1
            ops = [record for record in read if record.kind == "op"]
            assert ops[0].parent_id == ops[0].range_id != 0


async def test_the_fields_and_columns_have_the_range() -> None:
    async with ScriptedModel(count=1) as model:
        where = optap.where(kind=["op", "mark"])
        async with optap.subscribe(model, where=where, fields=["kind", "name", "range_id"]) as rows:
            with optap.annotate("unheard"):
                await model.run()
                optap.mark("mark")
            (kind, _, range_id), mark = await rest_of(rows, 2)
            assert (kind, mark) == ("op", ("mark", "mark", range_id))
            assert range_id != 0


async def rest_of(rows: optap.Subscription, count: int) -> list[tuple]:
    return sorted(await take(rows, count), key=lambda row: row[0], reverse=True)


async def test_interleaved_tasks_pair_each_for_itself() -> None:
    names = [f"task {index}" for index in range(20)]

    async def work(name: str, model: ScriptedModel) -> None:
        for _ in range(3):
            with optap.annotate(name), SHARED:
                await anyio.lowlevel.checkpoint()
                optap.mark(name)
                await model.run()
                await anyio.lowlevel.checkpoint()

    async with ScriptedModel(count=1) as model, listening() as records, optap.subscribe(model) as ops:
        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(work, name, model)
        read = await told(records)
        carried = {op.range_id for op in await take(ops, 60)}
    ranges = {record.range_id: record for record in read if record.kind == "range"}
    assert len(ranges) == 20 * 3 * 2
    shared = {id_: record for id_, record in ranges.items() if record.name == "shared"}
    assert carried == set(shared)
    for record in shared.values():
        assert ranges[record.parent_id].name in names
    for mark in (record for record in read if record.kind == "mark"):
        inner = ranges[mark.range_id]
        assert (inner.name, ranges[inner.parent_id].name) == ("shared", mark.name)
    assert optap.annotations().open_ranges == 0


async def test_one_object_may_be_entered_in_itself() -> None:
    async with listening("range") as records:
        with SHARED, SHARED, SHARED:
            pass
        first, second, third = await told(records)
    assert (first.parent_id, second.parent_id, third.parent_id) == (second.range_id, third.range_id, 0)


async def test_a_cancelled_task_ends_its_ranges() -> None:
    async def hang() -> None:
        with optap.annotate("cancelled"):
            async with optap.annotate("inner"):
                await anyio.sleep_forever()

    async with listening("range") as records:
        async with anyio.create_task_group() as tasks:
            with optap.annotate("outer"):
                tasks.start_soon(hang)
                await anyio.wait_all_tasks_blocked()
                tasks.cancel_scope.cancel()
        read = await told(records)
    assert [record.name for record in read if record.name != "outer"] == ["inner", "cancelled"]
    assert not any("unclosed" in record.flags for record in read)


async def test_an_exception_passes_through() -> None:
    async with listening("range") as records:
        with pytest.raises(ZeroDivisionError), optap.annotate("sync"):
            _ = 1 / 0
        with pytest.raises(ZeroDivisionError):
            async with optap.annotate("async"):
                _ = 1 / 0
        assert [record.name for record in await told(records)] == ["sync", "async"]


async def test_child_tasks_and_threads_inherit() -> None:
    async def child() -> None:
        optap.mark("task")

    async with listening() as records:
        with optap.annotate("outer"):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(child)
            await anyio.to_thread.run_sync(optap.mark, "thread")
        optap.mark("outside")
        named = by_name(await told(records))
    outer = named["outer"].range_id
    assert [named[name].range_id for name in ("task", "thread", "outside")] == [outer, outer, 0]
    assert named["thread"].thread_id != named["task"].thread_id


async def test_launched_functions_inherit() -> None:
    async with optap.open_device(0) as device, listening() as records:
        stream = device.create_stream()
        with optap.annotate("outer"):
            stream.launch(optap.mark, "launched")
        await stream.synchronize()
        named = by_name(await told(records))
    assert named["launched"].range_id == named["outer"].range_id


async def test_a_child_keeps_the_range_that_its_parent_has_left() -> None:
    """Also where the parent enters the same object again meanwhile."""
    ready, left = anyio.Event(), anyio.Event()

    async def child() -> None:
        ready.set()
        await left.wait()
        with optap.annotate("child"):
            pass

    annotation = optap.annotate("parent", payload=1)
    async with listening("range") as records, anyio.create_task_group() as tasks:
        with annotation:
            tasks.start_soon(child)
            await ready.wait()
        with annotation:
            left.set()
            await anyio.wait_all_tasks_blocked()
        first, inner, second = await told(records)
    assert (first.name, inner.name, second.name) == ("parent", "child", "parent")
    assert inner.parent_id == first.range_id != second.range_id


async def test_ranges_that_overlap_each_end() -> None:
    async with listening() as records:
        one, other, inner = (optap.annotate(name) for name in ("one", "other", "inner"))
        one.__enter__()
        other.__enter__()
        one.__exit__(None, None, None)
        optap.mark("after one")
        with inner:
            pass
        other.__exit__(None, None, None)
        optap.mark("after both")
        named = by_name(await told(records))
    other_id = named["other"].range_id
    assert (named["after one"].range_id, named["inner"].parent_id, named["after both"].range_id) == (
        other_id,
        other_id,
        0,
    )
    assert named["other"].parent_id == named["one"].range_id


async def test_a_range_may_be_stopped_by_any_thread() -> None:
    async with listening("range") as records:
        with optap.annotate("outer"):
            started = optap.range_start("request", domain="http", payload=7)
            with optap.annotate("sibling"):
                pass
        assert await anyio.to_thread.run_sync(optap.range_stop, started)
        named = by_name(await told(records))
    request, outer = named["request"], named["outer"]
    assert (request.range_id, request.type, request.payload) == (started, "http", 7)
    assert (request.parent_id, named["sibling"].parent_id) == (outer.range_id, outer.range_id)
    assert request.end_ns >= outer.end_ns


async def test_recording_may_begin_in_the_middle() -> None:
    """Ops carry the range in force, also where its beginning was heard by nobody."""
    with optap.annotate("early"):
        async with ScriptedModel(count=1) as model, listening() as records, optap.subscribe(model) as ops:
            await model.run()
            optap.mark("mark")
            assert [record.name for record in await told(records)] == ["mark"]
            (op,) = await take(ops, 1)
            assert op.range_id != 0


async def test_a_range_that_began_before_is_told_when_it_ends() -> None:
    annotation = optap.annotate("early")
    annotation.__enter__()
    async with listening("range") as records:
        annotation.__exit__(None, None, None)
        (early,) = await told(records)
    assert (early.name, early.flags) == ("early", frozenset())
    assert early.duration_ns


async def test_nobody_gets_what_he_did_not_choose() -> None:
    async with ScriptedModel(count=3) as model, optap.subscribe(model) as ops, listening("mark") as marks:
        for _ in range(5):
            with optap.annotate("range"):
                optap.mark("mark")
        await model.run()
        account, mark_account = ops.statistics(), marks.statistics()
    assert (account.produced, account.filtered) == (3, 0)
    assert (mark_account.produced, mark_account.filtered) == (5, 0)


async def test_a_condition_chooses_among_annotations() -> None:
    where = optap.where(kind="range", name="kept*") | optap.where(kind="op", min_duration_ns=1 << 60)
    async with ScriptedModel(count=4) as model, optap.subscribe(model, where=where) as records:
        for name in ("kept", "refused", "kept too"):
            with optap.annotate(name):
                optap.mark("kept mark")
        await model.run()
        account = records.statistics()
        assert [record.name for record in await told(records)] == ["kept", "kept too"]
    assert (account.produced, account.filtered) == (2, 1 + 4)


async def test_a_condition_on_streams_concerns_ops_alone() -> None:
    where = optap.where(kind=["op", "range"]) & optap.where(stream=[0, 1, 2, 3])
    async with ScriptedModel(count=4) as model, optap.subscribe(model, where=where) as records:
        with optap.annotate("range"):
            await model.run()
        assert {record.kind for record in await told(records)} == {"op"}


async def test_losses_are_counted_and_told() -> None:
    async with listening("mark", capacity=5) as records:
        for index in range(20):
            optap.mark("mark", payload=index)
        account = records.statistics()
        expect_conserved(account)
        assert (account.produced, account.dropped["overflow"]) == (20, 15)
        read = await told(records)
    assert [(record.payload, record.gap) for record in read] == [(15, 15), (16, 0), (17, 0), (18, 0), (19, 0)]


async def test_a_block_subscription_holds_no_annotation() -> None:
    """A mark may be made on the event loop itself, so it is dropped where an op would wait."""
    async with listening("mark", capacity=5, overflow="block") as records:
        for index in range(20):
            optap.mark("mark", payload=index)
        account = records.statistics()
        expect_conserved(account)
        assert (account.in_flight, account.dropped["overflow"]) == (5, 15)
        assert [record.payload for record in await told(records)] == [0, 1, 2, 3, 4]


async def test_a_decorator_covers_each_call() -> None:
    @optap.annotate("sync")
    def add(one: int, other: int = 1) -> int:
        """Adds."""
        return one + other

    @optap.annotate("async", domain="d")
    async def double(one: int) -> int:
        await anyio.lowlevel.checkpoint()
        return add(one, other=one)

    async with listening("range") as records:
        async with anyio.create_task_group() as tasks:
            for index in range(5):
                tasks.start_soon(double, index)
        read = await told(records)
    assert (add.__name__, add.__doc__, add(2)) == ("add", "Adds.", 3)
    outer = {record.range_id for record in read if record.name == "async"}
    inner = [record.parent_id for record in read if record.name == "sync"]
    assert (len(outer), sorted(inner)) == (5, sorted(outer))


@pytest.mark.parametrize("refused", ["generator", "async generator", "class", "number"])
def test_a_decorator_refuses_what_it_cannot_cover(refused: str) -> None:
    def generator():
        yield

    async def async_generator():
        yield

    given = {"generator": generator, "async generator": async_generator, "class": threading.Thread, "number": 3}
    with pytest.raises(TypeError, match="annotate"):
        optap.annotate("x")(given[refused])


@pytest.mark.parametrize("function", [optap.annotate, optap.mark, optap.range_start])
@pytest.mark.parametrize(
    ("positional", "named"),
    [
        ((), {}),
        (("x", "y"), {}),
        ((3,), {}),
        ((b"x",), {}),
        (("x",), {"domain": 3}),
        (("x",), {"category": b"x"}),
        (("x",), {"payload": "3"}),
        (("x",), {"colour": "red"}),
    ],
)
def test_a_wrong_argument_is_refused(function, positional, named) -> None:
    with pytest.raises(TypeError):
        function(*positional, **named)


@pytest.mark.parametrize("payload", [1 << 63, -(1 << 63) - 1])
def test_a_payload_beyond_64_bits_is_refused(payload: int) -> None:
    with pytest.raises(OverflowError, match=str(payload)):
        optap.mark("x", payload=payload)


@pytest.mark.parametrize("payload", [0, -1, (1 << 63) - 1, -(1 << 63), 0.25, float("inf"), True, None])
async def test_a_payload_comes_back(payload: float | None) -> None:
    async with listening("mark") as records:
        optap.mark("x", payload=payload)
        (mark,) = await told(records)
    assert mark.payload == payload
    assert type(mark.payload) is (int if payload is True else type(payload))


@pytest.mark.parametrize("message", ["", "x" * 100_000, "名前", "a\0b", "\udcff", "</script>"])
async def test_a_message_is_any_text(message: str) -> None:
    async with listening("mark", "range") as records:
        optap.mark(message)
        with optap.annotate(message, domain=message):
            pass
        mark, span = await told(records)
    assert (mark.name, span.name, span.type) == (message, message, message)


async def test_a_surrogate_that_stands_for_no_byte_is_replaced() -> None:
    async with listening("mark") as records:
        optap.mark("a\ud800b")
        (mark,) = await told(records)
    assert mark.name.startswith("a")
    assert "\ud800" not in mark.name


async def test_messages_made_on_the_way_do_not_add_up() -> None:
    async with listening("mark") as records:
        for index in range(5_000):
            optap.mark(f"message {index}")
        assert [record.name for record in await told(records)] == [f"message {index}" for index in range(5_000)]
    assert optap.annotations().labels <= 2_048


async def test_an_abandoned_range_is_collected_and_told() -> None:
    class Canary:
        pass

    def abandon() -> None:
        context = contextvars.copy_context()
        variable: contextvars.ContextVar[Canary] = contextvars.ContextVar("canary")
        context.run(variable.set, Canary())
        context.run(optap.annotate("abandoned").__enter__)

    async with listening("range") as records:
        abandon()
        await until(lambda: gc.collect() >= 0 and not any(isinstance(one, Canary) for one in gc.get_objects()))
        (record,) = await told(records)
    assert (record.name, record.flags) == ("abandoned", {"unclosed"})


async def test_a_foreign_value_of_the_variable_is_passed_over() -> None:
    context = contextvars.copy_context()
    with optap.annotate("outer"):
        inside = contextvars.copy_context()
    (variable,) = [one for one in inside if one.name == "optap.range"]
    context.run(variable.set, "mine")
    async with listening() as records:
        context.run(optap.mark, "mark")
        context.run(optap.annotate("range").__enter__)
        mark, span = await told(records)
    assert (mark.range_id, span.parent_id) == (0, 0)


async def test_reading_goes_on_while_annotations_come() -> None:
    async def annotate_all() -> None:
        for index in range(200):
            async with optap.annotate("range", payload=index):
                await anyio.lowlevel.checkpoint()
        await records.aclose()

    async with listening("range") as records, anyio.create_task_group() as tasks:
        tasks.start_soon(annotate_all)
        assert [record.payload for record in await rest(records)] == list(range(200))


@pytest.mark.parametrize("calls", ["functions", "methods"])
def test_a_child_annotates_too_and_an_interpreter_that_hides_its_functions_suffices(calls: str) -> None:
    program = Path(__file__).parent / "cases" / "programs" / "annotating.py"
    told = run_program(program, environment={"OPTAP_CONTEXT_CALLS": calls})
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines() == ["outer inner None", "outer inner open"]
