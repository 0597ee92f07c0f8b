"""Sums and quantiles of operator times, against the same figures worked out from all durations."""

import anyio
import numpy as np
import optap
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optap.cli.histogram import Histograms
from optap.cli.operators import OperatorTimes
from optap.testing import ScriptedModel


@given(st.lists(st.integers(0, 1 << 37), min_size=1), st.sampled_from([0.5, 0.99, 1.0]))
def test_a_quantile_is_within_one_percent(durations_ns, share):
    histograms = Histograms()
    histograms.grow(1)
    histograms.add(np.zeros(len(durations_ns), np.intp), np.array(durations_ns, np.uint64))
    exact = sorted(durations_ns)[max(int(np.ceil(share * len(durations_ns))), 1) - 1]
    assert histograms.quantile(0, share) == pytest.approx(exact, rel=0.008)


def test_growing_keeps_what_was_counted():
    histograms = Histograms()
    histograms.grow(1)
    histograms.add(np.zeros(3, np.intp), np.full(3, 40, np.uint64))
    histograms.grow(100)
    assert (histograms.quantile(0, 0.5), histograms.quantile(99, 0.5)) == (40, 0)


def test_sums_are_exact_and_ops_without_a_valid_time_are_counted_apart():
    times_ns = [(100, 110), (200, 150), (0, 50), (300, 340)]
    model = ScriptedModel(count=8, names=["a", "b", "a", "b"], times_ns=times_ns)
    rows = {row.name: row for row in anyio.run(_times_of, model).rows()}
    assert (rows["a"].count, rows["a"].untimed, rows["a"].total_ns, rows["a"].max_ns) == (4, 2, 20, 10)
    assert (rows["b"].count, rows["b"].untimed, rows["b"].total_ns, rows["b"].mean_ns) == (4, 2, 80, 40)
    assert (rows["a"].share, rows["b"].share) == (0.2, 0.8)
    assert list(rows) == ["b", "a"]


async def _times_of(model):
    times = OperatorTimes()
    with model:
        async with optap.subscribe(model) as ops:
            await model.run()
            while times.records < 8:
                times.add(await ops.receive_batch())
    return times
