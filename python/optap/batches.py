"""Iteration over batches of ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import anyio

from optap import _core
from optap._timeout import check_records, check_seconds

if TYPE_CHECKING:
    from optap.subscription import Subscription

__all__ = ("Batches",)


class Batches:
    """Iterates over the batches of a subscription. Made by `Subscription.batches`."""

    def __init__(self, subscription: Subscription[Any], max_records: int | None, max_age: float) -> None:
        check_records(max_records)
        check_seconds("max_age", max_age)
        self._subscription = subscription
        self._max_records = max_records
        self._max_age = max_age

    def __aiter__(self) -> Self:
        self._subscription._reader = None
        self._subscription._is_iterated = True
        self._subscription._batches.add(self)
        return self

    async def __anext__(self) -> _core.Batch:
        try:
            return await self._subscription.receive_batch(self._max_records, self._max_age)
        except anyio.EndOfStream:
            raise StopAsyncIteration from None
