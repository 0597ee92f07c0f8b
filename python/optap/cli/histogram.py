"""Distributions of durations in bounded memory, one for each operator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ("Histograms",)

_SPLIT_BITS = 6
_SPLITS = 1 << _SPLIT_BITS
_OCTAVES = 32
_BUCKETS = _SPLITS * _OCTAVES


class Histograms:
    """Counts of durations in 64 buckets for each doubling: a quantile is off by at most 0.8 %, up to 137 s.

    >>> histograms = Histograms()
    >>> histograms.grow(1)
    >>> histograms.add(np.zeros(3, int), np.array([10, 20, 30], np.uint64))
    >>> histograms.quantile(0, 0.5)
    20.0
    """

    def __init__(self) -> None:
        self._counts = np.zeros((0, _BUCKETS), np.int64)

    def grow(self, rows: int) -> None:
        """Hold at least `rows` distributions."""
        missing = rows - len(self._counts)
        if missing > 0:
            more = np.zeros((max(missing, len(self._counts)), _BUCKETS), np.int64)
            self._counts = np.concatenate([self._counts, more])

    def add(self, rows: NDArray[np.intp], durations_ns: NDArray[np.uint64]) -> None:
        """Count each duration in the distribution that stands beside it in `rows`."""
        np.add.at(self._counts, (rows, _bucket(durations_ns)), 1)

    def quantile(self, row: int, share: float) -> float:
        """The duration, in ns, that a `share` of the counted ones does not exceed; 0.0 if none was counted."""
        cumulated = np.cumsum(self._counts[row])
        if not cumulated[-1]:
            return 0.0
        rank = max(1, int(np.ceil(share * cumulated[-1])))
        return _middle_ns(int(np.searchsorted(cumulated, rank)))


def _bucket(durations_ns: NDArray[np.uint64]) -> NDArray[np.intp]:
    mantissas, exponents = np.frexp(durations_ns.astype(np.float64))
    octaves = exponents - _SPLIT_BITS
    splits = (2 * mantissas - 1) * _SPLITS
    buckets = np.where(octaves > 0, octaves * _SPLITS + splits, durations_ns)
    return np.minimum(buckets, _BUCKETS - 1).astype(np.intp)


def _middle_ns(bucket: int) -> float:
    octave, split = divmod(bucket, _SPLITS)
    if octave == 0:
        return float(split)
    width = 2.0 ** (octave - 1)
    return (_SPLITS + split) * width + (width - 1) / 2
