"""Ranges that nest, are inherited and outlive a fork; prints what each op carried."""

from __future__ import annotations

import asyncio
import os

import optap
from optap.testing import ScriptedModel


async def main() -> None:
    with ScriptedModel(count=1) as model, optap.subscribe(model, where=optap.where(kind=["op", "range"])) as records:
        with optap.annotate("outer"):
            await model.run()
            with optap.annotate("inner"):
                await asyncio.create_task(model.run())
            await asyncio.to_thread(optap.mark, "elsewhere")
        await model.run()
        names, carried = {0: None}, []
        for record in [await records.receive() for _ in range(5)]:
            if record.kind == "range":
                names[record.range_id] = record.name
            else:
                carried.append(record.range_id)
        print(*[names.get(one, "open") for one in carried], flush=True)


asyncio.run(main())
if os.fork() == 0:
    with optap.annotate("in the child"):
        asyncio.run(main())
    os._exit(0)
_, status = os.wait()
assert status == 0, status
