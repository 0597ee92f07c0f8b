"""Runs of a model, and what their operators told meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anyio
from numpy.typing import NDArray

from optap.batch import Batch, Op
from optap.model import Model
from optap.subscription import Statistics, Subscription, subscribe
from optap.summary import Summary

__all__ = ("Work",)


class Work:
    """`repeat` runs of `model`, `concurrency` at a time; its ops are summed up, and given to `sink`, if any."""

    def __init__(
        self,
        model: Model,
        arrays: Sequence[NDArray[Any]],
        repeat: int,
        concurrency: int,
        sink: Callable[[Batch], None] | None,
    ) -> None:
        self.summary = Summary(by="name")
        self.repeat = repeat
        self.concurrency = concurrency
        self.runs_done = 0
        self.elapsed_s = 0.0
        self._model = model
        self._arrays = arrays
        self._sink = sink
        self._runs_left = repeat
        self._start_s = 0.0
        self._ops: Subscription[Op] | None = None

    async def run(self) -> None:
        """Do it all. When this is cancelled or a run fails, what was recorded until then is still read."""
        self._start_s = anyio.current_time()
        async with subscribe(self._model) as self._ops, anyio.create_task_group() as readers:
            readers.start_soon(self._read, self._ops)
            try:
                async with anyio.create_task_group() as workers:
                    for _ in range(min(self.concurrency, self.repeat)):
                        workers.start_soon(self._serve)
            finally:
                self.elapsed_s = anyio.current_time() - self._start_s
                with anyio.CancelScope(shield=True):
                    await self._ops.aclose()

    def statistics(self) -> Statistics | None:
        """The account of the subscription, once there is one."""
        return None if self._ops is None else self._ops.statistics()

    def per_second(self, count: int) -> float:
        """`count` divided by the seconds that the work has taken so far."""
        return count / max(self._seconds(), 1e-9)

    def status(self) -> str:
        """One line about now."""
        statistics = self.statistics()
        dropped = sum(statistics.dropped.values()) if statistics else 0
        records = self.summary.records
        return (
            f"{self.runs_done:,} of {self.repeat:,} runs in {self._seconds():.1f} s, "
            f"{records:,} records, {self.per_second(records):,.0f} records/s, {dropped:,} dropped"
        )

    def _seconds(self) -> float:
        is_running = self._ops is not None and not self.elapsed_s
        return anyio.current_time() - self._start_s if is_running else self.elapsed_s

    async def _serve(self) -> None:
        while self._runs_left:
            self._runs_left -= 1
            await self._model.run(*self._arrays)
            self.runs_done += 1

    async def _read(self, ops: Subscription[Op]) -> None:
        with anyio.CancelScope(shield=True):
            async for batch in ops.batches():
                self.summary.add(batch)
                if self._sink is not None:
                    self._sink(batch)
