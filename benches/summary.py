"""Count, total, mean, median and 99th percentile of each operator type: while batches arrive, and by polars."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import numpy as np
import optap
import polars as pl
from harness import Row, Scale, at_least, at_most, in_turns
from optap.testing import ScriptedModel

TYPES = [f"Type{at}" for at in range(40)]
CHUNK = 1_000_000
BATCH = 4_096

Figures = dict[str, float]


def batches(count: int) -> list[optap.Batch]:
    """`count` ops in batches, as a subscription gives them; types and durations in no order that helps."""
    rng = np.random.default_rng(1)
    durations_ns = (rng.lognormal(9, 1.5, 4_093) + 300).astype(int)
    times_ns = [(1_000, 1_000 + one) for one in durations_ns.tolist()]
    types = [TYPES[at] for at in rng.integers(0, len(TYPES), 997)]

    async def record(chunk: int) -> list[optap.Batch]:
        told: list[optap.Batch] = []
        model = ScriptedModel(count=chunk, names=types, types=types, times_ns=times_ns)
        async with model, optap.subscribe(model, capacity=chunk) as ops:
            await model.run()
            while sum(map(len, told)) < chunk:
                told.append(await ops.receive_batch(BATCH))
        return told

    chunk = min(count, CHUNK)
    return [batch for _ in range(count // chunk) for batch in anyio.run(record, chunk)]


def frame(told: Sequence[optap.Batch]) -> pl.DataFrame:
    """The same ops as two columns, as polars likes them best: numbers for types."""
    number = {name: at for at, name in enumerate(TYPES)}
    types, durations = [], []
    for batch in told:
        array, names = batch.array, batch.types
        of_op = np.zeros(max(names) + 1, np.uint32)
        for op_id, name in names.items():
            of_op[op_id] = number[name]
        types.append(of_op[array["op_id"]])
        durations.append(array["end_ns"] - array["start_ns"])
    return pl.DataFrame({"type": np.concatenate(types), "duration_ns": np.concatenate(durations)})


def by_polars(table: pl.DataFrame) -> dict[str, tuple[float, ...]]:
    """The figures of each type, exact."""
    duration = pl.col("duration_ns")
    figures = [duration.len().alias("count"), duration.sum().alias("total"), duration.mean().alias("mean")]
    figures += [duration.quantile(share, "lower").alias(f"p{share}") for share in (0.5, 0.99)]
    told = table.group_by("type").agg(figures).rows()
    return {TYPES[row[0]]: row[1:] for row in told}


def by_optap(told: Sequence[optap.Batch]) -> dict[str, tuple[float, ...]]:
    """The same, from batch to batch."""
    summary = optap.Summary(by="type")
    for batch in told:
        summary.add(batch)
    return {row.name: (row.count, row.total_ns, row.mean_ns, row.p50_ns, row.p99_ns) for row in summary.rows()}


def cost(work: Callable[[], Any], count: int) -> Figures:
    """CPU and wall time of `work`, in nanoseconds a record."""
    cpu_ns, wall_ns = time.process_time_ns(), time.perf_counter_ns()
    work()
    return {
        "cpu": (time.process_time_ns() - cpu_ns) / count,
        "wall": (time.perf_counter_ns() - wall_ns) / count,
    }


def exact(table: pl.DataFrame) -> dict[str, tuple[float, ...]]:
    """The same by sorting: a quantile is the value that its share of the others does not exceed."""
    told = {}
    for (number,), group in table.group_by("type"):
        values = np.sort(group["duration_ns"].to_numpy())
        ranks = [int(np.ceil(share * len(values))) - 1 for share in (0.5, 0.99)]
        told[TYPES[number]] = (len(values), float(values.sum()), float(values.mean()), *map(float, values[ranks]))
    return told


def errors(right: dict[str, tuple[float, ...]], told: dict[str, tuple[float, ...]]) -> tuple[float, float]:
    """The greatest error of a quantile, as a part of it, and of any other figure."""
    pairs = [(right[name], told[name]) for name in right]
    parts = [[abs(b - a) / a for a, b in zip(*pair, strict=True)] for pair in pairs]
    return max(max(one[3:]) for one in parts), max(max(one[:3]) for one in parts)


def run(scale: Scale) -> list[Row]:
    """Both in turns, on the same ops."""
    told = batches(scale.pick(10_000_000, 200_000))
    table = frame(told)
    count = len(table)
    contestants = {
        "ours": lambda: cost(lambda: by_optap(told), count),
        "polars": lambda: cost(lambda: by_polars(table), count),
    }
    rounds = in_turns(contestants, rounds=scale.pick(7, 2))
    quantiles, others = errors(exact(table), by_optap(told))
    ours = rounds.median("ours cpu")
    return [
        rounds.row("summary by type, CPU a record", "ours cpu", "polars cpu", at_least(2), inverse=True),
        rounds.row("summary by type, wall time a record", "ours wall", "polars wall", None, inverse=True),
        Row("summary by type, CPU a record", f"{ours:.3g} ns", "", None, at_most(25), ours),
        Row("greatest error of p50 and p99, %", f"{100 * quantiles:.2f}", "exact", None, at_most(1), 100 * quantiles),
        Row(
            "greatest error of count, total, mean, %", f"{100 * others:.2g}", "exact", None, at_most(1e-6), 100 * others
        ),
    ]
