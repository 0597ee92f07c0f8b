"""Sums and quantiles of ops by key, against the same figures worked out from all durations."""

import math

import anyio
import optap
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optap.cli.table import plain_table
from optap.testing import ScriptedModel


async def _sum_up(summary, count, **script):
    async with ScriptedModel(count=count, **script) as model, optap.subscribe(model, capacity=count) as ops:
        await model.run()
        while summary.records < count:
            summary.add(await ops.receive_batch())
    return summary


def sum_up(by, count, **script):
    return anyio.run(lambda: _sum_up(optap.Summary(by), count, **script))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 1 << 62), min_size=1, max_size=200))
def test_quantiles_are_within_one_percent(durations_ns):
    times_ns = [(1, 1 + one) for one in durations_ns]
    (row,) = sum_up("type", len(times_ns), times_ns=times_ns).rows()
    for share, told in ((0.5, row.p50_ns), (0.99, row.p99_ns)):
        exact = sorted(durations_ns)[max(math.ceil(share * len(durations_ns)), 1) - 1]
        assert told == pytest.approx(exact, rel=0.008)
    assert (row.min_ns, row.max_ns, row.total_ns) == (min(durations_ns), max(durations_ns), sum(durations_ns))
    assert row.mean_ns == pytest.approx(sum(durations_ns) / len(durations_ns))


def test_sums_are_exact_and_ops_without_a_valid_time_are_counted_apart():
    times_ns = [(100, 110), (200, 150), (0, 50), (300, 340)]
    rows = {row.name: row for row in sum_up("name", 8, names=["a", "b", "a", "b"], times_ns=times_ns).rows()}
    assert (rows["a"].count, rows["a"].untimed, rows["a"].total_ns, rows["a"].max_ns) == (4, 2, 20, 10)
    assert (rows["b"].count, rows["b"].untimed, rows["b"].total_ns, rows["b"].mean_ns) == (4, 2, 80, 40)
    assert (rows["a"].share, rows["b"].share) == (0.2, 0.8)
    assert list(rows) == ["b", "a"]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("type", ["Conv", "Relu"]),
        ("name", ["a", "a", "b"]),
        ("stream", ["device 0 stream 3", "device 0 stream 20"]),
        ("range", ["(no range)"]),
        ("step", ["(no step)"]),
    ],
)
def test_a_row_stands_for_one_key(by, names):
    script = {"names": ["a", "a", "b", "b"], "types": ["Conv", "Relu", "Relu", "Relu"], "streams": [20, 3]}
    rows = sum_up(by, 8, times_ns=[(10, 30)], **script).rows(sort="name")
    assert [row.name for row in rows] == names
    assert sum(row.count for row in rows) == 8


@pytest.mark.parametrize(
    ("sort", "names"),
    [("total", "bac"), ("count", "abc"), ("mean", "cba"), ("max", "bca"), ("name", "abc")],
)
def test_rows_are_sorted_as_asked(sort, names):
    script = {
        "names": ["a", "a", "a", "b", "b", "c"],
        "times_ns": [(1, 21), (1, 21), (1, 21), (1, 91), (1, 11), (1, 56)],
    }
    assert "".join(row.name for row in sum_up("name", 6, **script).rows(sort=sort)) == names


@pytest.mark.parametrize("name", ["", "汉" * 90, "\udcff", "a\x00b", "y" * 10_000])
def test_any_name_is_a_key(name):
    (row,) = sum_up("name", 3, names=[name], types=[name]).rows()
    assert (row.name, row.type, row.count) == (name, name, 3)


def test_losses_are_told():
    assert sum_up("type", 4, gaps={1: 5, 3: 2}).lost == 7


def test_keys_beyond_the_limit_are_one_row():
    summary = optap.Summary("name", max_rows=2)
    anyio.run(lambda: _sum_up(summary, 9, names=list("abc")))
    assert {row.name: row.count for row in summary.rows()} == {"a": 3, "b": 3, "(others)": 3}


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: optap.Summary("colour"), "by=\"colour\" is no key; choose from type, name, step, range, stream"),
        (lambda: optap.Summary(max_rows=0), "max_rows=0 must be 1 or more"),
        (lambda: optap.Summary().rows(sort="colour"), "sort='colour' is no order"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_named(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_names_are_told_in_full_where_there_is_no_terminal():
    rows = sum_up("name", 2, names=["encoder/" * 20 + "MatMul", "x"], types=["T" * 40]).rows()
    assert "encoder/" * 20 + "MatMul" in plain_table(rows)
    assert "T" * 40 in plain_table(rows)
    assert max(map(len, plain_table(rows, width=100).splitlines())) <= 100
