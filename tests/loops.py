"""The event loops that every async test runs on."""

import pytest

LOOPS = [
    pytest.param(("asyncio", {"debug": True}), id="asyncio"),
    pytest.param(("asyncio", {"use_uvloop": True}), id="uvloop"),
    pytest.param(("trio", {}), id="trio"),
]
