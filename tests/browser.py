"""A headless Chromium, driven through a pair of pipes."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")
LIMIT_S = 40


def executable() -> str:
    """The browser, which `tools/setup` installs."""
    found = [path for path in map(shutil.which, NAMES) if path]
    assert found, "no Chromium; install it with tools/setup, or: apt-get install chromium"
    return found[0]


def _pipe() -> tuple[int, int]:
    """A pipe of high numbers: 3 and 4 are the browser's."""
    low = os.pipe()
    high = tuple(fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 64) for one in low)
    for one in low:
        os.close(one)
    return high


class Browser:
    """One page. What went wrong in it stands in `errors`."""

    def __init__(self, width: int = 1440, height: int = 1300, scheme: str = "light") -> None:
        self.errors: list[str] = []
        self._last = 0
        self._rest = b""
        self._profile = tempfile.mkdtemp(prefix="optap-browser-")
        their_in, self._out = _pipe()
        self._in, their_out = _pipe()
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
        arguments += ["--remote-debugging-pipe", f"--user-data-dir={self._profile}", "--hide-scrollbars", "about:blank"]
        shell = f'exec "$@" 3<&{their_in} 4>&{their_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", executable(), *arguments],
            pass_fds=(their_in, their_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path: Path) -> None:
        """Open a report, and wait until it is drawn."""
        self.call("Page.navigate", url=path.absolute().as_uri())
        self.until('document.documentElement?.dataset.ready === "yes"')

    def get(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + LIMIT_S
        while not self.get(expression):
            assert time.monotonic() < end, f"{expression} stays false; {self.errors}"
            time.sleep(0.02)

    def frame(self) -> None:
        """Wait until the page has drawn anew."""
        self.get("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Move the mouse, press or release its button, or turn its wheel."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        """Press and release the left button."""
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.frame()

    def wheel(self, x: float, y: float, turns: float) -> None:
        """Turn the wheel; towards the user if `turns` is above 0."""
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=turns)
        self.frame()

    def key(self, key: str) -> None:
        """Press a key that stands for a character."""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.frame()

    def screenshot(self, path: Path) -> None:
        """Write what is to be seen as a PNG file."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def call(self, method: str, **params: Any) -> Any:
        """Call a method of the DevTools protocol."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (told := self._read()).get("id") != self._last:
            self._note(told)
        assert "error" not in told, f"{method}: {told.get('error')}"
        return told["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            chunk = os.read(self._in, 1 << 16)
            assert chunk, "the browser has gone"
            self._rest += chunk
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        method, told = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(told["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not told["request"]["url"].startswith(
            ("file:", "about:", "data:")
        ):
            self.errors.append(f"asked the network for {told['request']['url']}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = None
        try:
            self.call("Browser.close")
        except (AssertionError, OSError):
            self._process.kill()
        self._process.wait(timeout=LIMIT_S)
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)
