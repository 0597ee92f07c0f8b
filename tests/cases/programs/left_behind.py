"""Is interrupted while a launched function never ends, or while a plain loop blocks its event loop; see P7."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import anyio
import optap
from optap.testing import ScriptedModel

BACKEND, OPTIONS = {"asyncio": ("asyncio", {}), "uvloop": ("asyncio", {"use_uvloop": True}), "trio": ("trio", {})}[
    sys.argv[1]
]
ACTION, ENDLESS = sys.argv[2], sys.argv[3]


def ready() -> None:
    print("ready", flush=True)


def doze() -> None:
    while True:
        time.sleep(0.001)


def spin() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(3600)


async def launch() -> None:
    """The interrupt comes while the device is being left."""
    async with optap.open_device(0) as device:
        device.create_stream().launch({"doze": doze, "spin": spin, "sleep": sleep}[ENDLESS])
        await anyio.sleep(0.1)
        if ACTION == "inside":
            ready()
            await anyio.sleep_forever()
        if ACTION == "leaving":
            ready()


def read(ops: optap.Subscription) -> None:
    ready()
    for _ in ops:
        pass


async def plain() -> None:
    with ScriptedModel(count=0) as model, optap.subscribe(model) as ops:
        if ACTION == "plain":
            read(ops)
        elif ACTION == "thread":
            await anyio.to_thread.run_sync(read, ops, abandon_on_cancel=True)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, time.sleep, 0)
            tasks.start_soon(child, ops)


async def child(ops: optap.Subscription) -> None:
    read(ops)


def run(function: Callable[[], Any]) -> None:
    anyio.run(function, backend=BACKEND, backend_options=OPTIONS)


run(plain if ACTION in {"plain", "child", "thread"} else launch)
ready()
