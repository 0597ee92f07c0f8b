"""Listening to ranges, marks and steps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import optap
from optap.testing import ScriptedModel

EVERYTHING = ["op", "range", "mark", "step"]


@asynccontextmanager
async def listening(*kinds: str, **settings: Any) -> AsyncIterator[optap.Subscription]:
    """A subscription to the kinds, of a model that is never run."""
    where = optap.where(kind=list(kinds) or EVERYTHING)
    async with ScriptedModel(count=0) as model, optap.subscribe(model, where=where, **settings) as records:
        yield records


async def told(records: optap.Subscription) -> list[optap.Op]:
    """What the subscription got until now, ranges that have not ended included; closes it."""
    read: list[optap.Op] = []

    async def read_all() -> None:
        read.extend([record async for record in records])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read_all)
        await anyio.wait_all_tasks_blocked()
        await records.aclose()
    return read


def by_name(records: list[optap.Op]) -> dict[str, optap.Op]:
    """The records by their names, which differ."""
    named = {record.name: record for record in records}
    assert len(named) == len(records)
    return named
