"""Sources that emit ops as told, so that tests need no model, and models that fail as told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self

import anyio

from optap import _core
from optap._listeners import Listeners
from optap._mailbox import Mailbox

__all__ = ("ScriptedModel", "ScriptedRun", "fail_op")


class ScriptedRun:
    """One play of a script. Await it; cancelling the await leaves it going."""

    def __init__(self, core: _core.Run, model: ScriptedModel) -> None:
        self._core = core
        self._mailbox = model._mailbox
        self._listeners = model._listeners

    def __repr__(self) -> str:
        return f"<ScriptedRun {self.run_id}, {'done' if self.is_done() else 'running'}>"

    @property
    def run_id(self) -> int:
        """The id that the ops of this run carry."""
        return self._core.run_id

    def is_done(self) -> bool:
        """Whether the script has ended."""
        return self._core.is_done()

    def cancel(self) -> None:
        """Stop before the next op; awaiting the run then raises `RunCancelledError`."""
        self._core.cancel()

    def __await__(self) -> Any:
        return self._end().__await__()

    async def _end(self) -> None:
        await self._mailbox.wait(self._core.pending())
        self._core.outputs()


class ScriptedModel:
    """Emits op records as a script says; subscribe to it as to a model.

    Args:
        count: Number of ops of a run.
        rate: Ops a second; `None` for as fast as they are drained.
        names: Names of the ops, taken in turn: any text, at any length.
        types: Operator types, taken in turn beside `names`.
        times_ns: ``(start, end)`` of each op in nanoseconds, taken in turn; without it, the time of emission.
        streams: Ids of the streams that the ops claim to come from, taken in turn.
        first_sequence: Sequence number of each stream's first op.
        gaps: Number of ops to report as lost, by the index of the op that follows them.
        name: What to call the model.
        device_id: The device that it claims to be on.

    Examples:
        >>> async def main():
        ...     import optap
        ...     async with ScriptedModel(count=2, times_ns=[(10, 30)]) as model, optap.subscribe(model) as ops:
        ...         await model.run()
        ...         return [op.duration_ns for op in [await ops.receive(), await ops.receive()]]
        >>> anyio.run(main)
        [20, 20]
    """

    def __init__(
        self,
        *,
        count: int,
        rate: float | None = None,
        names: Sequence[str] = ("op",),
        types: Sequence[str] = ("Scripted",),
        times_ns: Iterable[tuple[int, int]] = (),
        streams: Sequence[int] = (0,),
        first_sequence: int = 0,
        gaps: Mapping[int, int] | None = None,
        name: str = "scripted",
        device_id: int = 0,
    ) -> None:
        _check(rate=rate, names=names, types=types, streams=streams)
        self.name = name
        self._count = count
        pairs = [(one, types[index % len(types)]) for index, one in enumerate(names)]
        self._core = _core.ScriptedSource(
            count, rate, pairs, list(times_ns), list(streams), first_sequence, dict(gaps or {}), device_id
        )
        self._device = _core.Device(device_id)
        self._mailbox = Mailbox()
        self._listeners = Listeners()
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<ScriptedModel {self.name!r}, id {self.model_id}, {self._count} ops a run>"

    @property
    def model_id(self) -> int:
        """The id that the ops carry."""
        return self._core.model_id

    def start(self) -> ScriptedRun:
        """Begin to emit, on a thread of the runtime, and return at once."""
        return ScriptedRun(self._core.start(self._device.create_stream()), self)

    async def run(self) -> None:
        """Emit all ops. Cancelling the await stops before the next op, and returns then."""
        run = self.start()
        try:
            await run
        except anyio.get_cancelled_exc_class():
            run.cancel()
            with anyio.CancelScope(shield=True):
                await self._mailbox.wait(run._core.pending())
            raise

    def close(self) -> None:
        """Stop what runs and give the device back."""
        if not self._is_closed:
            self._is_closed = True
            self._device.abort()
            self._listeners.dismiss()
            self._device.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def fail_op(model_id: int, name: str, *, at_run: int = 1, kind: Literal["error", "hang", "nan"] = "error") -> None:
    """Let the node `name` of a model fail in its run `at_run` from now; 1 is the next one.

    The model is one of `Device.load_model`, by its `model_id`, or one that `optap.acl` loaded. `error` is what an
    operator gives that refuses its values: `OpError`, and code 507015 in `optap.acl`. `hang` lasts until the run is
    cancelled or its stream aborted, or for as long as `acl.rt.set_op_execute_time_out` lets an operator run. `nan`
    makes every floating output of the run a NaN. The variable `OPTAP_FAULTS=name@run:kind,...` scripts the same for
    every model that is loaded and has such a node, counted from its first run.

    Raises:
        ModelError: No loaded model has this id.
        OptapError: The model has no such node.
        InvalidArgumentError: `at_run` is 0.
        ValueError: The kind is not known.
    """
    _core.fail_op(model_id, name, at_run, kind)


def _check(*, rate: float | None, names: Sequence[str], types: Sequence[str], streams: Sequence[int]) -> None:
    if rate is not None and not rate > 0:
        raise ValueError(f"rate={rate} must be above 0, or None for as fast as possible")
    for given, value in (("names", names), ("types", types), ("streams", streams)):
        if not value or isinstance(value, str):
            raise ValueError(f"{given}={value!r} must be a sequence of at least one item")
