"""What became slower: the test by ranks, and the verdicts made of it."""

from itertools import combinations

import anyio
import numpy as np
import optap
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optap.ranks import holm, rank_test
from optap.testing import ScriptedModel

SMALL = st.lists(st.integers(0, 6), min_size=1, max_size=6)


def rank_sums(values):
    """Twice the rank of each value; equal values share the mean of theirs."""
    return [sum(2 * (other < one) + (other == one) for other in values) + 1 for one in values]


def by_all_deals(before, after):
    """The probability by dealing the values out in every way."""
    ranks = rank_sums(before + after)
    middle = sum(ranks) * len(after) / len(ranks)
    away = abs(sum(ranks[len(before) :]) - middle)
    deals = [abs(sum(deal) - middle) >= away - 1e-9 for deal in combinations(ranks, len(after))]
    return sum(deals) / len(deals)


@given(SMALL, SMALL)
def test_small_samples_are_tested_exactly(before, after):
    assert rank_test(np.array(before), np.array(after)).p == pytest.approx(by_all_deals(before, after))


@given(st.integers(0, 10_000))
def test_the_normal_law_is_near_the_exact_one_where_it_takes_over(seed):
    rng = np.random.default_rng(seed)
    before, after = rng.normal(0, 1, 10), rng.normal(rng.uniform(-1, 1), 1, 10)
    exact = rank_test(before, after)
    larger = rank_test(np.append(before, -1e9), np.append(after, 1e9))  # 22 values: by the normal law
    again = by_all_deals([*before[:5]], [*after[:5]])
    assert 0 <= larger.p <= 1
    assert rank_test(before[:5], after[:5]).p == pytest.approx(again)
    assert larger.p <= exact.p + 0.02 or exact.superiority < 0.5


def test_equal_laws_are_told_apart_no_more_often_than_promised():
    rng, tests = np.random.default_rng(0), 2_000
    ps = [rank_test(rng.lognormal(0, 1, 32), rng.lognormal(0, 1, 32)).p for _ in range(tests)]
    assert sum(p < 0.05 for p in ps) < tests * 0.05 + 3 * (tests * 0.05 * 0.95) ** 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_adjusted_probabilities_keep_their_order_and_never_shrink(ps):
    adjusted = holm(ps)
    assert all(p <= more <= min(1, p * len(ps)) or more <= 1 for p, more in zip(ps, adjusted, strict=True))
    order = sorted(range(len(ps)), key=lambda at: ps[at])
    assert [adjusted[at] for at in order] == sorted(adjusted)
    assert min(adjusted) == pytest.approx(min(min(ps) * len(ps), 1))


async def _record(durations_ns, name, runs):
    times_ns, at_ns = [], 1_000
    for one in durations_ns:
        times_ns.append((at_ns, at_ns + int(one)))
        at_ns += int(one) + 10
    count = len(times_ns) // runs
    told = []
    for run in range(runs):
        script = {"names": name, "types": ["T"], "times_ns": times_ns[run * count : (run + 1) * count]}
        async with ScriptedModel(count=count, **script) as model, optap.subscribe(model) as ops:
            await model.run()
            while sum(map(len, told)) < (run + 1) * count:
                told.append(await ops.receive_batch())
    return told


def record(durations_ns, name="a", runs=1):
    return anyio.run(_record, durations_ns, [name] if isinstance(name, str) else name, runs)


def noisy(middle_ns, count=200, seed=0):
    return np.random.default_rng(seed).lognormal(np.log(middle_ns), 0.1, count)


def verdict(before, after, **settings):
    (change,) = optap.compare(before, after, **settings).changes
    return change.verdict


def test_what_is_clearly_slower_or_faster_is_said_to_be():
    slow, fast = record(noisy(12_000)), record(noisy(10_000, seed=1))
    (change,) = optap.compare(fast, slow).changes
    assert (change.verdict, change.count_before, change.count_after) == ("slower", 200, 200)
    assert change.change == pytest.approx(0.2, abs=0.05)
    assert change.before_ns == pytest.approx(np.median(noisy(10_000, seed=1).astype(int)))
    assert change.superiority > 0.9
    assert change.impact_ns == pytest.approx(200 * (change.after_ns - change.before_ns))
    assert verdict(slow, fast) == "faster"


def test_noise_is_no_change():
    assert verdict(record(noisy(10_000)), record(noisy(10_000, seed=1)), min_change=0) in ("same", "unclear")
    assert verdict(record(noisy(10_000)), record(noisy(10_000))) == "same"


def test_a_change_below_the_least_is_none_however_sure():
    steady = np.tile([10_000, 10_001], 100)
    assert verdict(record(steady), record(steady + 50)) == "same"
    assert verdict(record(steady), record(steady + 50), min_change=0.004) == "slower"


def test_few_ops_are_no_proof():
    assert verdict(record([100, 101, 102]), record([200, 201, 202])) == "unclear"


def test_what_disturbs_neighbours_together_counts_once():
    """One pause of many ops in a row is one block, not a hundred witnesses."""
    paused = noisy(10_000, 400, seed=1)
    paused[:24] *= 3
    (change,) = optap.compare(record(noisy(10_000, 400)), record(paused), min_change=0).changes
    assert change.p > 0.05


def test_what_came_and_what_went_is_told():
    told = optap.compare(record([10] * 5, "old"), record([20] * 5, "new")).changes
    assert {one.name: (one.verdict, one.impact_ns) for one in told} == {"new": ("new", 100.0), "old": ("gone", -50.0)}


def test_the_greatest_impact_comes_first():
    before = record(np.tile([1_000, 50_000, 100], 40), ["a", "b", "c"])
    after = record(np.tile([2_000, 60_000, 300], 40), ["a", "b", "c"])
    assert [one.name for one in optap.compare(before, after).changes] == ["b", "a", "c"]


def test_types_add_their_operators_together():
    told = optap.compare(record([10] * 40, ["a", "b"]), record([20] * 40, ["a", "b"]), "type").changes
    assert [(one.name, one.count_before, one.verdict) for one in told] == [("T", 40, "slower")]


def test_runs_are_compared_as_a_whole():
    told = optap.compare(record(noisy(1_000, 400), runs=8), record(noisy(2_000, 400), runs=8))
    assert told.run is not None
    assert (told.run.count_before, told.run.verdict) == (8, "slower")
    assert optap.compare(record([5]), record([5])).run is None
    assert [one.name for one in told.slower_than(0.5)] == ["a", "(all of a run)"]
    assert told.slower_than(5) == []


@pytest.mark.parametrize(("settings", "told"), [({"by": "step"}, "by='step'"), ({"min_change": -1}, "min_change=-1")])
def test_what_is_not_known_is_named(settings, told):
    with pytest.raises(ValueError, match=told):
        optap.compare([], [], **settings)
