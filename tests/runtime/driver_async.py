"""The runtime as the async API has it."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import numpy as np
import optap
from driver import Told
from optap.errors import OptapError

INPUT = np.arange(8, dtype=np.float32).reshape(2, 4) - 4


def code_of(call: Callable[[], Any]) -> int:
    """Calls; gives the code of what that raised."""
    try:
        call()
    except OptapError as error:
        return error.code
    return 0


async def awaited_code(awaitable: Any) -> int:
    """Awaits; gives the code of what that raised."""
    try:
        await awaitable
    except OptapError as error:
        return error.code
    return 0


def seconds(timeout_ms: int | None) -> float | None:
    return None if timeout_ms is None else timeout_ms / 1000


class AsyncRuntime:
    """Streams, events and models of `optap.open_device`."""

    failed_op = 507011

    def __init__(self, device: optap.Device) -> None:
        self._device = device
        self.create_stream = device.create_stream
        self.create_event = device.create_event

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator[AsyncRuntime]:
        async with optap.open_device(0) as device:
            yield cls(device)

    def launch(self, stream: optap.Stream, function: Any, *args: Any) -> int:
        return code_of(lambda: stream.launch(function, *args))

    def record(self, stream: optap.Stream, event: optap.Event) -> int:
        return code_of(lambda: stream.record(event))

    def wait(self, stream: optap.Stream, event: optap.Event) -> int:
        return code_of(lambda: stream.wait(event))

    def abort(self, stream: optap.Stream) -> int:
        return code_of(stream.abort)

    def forget(self, events: list[optap.Event]) -> None:
        events.clear()
        gc.collect()

    def is_done(self, stream: optap.Stream) -> bool:
        return stream.query()

    def is_reached(self, event: optap.Event) -> bool:
        return event.query()

    def elapsed_ms(self, start: optap.Event, end: optap.Event) -> tuple[float, int]:
        try:
            return start.elapsed_ns(end) / 1e6, 0
        except OptapError as error:
            return 0.0, error.code

    async def synchronize(self, stream: optap.Stream, timeout_ms: int | None = None) -> int:
        return await awaited_code(stream.synchronize(seconds(timeout_ms)))

    async def synchronize_all(self, timeout_ms: int | None = None) -> int:
        return await awaited_code(self._device.synchronize(seconds(timeout_ms)))

    async def reach(self, event: optap.Event, timeout_ms: int | None = None) -> int:
        return await awaited_code(event.wait(seconds(timeout_ms)))

    async def load(self, onnx: bytes) -> optap.Model:
        return await self._device.load_model(onnx)

    def unload(self, models: list[optap.Model]) -> None:
        models.clear()
        gc.collect()

    def model_id(self, model: optap.Model) -> int:
        return model.model_id

    async def run(self, model: optap.Model) -> tuple[Any, int]:
        try:
            (output,) = (await model.run(INPUT)).values()
        except OptapError as error:
            return None, error.code
        return output.reshape(-1), 0

    def queue(self, model: optap.Model, stream: optap.Stream) -> int:
        return code_of(lambda: model.start(INPUT, stream=stream))

    def subscribe(self, model: optap.Model) -> optap.Subscription[optap.Op]:
        return optap.subscribe(model)

    async def end(self, subscription: optap.Subscription[optap.Op]) -> list[Told]:
        told: list[Told] = []

        async def read() -> None:
            async for op in subscription:
                told.append(Told(op.name, op.type, op.model_id, op.start_ns, op.end_ns))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            await subscription.aclose()
        return told
