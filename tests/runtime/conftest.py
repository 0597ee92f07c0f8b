"""Each scenario of the runtime runs through the async API, on every loop, and through `optap.acl`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "acl"))

from driver_acl import AclRuntime
from driver_async import AsyncRuntime

PLACES = [
    pytest.param((AsyncRuntime, ("asyncio", {"debug": True})), id="async-asyncio"),
    pytest.param((AsyncRuntime, ("asyncio", {"use_uvloop": True})), id="async-uvloop"),
    pytest.param((AsyncRuntime, ("trio", {})), id="async-trio"),
    pytest.param((AclRuntime, ("asyncio", {})), id="acl"),
]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Any:
    """A driver, and the loop that it runs on."""
    return request.param


@pytest.fixture
def anyio_backend(place: Any) -> Any:
    return place[1]


@pytest.fixture
def open_runtime(place: Any) -> Any:
    """Opens device 0 for the length of a block."""
    return place[0].open
