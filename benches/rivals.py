"""What a Python programmer would put between a native thread and a coroutine in place of a subscription."""

from __future__ import annotations

import asyncio
import importlib
import math
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import anyio
from harness import native

NAMES = tuple(f"/encoder/layer.{index}/MatMul" for index in range(40))
RECORD = struct.Struct("<QQ16xI28x")


class Channel(NamedTuple):
    """The two ends: `put` is called on the native thread, under the interpreter's lock."""

    put: Callable[[Any], object]
    get: Callable[[], Awaitable[Any]]


def asyncio_queue() -> Channel:
    """`asyncio.Queue`, fed by `call_soon_threadsafe`."""
    queue: asyncio.Queue[Any] = asyncio.Queue()
    call, put = asyncio.get_running_loop().call_soon_threadsafe, queue.put_nowait
    return Channel(lambda item: call(put, item), queue.get)


def janus_queue() -> Channel:
    """The queue of the `janus` package."""
    queue = importlib.import_module("janus").Queue()
    return Channel(queue.sync_q.put, queue.async_q.get)


def anyio_stream() -> Channel:
    """An anyio memory object stream, fed by `call_soon_threadsafe`, far cheaper than `anyio.from_thread`."""
    sender, receiver = anyio.create_memory_object_stream[Any](math.inf)
    call, send = asyncio.get_running_loop().call_soon_threadsafe, sender.send_nowait
    return Channel(lambda item: call(send, item), receiver.receive)


def trio_channel() -> Channel:
    """A trio memory channel, fed by `TrioToken.run_sync_soon`."""
    trio = importlib.import_module("trio")
    sender, receiver = trio.open_memory_channel(math.inf)
    call, send = trio.lowlevel.current_trio_token().run_sync_soon, sender.send_nowait
    return Channel(lambda item: call(send, item), receiver.receive)


async def unpacked(get: Callable[[], Awaitable[Any]]) -> AsyncIterator[tuple[str, int, int]]:
    """Ops out of batches of bytes, one by one."""
    while (batch := await get()) is not None:
        for start_ns, end_ns, op_id in RECORD.iter_unpack(batch):
            yield NAMES[op_id], start_ns, end_ns


async def read_generator(get: Callable[[], Awaitable[Any]]) -> None:
    """`async for` over the ops of batches: what a subscription gives, written by hand."""
    async for _name, _start_ns, _end_ns in unpacked(get):
        pass


async def read_batches(get: Callable[[], Awaitable[Any]]) -> None:
    """The same without a generator: `for` inside."""
    while (batch := await get()) is not None:
        for _start_ns, _end_ns, op_id in RECORD.iter_unpack(batch):
            _name = NAMES[op_id]


async def read_records(get: Callable[[], Awaitable[Any]]) -> None:
    """Ops that come one by one, as tuples."""
    while (op := await get()) is not None:
        _name, _start_ns, _end_ns = op


async def latencies(get: Callable[[], Awaitable[Any]]) -> list[int]:
    """From the stamp of each op to its delivery, in nanoseconds."""
    told = []
    while (op := await get()) is not None:
        told.append(time.monotonic_ns() - op[2])
    return told


async def play(channel: Channel, read: Callable[[Any], Awaitable[Any]], count: int, batch: int, rate: float = 0) -> Any:
    """Let the native thread make `count` ops and read them all; `batch` 0 hands them over one by one."""
    thread = native("producer").start(channel.put, count, batch, rate, NAMES)
    told = await read(channel.get)
    del thread
    return told
