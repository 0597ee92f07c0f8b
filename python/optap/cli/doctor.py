"""`optap doctor`: what was found, and what runs where."""

from __future__ import annotations

import base64
import platform
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import anyio
import numpy as np

from optap import _core
from optap.cli.cann import describe_cann
from optap.cli.failure import FAILED, OK
from optap.device import device_count, open_device
from optap.subscription import subscribe
from optap.testing import ScriptedModel

__all__ = ("doctor",)

_MIB = 1 << 20
_OPS = 100
_LOOPS: dict[str, dict[str, Any]] = {
    "asyncio": {"backend": "asyncio"},
    "uvloop": {"backend": "asyncio", "backend_options": {"use_uvloop": True}},
    "trio": {"backend": "trio"},
}
# ONNX, opset 13: y = Relu(x), x a vector of two float32.
_RELU = base64.b64decode("CAg6PQoSCgF4EgF5GgRyZWx1IgRSZWx1EgVncmFwaFoPCgF4EgoKCAgBEgQKAggCYg8KAXkSCgoICAESBAoCCAJCAhAN")


def doctor(_: object = None) -> int:
    """Print what was found and checked; returns 0 if all that is in use works."""
    for title, lines in _findings():
        _print(title, lines)
    outcomes = [_print_check("engine", check_engine)]
    outcomes += [_print_check(f"loop {name}", partial(check_loop, name)) for name in _LOOPS if _has_loop(name)]
    _print("workers", [_workers()])
    return OK if all(outcomes) else FAILED


def check_engine() -> str:
    """Load and run a model of one node, and read its op. Returns what it found; raises if anything is wrong."""

    async def relu() -> str:
        async with open_device() as device:
            model = await device.load_model(_RELU, name="relu")
            async with subscribe(model) as ops:
                outputs = await model.run(np.array([-1, 2], np.float32))
                op = await ops.receive()
        if outputs["y"].tolist() != [0, 2] or op.type != "Relu":
            raise RuntimeError(f"Relu([-1, 2]) gave {outputs['y'].tolist()}, told as {op!r}")
        return "runs an ONNX model of one node, right result, op seen"

    return anyio.run(relu)


def check_loop(name: str) -> str:
    """Take scripted ops through the event loop `name`. Returns what it found; raises if anything is wrong."""

    async def scripted() -> str:
        async with ScriptedModel(count=_OPS) as model, subscribe(model) as ops:
            await model.run()
            sequence = [(await ops.receive()).sequence for _ in range(_OPS)]
        if sequence != list(range(_OPS)):
            raise RuntimeError(f"{_OPS} ops came as {sequence}")
        return f"{_OPS} scripted ops came through, in order"

    return anyio.run(scripted, **_LOOPS[name])


def _findings() -> Iterable[tuple[str, list[str]]]:
    packages = ("anyio", "uvloop", "trio", "numpy", "rich", "argcomplete")
    yield "optap", [f"{version('optap')}, {_core.__file__}"]
    yield "python", [f"{platform.python_version()} {platform.python_implementation()}, {sys.executable}"]
    yield "platform", [platform.platform()]
    yield "clock", [_core.clock_source()]
    yield "devices", [_device(device_id) for device_id in range(device_count())]
    yield "packages", [f"{name} {_version(name)}" for name in packages]
    yield "CANN", describe_cann()


def _device(device_id: int) -> str:
    device = _core.Device(device_id)
    free_mib, total_mib = (size_bytes // _MIB for size_bytes in device.memory_info())
    device.close()
    return f"{device_id}: embedded CPU engine, {free_mib:,} MiB of {total_mib:,} MiB free"


def _workers() -> str:
    device = _core.Device(0)
    workers = device.workers()
    device.close()
    return f"{workers} threads, started as these checks needed them"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        extra = " (pip install 'optap[cli]')" if package in {"rich", "argcomplete"} else ""
        return f"not installed{extra}"


def _has_loop(name: str) -> bool:
    return name == "asyncio" or "not installed" not in _version(name)


def _print(title: str, lines: Iterable[str]) -> None:
    for index, line in enumerate(lines):
        print(f"{title if index == 0 else '':<14}{line}")


def _print_check(title: str, check: Callable[[], str]) -> bool:
    try:
        _print(title, [f"ok: {check()}"])
    except Exception as error:
        _print(title, [f"FAILED: {type(error).__name__}: {error}"])
        return False
    return True
