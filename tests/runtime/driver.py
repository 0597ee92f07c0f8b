"""What a scenario may ask of a runtime. Failures are told by their codes; 0 is success."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

ABORTED, STREAM_LATE, EVENT_LATE = 107023, 507046, 507047


class Told(NamedTuple):
    """An op as a subscriber was told of it."""

    name: str
    type: str
    model_id: int
    start_ns: int
    end_ns: int


class Runtime(Protocol):
    """Device 0, opened. Streams, events and models are what `create_…` and `load` gave."""

    failed_op: int
    """The code of an operator that fails."""

    def create_stream(self) -> Any: ...
    def create_event(self) -> Any: ...
    def launch(self, stream: Any, function: Any, *args: Any) -> int:
        """Queues a call, for which the stream waits."""

    def record(self, stream: Any, event: Any) -> int: ...
    def wait(self, stream: Any, event: Any) -> int:
        """Lets the stream wait for the event."""

    def abort(self, stream: Any) -> int: ...
    def forget(self, events: list[Any]) -> None:
        """Takes the last hold of events away, reached or not, and empties the list."""

    def is_done(self, stream: Any) -> bool: ...
    def is_reached(self, event: Any) -> bool: ...
    def elapsed_ms(self, start: Any, end: Any) -> tuple[float, int]: ...

    async def synchronize(self, stream: Any, timeout_ms: int | None = None) -> int: ...
    async def synchronize_all(self, timeout_ms: int | None = None) -> int: ...
    async def reach(self, event: Any, timeout_ms: int | None = None) -> int:
        """Waits for the event."""

    async def load(self, onnx: bytes) -> Any:
        """Loads a model that takes and gives eight floats as 2 by 4."""

    def unload(self, models: list[Any]) -> None:
        """As `forget`, for models."""

    def model_id(self, model: Any) -> int: ...
    async def run(self, model: Any) -> tuple[Any, int]:
        """Runs a model; gives its output, `None` where it failed."""

    def queue(self, model: Any, stream: Any) -> int:
        """Queues a run, whose failure is told by the stream."""

    def subscribe(self, model: Any) -> Any: ...
    async def end(self, subscription: Any) -> list[Told]:
        """Ends a subscription; gives all that it was told."""
