"""Rule (Q) holds for every case: nothing unexpected on stderr or in a log."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

NOISE = ("Traceback", "never awaited", "Task was destroyed", "Exception ignored", "Event loop is closed")


@pytest.fixture(autouse=True)
def nothing_on_stderr(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    told = capfd.readouterr().err + "\n".join(record.getMessage() for record in caplog.records)
    assert not [noise for noise in NOISE if noise in told], told
