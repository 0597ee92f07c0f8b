"""How much of the time was taken by ops too short to be shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ("Density",)

_BINS = 2_048


class Density:
    """Time taken, by lane and by 2,048 stretches of time, which grow wider as time goes on."""

    def __init__(self) -> None:
        self._zero_ns = 0
        self._width_ns = 1
        self._lanes: dict[int, NDArray[np.float64]] = {}

    def add(self, ops: NDArray[np.void]) -> None:
        """Count ops of the dtype `OP`, each where it began."""
        self._fit(int(ops["start"].min()), int(ops["start"].max()))
        zero_ns = np.uint64(self._zero_ns % (1 << 64))  # may lie before 0; the difference is right all the same
        bins = (ops["start"] - zero_ns) // np.uint64(self._width_ns)
        for lane in np.unique(ops["lane"]).tolist():
            is_here = ops["lane"] == lane
            taken = self._lanes.setdefault(lane, np.zeros(_BINS))
            np.add.at(taken, bins[is_here].astype(np.intp), ops["duration"][is_here].astype(np.float64))

    def told(self, zero_ns: int) -> dict[str, Any]:
        """Start from `zero_ns` on and width of the stretches, and for each lane the share of each that was taken."""
        shares = {lane: np.minimum(taken / self._width_ns, 1).round(3).tolist() for lane, taken in self._lanes.items()}
        return {"start": self._zero_ns - zero_ns, "width": self._width_ns, "lanes": shares}

    def _fit(self, first_ns: int, last_ns: int) -> None:
        if not self._lanes:
            self._zero_ns = first_ns
        while first_ns < self._zero_ns or last_ns - self._zero_ns >= _BINS * self._width_ns:
            self._widen(downwards=first_ns < self._zero_ns)

    def _widen(self, *, downwards: bool) -> None:
        """Make the stretches twice as wide; the new half of the time lies before the old one, or behind it."""
        if downwards:
            self._zero_ns -= _BINS * self._width_ns
        self._width_ns *= 2
        for lane, taken in self._lanes.items():
            halves = [np.zeros(_BINS // 2), taken.reshape(-1, 2).sum(axis=1)]
            self._lanes[lane] = np.concatenate(halves if downwards else halves[::-1])
