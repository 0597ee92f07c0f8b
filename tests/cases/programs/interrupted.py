"""Waits for records that never come, until it is interrupted; see P7."""

from __future__ import annotations

import sys
from typing import Any

import anyio
import optap
from optap.testing import ScriptedModel

BACKEND, OPTIONS = {"asyncio": ("asyncio", {}), "uvloop": ("asyncio", {"use_uvloop": True}), "trio": ("trio", {})}[
    sys.argv[1]
]
ACTION = sys.argv[2]


def ready() -> None:
    print("ready", flush=True)


async def iterate(ops: optap.Subscription) -> None:
    ready()
    async for _ in ops:
        pass


async def stop(ops: optap.Subscription, model: ScriptedModel) -> None:
    """Closes for a minute, beside a reader that takes one op and sleeps."""

    async def read() -> None:
        async for _ in ops:
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await model.run()
        await anyio.sleep(0.05)
        ready()
        await ops.aclose(timeout=60)


def wait(ops: optap.Subscription, model: ScriptedModel) -> None:
    if ACTION == "iterate":
        anyio.run(iterate, ops, backend=BACKEND, backend_options=OPTIONS)
    elif ACTION == "next":
        ready()
        next(ops)
    else:
        anyio.run(stop, ops, model, backend=BACKEND, backend_options=OPTIONS)


def is_interrupt(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(is_interrupt(one) for one in error.exceptions)
    return isinstance(error, KeyboardInterrupt)


def main() -> Any:
    with ScriptedModel(count=2 if ACTION == "stop" else 0) as model, optap.subscribe(model) as ops:
        try:
            wait(ops, model)
        except BaseException as error:
            if not is_interrupt(error):
                raise
            return 130
        finally:
            print(ops.statistics().produced, flush=True)
    return 0


sys.exit(main())
