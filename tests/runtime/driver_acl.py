"""The runtime as pyACL has it."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import numpy as np
from driver import Told
from optap import acl
from scripts import Ends, Loaded

INPUT = np.arange(8, dtype="<f4") - 4
RECORD_BYTES = 80
NEVER_MS = -1


def given(pair: Any) -> Any:
    """The value of a call that went well."""
    value, ret = pair
    assert ret == 0
    return value


class Subscribed(NamedTuple):
    """A model that writes to a pipe, and who reads it to the end."""

    model_id: int
    reader: threading.Thread
    pieces: list[bytes]


class AclRuntime:
    """Handles of `optap.acl`. Calls wait where they stand: nothing else runs on this loop."""

    failed_op = 507015

    def __init__(self) -> None:
        self._servers: dict[int, tuple[int, threading.Event]] = {}
        self._streams: list[int] = []
        self._events: list[int] = []
        self._models: list[Loaded] = []

    @classmethod
    @asynccontextmanager
    async def open(cls) -> AsyncIterator[AclRuntime]:
        assert acl.rt.set_device(0) == 0
        runtime = cls()
        try:
            yield runtime
        finally:
            runtime._close()

    def create_stream(self) -> int:
        self._streams.append(given(acl.rt.create_stream()))
        return self._streams[-1]

    def create_event(self) -> int:
        self._events.append(given(acl.rt.create_event()))
        return self._events[-1]

    def launch(self, stream: int, function: Any, *args: Any) -> int:
        if stream not in self._servers:
            self._servers[stream] = self._serve(stream)
        return acl.rt.launch_callback(lambda _: function(*args), None, 1, stream)

    def _serve(self, stream: int) -> tuple[int, threading.Event]:
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                acl.rt.process_report(20)

        thread = given(acl.util.start_thread(serve, None))
        assert acl.rt.subscribe_report(thread, stream) == 0
        return thread, ended

    def record(self, stream: int, event: int) -> int:
        return acl.rt.record_event(event, stream)

    def wait(self, stream: int, event: int) -> int:
        return acl.rt.stream_wait_event(stream, event)

    def abort(self, stream: int) -> int:
        return acl.rt.stream_abort(stream)

    def forget(self, events: list[int]) -> None:
        while events:
            event = events.pop()
            self._events.remove(event)
            assert acl.rt.destroy_event(event) == 0

    def is_done(self, stream: int) -> bool:
        return given(acl.rt.stream_query(stream)) == 0

    def is_reached(self, event: int) -> bool:
        return given(acl.rt.query_event(event)) == 0

    def elapsed_ms(self, start: int, end: int) -> tuple[float, int]:
        return acl.rt.event_elapsed_time(start, end)

    async def synchronize(self, stream: int, timeout_ms: int | None = None) -> int:
        return acl.rt.synchronize_stream_with_timeout(stream, timeout_ms or NEVER_MS)

    async def synchronize_all(self, timeout_ms: int | None = None) -> int:
        return acl.rt.synchronize_device_with_timeout(timeout_ms or NEVER_MS)

    async def reach(self, event: int, timeout_ms: int | None = None) -> int:
        return acl.rt.synchronize_event_with_timeout(event, timeout_ms or NEVER_MS)

    async def load(self, onnx: bytes) -> Loaded:
        model_id = given(acl.mdl.load_from_mem(acl.util.bytes_to_ptr(onnx), len(onnx)))
        model = Loaded(model_id, Ends.of([32]), Ends.of([32]))
        model.inputs.write(INPUT)
        self._models.append(model)
        return model

    def unload(self, models: list[Loaded]) -> None:
        while models:
            model = models.pop()
            self._models.remove(model)
            self._unload(model)

    def _unload(self, model: Loaded) -> None:
        assert acl.mdl.unload(model.model_id) == 0
        model.inputs.free()
        model.outputs.free()

    def model_id(self, model: Loaded) -> int:
        return model.model_id

    async def run(self, model: Loaded) -> tuple[Any, int]:
        ret = model.execute()
        return (None, ret) if ret else (model.outputs.read(), 0)

    def queue(self, model: Loaded, stream: int) -> int:
        return model.execute_async(stream)

    def subscribe(self, model: Loaded) -> Subscribed:
        source, sink = os.pipe()
        config = acl.prof.create_subscribe_config(1, 0xFF, sink)
        assert acl.prof.model_subscribe(model.model_id, config) == 0
        assert acl.prof.destroy_subscribe_config(config) == 0
        pieces: list[bytes] = []

        def read() -> None:
            with os.fdopen(source, "rb", buffering=0) as pipe:
                pieces.extend(iter(lambda: pipe.read(10 * RECORD_BYTES), b""))

        reader = threading.Thread(target=read)
        reader.start()
        return Subscribed(model.model_id, reader, pieces)

    async def end(self, subscription: Subscribed) -> list[Told]:
        assert acl.prof.model_unsubscribe(subscription.model_id) == 0
        subscription.reader.join()
        return [told for piece in subscription.pieces for told in records(piece)]

    def _close(self) -> None:
        for stream, (thread, ended) in self._servers.items():
            acl.rt.synchronize_stream(stream)
            assert acl.rt.unsubscribe_report(thread, stream) == 0
            ended.set()
            assert acl.util.stop_thread(thread) == 0
        assert [acl.rt.destroy_stream(stream) for stream in self._streams] == [0] * len(self._streams)
        assert [acl.rt.destroy_event(event) for event in self._events] == [0] * len(self._events)
        for model in self._models:
            self._unload(model)
        assert acl.rt.reset_device(0) == 0


def records(data: bytes) -> list[Told]:
    """What the getters say of the records of one read."""
    at = acl.util.bytes_to_ptr(data), len(data)
    return [
        Told(
            given(acl.prof.get_op_name(*at, index, 275)),
            given(acl.prof.get_op_type(*at, index, 65)),
            acl.prof.get_model_id(*at, index),
            acl.prof.get_op_start(*at, index),
            acl.prof.get_op_end(*at, index),
        )
        for index in range(given(acl.prof.get_op_num(*at)))
    ]
