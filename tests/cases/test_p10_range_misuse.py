"""P10: ranges that are misused; each misuse has one result and one counter."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

import anyio
import anyio.to_thread
import optap
import pytest
from annotated import listening, told

pytestmark = pytest.mark.anyio

DEPTH = 10_000


def leave(annotation: optap.Annotation) -> None:
    annotation.__exit__(None, None, None)


def counted(counter: str, act: Callable[[], object]) -> int:
    before = getattr(optap.annotations(), counter)
    act()
    return getattr(optap.annotations(), counter) - before


async def test_leaving_what_was_never_entered_changes_nothing() -> None:
    async with listening("range") as records:
        with optap.annotate("outer"):
            assert counted("unmatched_exits", lambda: leave(optap.annotate("never entered"))) == 1
        (outer,) = await told(records)
    assert (outer.name, outer.flags) == ("outer", frozenset())


async def test_leaving_twice_counts_once() -> None:
    annotation = optap.annotate("twice")
    async with listening("range") as records:
        annotation.__enter__()
        assert counted("unmatched_exits", lambda: leave(annotation)) == 0
        assert counted("unmatched_exits", lambda: leave(annotation)) == 1
        assert len(await told(records)) == 1


async def test_a_stray_exit_never_ends_the_range_of_an_outer_owner() -> None:
    """In a child task, a thread and a copied context, which all see the range but did not enter it."""
    annotation = optap.annotate("outer")

    async def child() -> None:
        leave(annotation)

    async with listening() as records:
        with annotation:
            before = optap.annotations().unmatched_exits
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(child)
            await anyio.to_thread.run_sync(leave, annotation)
            contextvars.copy_context().run(leave, annotation)
            thread = threading.Thread(target=leave, args=[annotation])
            thread.start()
            await anyio.to_thread.run_sync(thread.join)
            assert optap.annotations().unmatched_exits - before == 4
            optap.mark("still inside")
        mark, outer = await told(records)
    assert mark.range_id == outer.range_id
    assert outer.end_ns >= mark.start_ns
    assert not outer.flags


async def test_an_unknown_or_stopped_id_changes_nothing() -> None:
    started = optap.range_start("range")
    for known, is_stopped in ((started, True), (started, False), (0, False), (4_000_000_000, False)):
        before = optap.annotations().unknown_stops
        assert optap.range_stop(known) is is_stopped
        assert optap.annotations().unknown_stops - before == (not is_stopped)


@pytest.mark.parametrize("bad", [-1, 1 << 32, "1", None])
def test_an_id_that_cannot_be_is_refused(bad: object) -> None:
    with pytest.raises((TypeError, OverflowError)):
        optap.range_stop(bad)


async def test_an_unclosed_range_is_told_at_the_end_and_the_next_session_starts_empty() -> None:
    async with listening("range") as first:
        optap.annotate("unclosed", payload=5).__enter__()
        started = optap.range_start("started")
        with optap.annotate("closed"):
            pass
        assert optap.annotations().open_ranges == 2
        read = await told(first)
    assert [(record.name, "unclosed" in record.flags) for record in read] == [
        ("closed", False),
        ("unclosed", True),
        ("started", True),
    ]
    assert read[1].payload == 5
    assert all(record.duration_ns is not None for record in read)
    async with listening("range") as second:
        assert optap.annotations().open_ranges == 0
        assert await told(second) == []
    assert optap.range_stop(started)


async def test_ranges_nest_deeply() -> None:
    async with listening("range", capacity=2 * DEPTH) as records:
        entered = [optap.annotate("deep") for _ in range(DEPTH)]
        for annotation in entered:
            annotation.__enter__()
        for annotation in reversed(entered):
            leave(annotation)
        read = await told(records)
    assert len(read) == DEPTH
    assert [record.parent_id for record in read[:-1]] == [record.range_id for record in read[1:]]
    assert read[-1].parent_id == 0


def test_a_deep_nest_that_is_given_up_is_freed() -> None:
    def nest() -> None:
        for _ in range(DEPTH):
            optap.annotate("given up").__enter__()

    contextvars.copy_context().run(nest)
