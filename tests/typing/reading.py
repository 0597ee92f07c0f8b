"""What a type checker knows of reading; `test_typing.py` has mypy check each line."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal, assert_type

import numpy as np
import optap
from numpy.typing import NDArray
from optap.testing import ScriptedModel


async def ops_are_ops(model: optap.Model) -> None:
    ops = optap.subscribe(model)
    assert_type(ops, optap.Subscription[optap.Op])
    assert_type(aiter(ops), AsyncIterator[optap.Op])
    assert_type(iter(ops), Iterator[optap.Op])
    assert_type(await ops.receive(), optap.Op)
    async for op in ops:
        assert_type(op.name, str)
        assert_type(op.duration_ns, int | None)
        assert_type(op.flags, frozenset[str])
        assert_type(op.kind, Literal["op", "range", "mark", "step"])


async def chosen_fields_are_tuples(model: ScriptedModel) -> None:
    async with optap.subscribe(model, fields=("type", "duration_ns")) as ops:
        assert_type(ops, optap.Subscription[tuple[Any, ...]])
        async for kind, duration_ns in ops:
            print(kind, duration_ns)


async def batches_are_sequences_and_arrays(ops: optap.Subscription[optap.Op]) -> None:
    async for batch in ops.batches(max_records=1024, max_age=0.1):
        assert_type(batch, optap.Batch)
        assert_type(batch[0], optap.Op)
        assert_type([op.start_ns for op in batch], list[int])
        assert_type(batch.rows("type", "start_ns"), Iterator[tuple[Any, ...]])
        assert_type(batch.array, NDArray[np.void])
        assert_type(batch.names, dict[int, str])
        assert_type(memoryview(batch), memoryview)
    assert_type(ops.statistics().dropped, dict[str, int])


async def any_target_will_do(device: optap.Device, model: optap.Model, scripted: ScriptedModel) -> None:
    run = model.start()
    for target in (device, model, scripted, run):
        optap.subscribe(target)
    optap.subscribe([model, scripted], where=optap.where(type=["Conv", "Gemm"]) | ~optap.where(stream=[0, 1]))


async def runs_give_arrays(model: optap.Model) -> None:
    assert_type(await model.run(np.zeros(3)), dict[str, NDArray[Any]])
    assert_type(await model.start(np.zeros(3)), dict[str, NDArray[Any]])
    assert_type(model.inputs[0].shape, tuple[int | str | None, ...] | None)


async def misuse_is_told(model: optap.Model, ops: optap.Subscription[optap.Op]) -> None:
    optap.subscribe(model, overflow="drop")  # type: ignore[call-overload]
    optap.subscribe("model")  # type: ignore[arg-type]
    optap.where(min_duration_ns="5 ms")  # type: ignore[arg-type]
    (await ops.receive()).duration  # type: ignore[attr-defined]  # noqa: B018
    (await ops.receive()).start_ns = 0  # type: ignore[misc]
