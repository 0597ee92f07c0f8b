"""Runs a model in a process of `multiprocessing` while subscribed; see P6."""

from __future__ import annotations

import multiprocessing
import sys

import anyio
import optap
from optap.testing import ScriptedModel


async def take(count: int) -> list[int]:
    async with ScriptedModel(count=count) as model, optap.subscribe(model) as ops:
        await model.run()
        return [(await ops.receive()).sequence for _ in range(count)]


def work(count: int) -> list[int]:
    return anyio.run(take, count)


def main() -> None:
    context = multiprocessing.get_context(sys.argv[1])
    with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        anyio.run(model.run)
        with context.Pool(2) as pool:
            taken = pool.map(work, [5, 6, 7], chunksize=1)
            pool.close()
            pool.join()
        assert taken == [list(range(count)) for count in (5, 6, 7)], taken
        anyio.run(model.run)
        assert [next(ops).sequence for _ in range(20)] == list(range(10)) * 2
    print("done")


if __name__ == "__main__":
    main()
