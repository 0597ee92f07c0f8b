"""Whether one sample is greater than another, by ranks: no law of distribution is presumed."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ("RankTest", "holm", "rank_test")

_MOST_EXACT = 20
"""Values of both samples together up to which all ways to deal them out are counted."""


class RankTest(NamedTuple):
    """What a rank test tells.

    Attributes:
        p: Probability of a difference at least as great, to either side, if there were none in truth.
        superiority: Probability that a value of the second sample is greater than one of the first; 0.5 is no effect.
    """

    p: float
    superiority: float


def rank_test(before: NDArray[Any], after: NDArray[Any]) -> RankTest:
    """The two-sided test of Mann and Whitney; exact for 20 values or fewer, ties included, else by the normal law.

    Examples:
        >>> import numpy as np
        >>> rank_test(np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8]))
        RankTest(p=0.02857142857142857, superiority=1.0)
    """
    if not (len(before) and len(after)):
        return RankTest(1.0, 0.5)
    doubled, ties = _doubled_ranks(np.concatenate([before, after]))
    wins = doubled[len(before) :].sum() / 2 - len(after) * (len(after) + 1) / 2
    superiority = float(wins / (len(before) * len(after)))
    if len(doubled) <= _MOST_EXACT:
        return RankTest(_exact(doubled, len(after)), superiority)
    return RankTest(_normal(wins, len(before), len(after), ties), superiority)


def holm(ps: Sequence[float]) -> list[float]:
    """`ps` made greater for their number, after Holm: the chance that any is below 0.05 for no reason is below 0.05.

    Examples:
        >>> holm([0.01, 0.04, 0.5])
        [0.03, 0.08, 0.5]
    """
    adjusted, least = [0.0] * len(ps), 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=lambda at: ps[at])):
        least = max(least, min(ps[at] * (len(ps) - rank), 1.0))
        adjusted[at] = least
    return adjusted


def _doubled_ranks(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Twice the rank of each value, whole numbers also where equal values share a mean rank; how many are equal."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (2 * last - counts + 1)[inverse], counts


def _exact(doubled: NDArray[np.int64], size: int) -> float:
    """How many of all choices of `size` ranks have a sum at least as far from the mean as the last `size` have."""
    most = int(doubled.sum())
    ways = np.zeros((size + 1, most + 1))
    ways[0, 0] = 1
    for rank in doubled.tolist():
        ways[1:, rank:] += ways[:-1, : most + 1 - rank].copy()
    middle = most * size / len(doubled)
    is_as_far = np.abs(np.arange(most + 1) - middle) >= abs(doubled[len(doubled) - size :].sum() - middle) - 1e-9
    return float(ways[size, is_as_far].sum() / ways[size].sum())


def _normal(wins: float, first: int, second: int, ties: NDArray[np.int64]) -> float:
    total = first + second
    tied = float((ties.astype(float) ** 3 - ties).sum()) / (total * (total - 1))
    deviation = sqrt(first * second / 12 * (total + 1 - tied))
    away = max(abs(wins - first * second / 2) - 0.5, 0)
    return erfc(away / deviation / sqrt(2)) if deviation else 1.0
