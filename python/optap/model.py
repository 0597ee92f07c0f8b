"""Models and their runs."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optap import _core
from optap._inputs import collect_inputs
from optap.stream import Stream

if TYPE_CHECKING:
    from optap.device import Device

__all__ = ("Model", "Outputs", "Run", "TensorSpec")

Outputs = dict[str, NDArray[Any]]
"""The outputs of a run by name, in the model's order. The arrays are read-only; copy one to change it."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """An input or output of a model.

    Attributes:
        name: The name in the graph.
        dtype: The element type.
        shape: A size, a symbol or `None` for each dimension; `None` where the model leaves the rank open.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | str | None, ...] | None


class Run:
    """One execution of a model. Await it for its outputs; cancelling the await leaves it going."""

    def __init__(self, core: _core.Run, model: Model) -> None:
        self._core = core
        self._model = model
        self._listeners = model._listeners

    def __repr__(self) -> str:
        state = "done" if self.is_done() else "running"
        return f"<Run {self.run_id} of model {self._model.name!r} on stream {self.stream_id}, {state}>"

    @property
    def run_id(self) -> int:
        """The id that the ops of this run carry."""
        return self._core.run_id

    @property
    def stream_id(self) -> int:
        """The id of the stream that runs it."""
        return self._core.stream_id

    def is_done(self) -> bool:
        """Whether the run has ended, well or not."""
        return self._core.is_done()

    def cancel(self) -> None:
        """Stop the run before its next node; awaiting it then raises `RunCancelledError`."""
        self._core.cancel()

    def __await__(self) -> Generator[Any, Any, Outputs]:
        return self._outputs().__await__()

    async def _outputs(self) -> Outputs:
        await self._model._device._mailbox.wait(self._core.pending())
        tensors = self._core.outputs()
        arrays = (np.frombuffer(memoryview(tensor), tensor.dtype).reshape(tensor.shape) for tensor in tensors)
        return dict(zip(self._model._output_names, arrays, strict=False))


class Model:
    """An ONNX model on a device. Made by `Device.load_model`."""

    def __init__(self, core: _core.Model, device: Device) -> None:
        self._core = core
        self._device = device
        self._listeners = device._listeners
        self._input_names = [name for name, _, _ in core.inputs()]
        self._output_names = [name for name, _, _ in core.outputs()]

    def __repr__(self) -> str:
        return f"<Model {self.name!r}, id {self.model_id}, on device {self._device.device_id}>"

    @property
    def model_id(self) -> int:
        """The id that the model's ops carry."""
        return self._core.model_id

    @property
    def name(self) -> str:
        """The name of the file, or the one given to `load_model`."""
        return self._core.name

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """What a run takes, in order."""
        return tuple(_spec(*spec) for spec in self._core.inputs())

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """What a run gives, in order."""
        return tuple(_spec(*spec) for spec in self._core.outputs())

    @property
    def nodes(self) -> list[tuple[str, str]]:
        """Name and operator type of each ONNX node, in graph order."""
        return self._core.nodes()

    def ops(self, *shapes: tuple[int, ...]) -> list[tuple[str, str, str, list[str]]]:
        """What a run with inputs of these shapes executes: name, type, kernel and ONNX sources of each op.

        Compiles the plan on the calling thread, unless one for these shapes is cached.
        """
        return self._core.ops([list(shape) for shape in shapes])

    async def run(
        self, *inputs: ArrayLike | Mapping[str, ArrayLike], stream: Stream | None = None, **named: ArrayLike
    ) -> Outputs:
        """Run the model once. Cancelling the await stops the run at its next node, and returns then.

        Args:
            *inputs: Inputs by position, of the dtype and shape that `Model.inputs` tells; or one mapping of inputs by
                name, which is the way for names that are no Python identifiers.
            stream: The stream to run on; without one, runs go on beside each other.
            **named: Inputs by name.

        Raises:
            InputError: An input has the wrong dtype, rank or shape, is missing or unknown.
            OpError: A node failed.
            AbortedError: The device was closed.
        """
        run = self.start(*inputs, stream=stream, **named)
        try:
            return await run
        except anyio.get_cancelled_exc_class():
            run.cancel()
            with anyio.CancelScope(shield=True):
                await self._device._mailbox.wait(run._core.pending())
            raise

    def start(
        self, *inputs: ArrayLike | Mapping[str, ArrayLike], stream: Stream | None = None, **named: ArrayLike
    ) -> Run:
        """Begin a run and return at once; takes and raises what `run` does, a node's failure when it is awaited."""
        if stream is not None and not isinstance(stream, Stream):
            raise TypeError(f"stream must be a Stream of the device or None, not {type(stream).__name__}")
        given = collect_inputs(self._input_names, inputs, named)
        return Run(self._device._start(lambda lane: self._core.start(lane, given), stream), self)


def _spec(name: str, dtype: str, shape: list[int | str | None] | None) -> TensorSpec:
    return TensorSpec(name, np.dtype(dtype), None if shape is None else tuple(shape))
