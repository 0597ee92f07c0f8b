"""Devices."""

from __future__ import annotations

import os
import warnings
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import anyio

from optap import _core
from optap._listeners import Listeners
from optap._mailbox import Mailbox
from optap._timeout import check_seconds, stream_timeout
from optap.errors import HandleError
from optap.model import Model
from optap.stream import Event, Stream

__all__ = ("Device", "MemoryInfo", "device_count", "open_device")


_CLOSE_CHECK_S = 0.001
_CLOSE_LIMIT_S = 5
_LANES_TRIED = 8


class MemoryInfo(NamedTuple):
    """Memory of a device."""

    free_bytes: int
    """What can still be allocated, in bytes."""
    total_bytes: int
    """All of it, in bytes."""


class Device:
    """An open device: what is made here ends with it. Made by `open_device`."""

    def __init__(self, core: _core.Device, mailbox: Mailbox) -> None:
        self._core = core
        self._mailbox = mailbox
        self._listeners = Listeners()
        self._lanes: list[_core.Stream] = []
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<Device {self.device_id}, {'closed' if self._is_closed else 'open'}>"

    @property
    def device_id(self) -> int:
        """The id of the device."""
        return self._core.device_id

    async def load_model(
        self, source: str | os.PathLike[str] | bytes | bytearray | memoryview, *, name: str | None = None
    ) -> Model:
        """Load an ONNX model from a file or from its bytes, on a worker thread.

        Args:
            source: Path of an ``.onnx`` file, or its content.
            name: What to call the model; without it, the file's name.

        Raises:
            ModelNotFoundError: There is no such file; a `FileNotFoundError`, too.
            ModelFileError: The file cannot be read, or is a folder; an `OSError`, too.
            ModelError: It is no ONNX model.
            UnsupportedModelError: The engine lacks an operator or a type.
        """
        self._check_open()
        given = bytes(source) if isinstance(source, bytes | bytearray | memoryview) else Path(source)
        called = name or ("model" if isinstance(given, bytes) else given.name)
        lane = self._take_lane()
        self._lanes.append(lane)
        loading = self._core.load_model(lane, given, called.encode("utf-8", "replace").decode())
        await self._mailbox.wait(loading.pending())
        return Model(loading.model(), self)

    def create_stream(self) -> Stream:
        """A new stream. Raises `ResourceError` when the device has no free one, `HandleError` when it is closed."""
        self._check_open()
        return Stream(self._core.create_stream(), self._mailbox)

    def create_event(self) -> Event:
        """A new event. Raises `ResourceError` when the device has no free one, `HandleError` when it is closed."""
        self._check_open()
        return Event(self._core.create_event(), self._mailbox)

    @asynccontextmanager
    async def create_context(self) -> AsyncGenerator[Device, None]:
        """Open the same device once more: streams made there end when its block is left."""
        async with open_device(self.device_id) as device:
            yield device

    def allocate(self, size_bytes: int) -> _core.DeviceBuffer:
        """Device memory of `size_bytes` bytes, zeroed, freed with its last user; `ResourceError` when none is left."""
        return self._core.allocate(size_bytes)

    def memory_info(self) -> MemoryInfo:
        """Free and total memory."""
        return MemoryInfo(*self._core.memory_info())

    async def synchronize(self, timeout: float | None = None) -> None:
        """Wait until the work of all streams made here has finished.

        Raises:
            SyncTimeoutError: `timeout` seconds passed first; the work goes on.
            OpError: Work failed; told once.
            ValueError: `timeout` is negative or no number.
        """
        deadline = anyio.current_time() + check_seconds("timeout", timeout)
        for pending in self._core.drained():
            if not await self._mailbox.wait(pending, max(deadline - anyio.current_time(), 0)):
                raise stream_timeout(f"device {self.device_id}", timeout)
        self._core.check()

    def _start(self, start: Callable[[_core.Stream], _core.Run], stream: Stream | None) -> _core.Run:
        """Start a run on `stream`, or on a lane that is free again when the run ends."""
        self._check_open()
        if stream is not None:
            return start(stream._core)
        lane = self._take_lane()
        try:
            return start(lane)
        finally:
            self._lanes.append(lane)

    def _take_lane(self) -> _core.Stream:
        for index in range(min(len(self._lanes), _LANES_TRIED)):
            if self._lanes[index].query():
                return self._lanes.pop(index)
        return self._core.create_stream()

    def _check_open(self) -> None:
        if self._is_closed:
            told = f"device {self.device_id} was closed when its block was left; open it again"
            raise HandleError(told, 107002, "ACL_ERROR_RT_CONTEXT_NULL")

    async def _close(self) -> None:
        self._is_closed = True
        self._core.abort()
        with anyio.move_on_after(_CLOSE_LIMIT_S):
            while not self._core.is_idle():  # noqa: ASYNC110 - an aborted stream rings no bell
                await anyio.sleep(_CLOSE_CHECK_S)
        self._listeners.dismiss()
        if self._core.is_idle():
            self._core.close()
        else:
            message = (
                f"a launched function ran on for {_CLOSE_LIMIT_S} s after its device was left, and was left behind"
            )
            warnings.warn(message, ResourceWarning, stacklevel=2)


@asynccontextmanager
async def open_device(device_id: int = 0) -> AsyncGenerator[Device, None]:
    """Open a device for the length of a block. Leaving the block cancels and joins what still runs there.

    A launched function cannot be cancelled: one that runs on for five seconds is left behind, with a `ResourceWarning`.

    Args:
        device_id: From 0 up to, but not including, `device_count()`.

    Raises:
        HandleError: There is no such device.

    Examples:
        >>> import anyio, optap
        >>> async def main():
        ...     async with optap.open_device(0) as device:
        ...         return device.memory_info().free_bytes > 0
        >>> anyio.run(main)
        True
    """
    device = Device(_core.Device(device_id), Mailbox())
    try:
        yield device
    finally:
        with anyio.CancelScope(shield=True):
            await device._close()


def device_count() -> int:
    """Number of devices, set by ``OPTAP_DEVICES``, 1 by default.

    Examples:
        >>> device_count() >= 1
        True
    """
    return _core.Device.count()
