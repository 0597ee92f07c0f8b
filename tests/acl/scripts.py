"""Words that the tests of the pyACL namespace share."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from optap import acl
from optap.acl_constants import ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE

_NOTED = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import recorder
from optap import acl
recorder.install_in_script()
"""


@dataclass
class Ends:
    """The dataset of one side of a model, with its device memory."""

    dataset: int
    buffers: list[int] = field(default_factory=list)
    addresses: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, sizes: list[int]) -> Ends:
        ends = cls(acl.mdl.create_dataset())
        for size in sizes:
            address, ret = acl.rt.malloc(size, ACL_MEM_MALLOC_HUGE_FIRST)
            assert ret == 0
            ends.addresses.append((address, size))
            ends.buffers.append(acl.create_data_buffer(address, size))
            assert acl.mdl.add_dataset_buffer(ends.dataset, ends.buffers[-1]) == (ends.dataset, 0)
        return ends

    def write(self, array: np.ndarray, at: int = 0) -> None:
        """Fills a buffer, the first one unless told otherwise."""
        data = array.tobytes()
        source = acl.util.bytes_to_ptr(data)
        assert acl.rt.memcpy(self.addresses[at][0], len(data), source, len(data), ACL_MEMCPY_HOST_TO_DEVICE) == 0

    def read(self) -> np.ndarray:
        """The floats of the first buffer."""
        address, size = self.addresses[0]
        host, ret = acl.rt.malloc_host(size)
        assert ret == 0
        assert acl.rt.memcpy(host, size, address, size, ACL_MEMCPY_DEVICE_TO_HOST) == 0
        data = acl.util.ptr_to_bytes(host, size)
        assert acl.rt.free_host(host) == 0
        return np.frombuffer(data, "<f4")

    def free(self) -> None:
        """Gives everything back."""
        for buffer, (address, _) in zip(self.buffers, self.addresses, strict=True):
            assert acl.destroy_data_buffer(buffer) == 0
            assert acl.rt.free(address) == 0
        assert acl.mdl.destroy_dataset(self.dataset) == 0


@dataclass
class Loaded:
    """A loaded chain of operators, float32 of shape 2 by 4 from `x` to `y`."""

    model_id: int
    inputs: Ends
    outputs: Ends

    def execute(self) -> int:
        return acl.mdl.execute(self.model_id, self.inputs.dataset, self.outputs.dataset)

    def execute_async(self, stream: int) -> int:
        return acl.mdl.execute_async(self.model_id, self.inputs.dataset, self.outputs.dataset, stream)


@contextmanager
def as_acl() -> Iterator[None]:
    """`import acl` is the namespace, as under `optap exec`."""
    shadowed = sys.modules.get("acl")
    sys.modules["acl"] = acl
    try:
        yield
    finally:
        del sys.modules["acl"]
        if shadowed is not None:
            sys.modules["acl"] = shadowed


def ended(source: str, **environment: str) -> list[str]:
    """Runs a script in a process of its own, under `from optap import acl`; gives the words that it printed."""
    command = [sys.executable, "-c", f"{_NOTED}{textwrap.dedent(source)}"]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


class Held:
    """A stream that can be held, by a callback that waits, served by a thread of its own."""

    def __init__(self) -> None:
        self._go, self._ended = threading.Event(), threading.Event()
        self.stream, ret = acl.rt.create_stream()
        self._thread, _ = acl.util.start_thread(self._serve, None)
        assert (ret, acl.rt.subscribe_report(self._thread, self.stream)) == (0, 0)

    def _serve(self) -> None:
        while not self._ended.is_set():
            acl.rt.process_report(20)

    def hold(self) -> None:
        """What is submitted from now on waits."""
        self._go.clear()
        assert acl.rt.launch_callback(lambda _: self._go.wait(10), None, 1, self.stream) == 0

    def release(self) -> None:
        """Lets it go on."""
        self._go.set()

    def close(self) -> None:
        """Ends the thread and the stream."""
        self.release()
        assert acl.rt.synchronize_stream(self.stream) == 0
        assert acl.rt.unsubscribe_report(self._thread, self.stream) == 0
        self.stop()
        assert acl.rt.destroy_stream(self.stream) == 0

    def stop(self) -> None:
        """Ends the thread, where the stream went with its context."""
        self._ended.set()
        assert acl.util.stop_thread(self._thread) == 0
