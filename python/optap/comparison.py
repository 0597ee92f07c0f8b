"""Which operators became slower or faster from one profile to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from optap._source import Source, batches_of
from optap.durations import Durations, Key
from optap.ranks import holm, rank_test

__all__ = ("Change", "Comparison", "Verdict", "compare")

Verdict = Literal["slower", "faster", "same", "unclear", "new", "gone"]
"""What is said of an operator.

`slower`, `faster`: its median changed by `min_change` or more, and noise does not explain it. `unclear`: it changed by
as much, and noise may explain it. `same`: it did not. `new`, `gone`: it ran on one side only.
"""

_BLOCKS = 32
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Change:
    """How one operator changed. Times are in nanoseconds."""

    name: str
    """The operator, or the type."""
    type: str
    """Its type; empty by type."""
    kernel: str
    """What the engine ran; empty by type."""
    count_before: int
    """Ops with a valid duration before."""
    count_after: int
    """The same after."""
    before_ns: float
    """Median duration before; 0 where there is none."""
    after_ns: float
    """Median duration after; 0 where there is none."""
    change: float
    """What `after_ns` is more than `before_ns`, as a part of it: 0.1 is 10 % slower. 0 where a side has none."""
    superiority: float
    """Probability that the operator takes longer after than before; 0.5 is no effect."""
    p: float
    """Probability of such a difference by chance, adjusted for the number of operators."""
    verdict: Verdict
    """What follows."""

    @property
    def impact_ns(self) -> float:
        """What the change comes to in all, by the number of ops after (before, where it is gone)."""
        return (self.after_ns - self.before_ns) * (self.count_after or self.count_before)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two profiles side by side."""

    changes: tuple[Change, ...]
    """The operators, those with the greatest impact first, those of a clear verdict before the others."""
    run: Change | None
    """All operators of a run together; `None` where a side has no two runs."""

    def slower_than(self, limit: float) -> list[Change]:
        """What is clearly slower, by more than `limit`: 0.05 is 5 %."""
        told = [*self.changes, *([self.run] if self.run else [])]
        return [one for one in told if one.verdict == "slower" and one.change > limit]


def compare(
    before: Source,
    after: Source,
    by: Literal["name", "type"] = "name",
    *,
    min_change: float = 0.01,
) -> Comparison:
    """Compare durations, operator by operator, in a way that allows for noise.

    The ops of an operator are cut, in the order of their times, into at most 32 blocks of equal size, and the median of
    each block is one sample: what disturbs neighbours together, such as another process, counts once. The samples
    of both sides meet in a Mann-Whitney test, and its probabilities are adjusted for the number of operators after
    Holm. Below 0.05, and with a median that changed by `min_change` or more, the verdict is clear.

    Two profiles tell of two sessions. What differs between sessions of the same program, such as the place of its
    memory, no test can take away: put several profiles of each side, taken in turns, into one folder, and read that.

    Args:
        before: What `read` gave, or batches.
        after: The same.
        by: Compare operators (`name`: name, type and kernel together) or types.
        min_change: Changes of the median below this part are no change.

    Raises:
        ValueError: `by` is not known, or `min_change` is negative.

    Examples:
        >>> compare([], [])
        Comparison(changes=(), run=None)
    """
    if by not in ("name", "type"):
        raise ValueError(f"by={by!r} is no key; choose from name, type")
    if min_change < 0:
        raise ValueError(f"min_change={min_change} is negative")
    sides = [Durations.of(batches_of(source), by) for source in (before, after)]
    keys = list(dict.fromkeys(key for side in sides for key in side.keys))
    changes = _judged([_Pair(key, *(side[key] for side in sides)) for key in keys], min_change)
    runs = [side.runs() for side in sides]
    has_runs = all(len(one) > 1 for one in runs)
    run = _judged([_Pair(("(all of a run)", "", ""), *runs)], min_change)[0] if has_runs else None
    return Comparison(tuple(sorted(changes, key=_rank)), run)


def _rank(change: Change) -> tuple[bool, float]:
    return change.verdict in ("same", "unclear"), -abs(change.impact_ns)


@dataclass(frozen=True)
class _Pair:
    """The durations of one key on both sides."""

    key: Key
    before: NDArray[np.uint64]
    after: NDArray[np.uint64]

    def judged(self, p: float, superiority: float, min_change: float) -> Change:
        medians = [float(np.median(side)) if len(side) else 0.0 for side in (self.before, self.after)]
        change = medians[1] / medians[0] - 1 if all(medians) else 0.0
        sizes = len(self.before), len(self.after)
        verdict = _verdict(sizes, change, p, min_change)
        name, kind, kernel = self.key
        return Change(
            name=name,
            type=kind,
            kernel=kernel,
            count_before=sizes[0],
            count_after=sizes[1],
            before_ns=medians[0],
            after_ns=medians[1],
            change=change,
            superiority=superiority,
            p=p,
            verdict=verdict,
        )


def _verdict(sizes: tuple[int, int], change: float, p: float, min_change: float) -> Verdict:
    if not all(sizes):
        return "new" if sizes[1] else "gone"
    if abs(change) < min_change or change == 0:
        return "same"
    if p >= _LEVEL:
        return "unclear"
    return "slower" if change > 0 else "faster"


def _judged(pairs: list[_Pair], min_change: float) -> list[Change]:
    tests = [rank_test(_samples(pair.before), _samples(pair.after)) for pair in pairs]
    is_tested = [bool(len(pair.before) and len(pair.after)) for pair in pairs]
    adjusted = iter(holm([test.p for test, is_one in zip(tests, is_tested, strict=True) if is_one]))
    ps = [next(adjusted) if is_one else 1.0 for is_one in is_tested]
    told = zip(pairs, ps, tests, strict=True)
    return [pair.judged(p, test.superiority, min_change) for pair, p, test in told]


def _samples(durations_ns: NDArray[np.uint64]) -> NDArray[np.float64]:
    if len(durations_ns) <= _BLOCKS:
        return durations_ns.astype(np.float64)
    return np.array([np.median(block) for block in np.array_split(durations_ns, _BLOCKS)])
