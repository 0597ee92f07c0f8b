"""Batches: rows, columns, bytes."""

from __future__ import annotations

import gc
from functools import partial
from typing import Any

import anyio
import numpy as np
import optap
import pytest
from optap import _core
from optap.testing import ScriptedModel
from support import play

COUNT = 6
NAMES = ["a", "b", "c"]


async def read(close: bool, **script: Any) -> optap.Batch:
    """One batch of what a script emits, after closing or before."""
    async with ScriptedModel(**script) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        if close:
            ops.close()
        return await ops.receive_batch(COUNT)


@pytest.fixture
def batch() -> optap.Batch:
    script = {"count": COUNT, "names": NAMES, "types": ["T", "U", "V"], "times_ns": [(10, 30)], "gaps": {0: 2}}
    return anyio.run(partial(read, close=False, **script))


@pytest.fixture
def empty() -> optap.Batch:
    return anyio.run(partial(read, close=True, count=3))


def test_it_is_a_sequence_of_ops(batch: optap.Batch) -> None:
    assert len(batch) == COUNT
    assert [op.name for op in batch] == NAMES * 2
    assert [batch[index].name for index in range(COUNT)] == NAMES * 2
    assert batch[-1].sequence == batch[COUNT - 1].sequence
    assert all(isinstance(op, optap.Op) for op in batch)


def test_it_can_be_read_again(batch: optap.Batch) -> None:
    assert [op.sequence for op in batch] == [op.sequence for op in batch] == list(range(2, 2 + COUNT))


@pytest.mark.parametrize("index", [COUNT, -COUNT - 1, 1 << 40, 1 << 80, -(1 << 80)])
def test_an_index_outside_is_refused(batch: optap.Batch, index: int) -> None:
    with pytest.raises(IndexError, match=f"index {index} of a batch of {COUNT} ops"):
        batch[index]


@pytest.mark.parametrize("index", ["name", 1.0, None, (0, 1)])
def test_only_integers_and_slices_index_it(batch: optap.Batch, index: object) -> None:
    with pytest.raises(TypeError):
        batch[index]


def test_its_array_has_the_values_of_its_ops(batch: optap.Batch) -> None:
    array = batch.array
    assert array.shape == (COUNT,)
    assert array.dtype == optap.OP_DTYPE
    for field in ("start_ns", "end_ns", "run_id", "sequence", "model_id", "stream_id", "thread_id", "device_id"):
        assert array[field].tolist() == [getattr(op, field) for op in batch], field


def test_its_array_is_no_copy(batch: optap.Batch) -> None:
    assert np.shares_memory(batch.array, batch.array)
    assert batch.array.ctypes.data == np.frombuffer(batch, np.uint8).ctypes.data


def test_its_array_is_read_only(batch: optap.Batch) -> None:
    array = batch.array
    assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array["start_ns"] = 0
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True


def test_its_array_keeps_the_bytes_alive(batch: optap.Batch) -> None:
    array = np.frombuffer(memoryview(batch), optap.OP_DTYPE)
    expected = array.copy()
    del batch
    gc.collect()
    assert (array == expected).all()


def test_its_dtype_is_the_layout_of_a_record() -> None:
    assert optap.OP_DTYPE.itemsize == 64
    told = [(name, offset, dtype.str) for name, (dtype, offset) in optap.OP_DTYPE.fields.items()]
    assert told == _core.op_record_fields()
    ends = [offset + optap.OP_DTYPE[name].itemsize for name, offset, _ in told]
    assert ends == [*[offset for _, offset, _ in told][1:], 64], "a hole or an overlap"


def test_its_buffer_is_one_dimension_of_records(batch: optap.Batch) -> None:
    with memoryview(batch) as view:
        assert (view.ndim, view.shape, view.strides) == (1, (COUNT,), (64,))
        assert (view.itemsize, view.nbytes, view.readonly, view.contiguous) == (64, 64 * COUNT, True, True)
        assert view.tobytes() == batch.array.tobytes()


def test_its_buffer_tells_its_own_layout(batch: optap.Batch) -> None:
    assert np.asarray(memoryview(batch)).dtype == optap.OP_DTYPE


def test_its_names_stand_by_op_id(batch: optap.Batch) -> None:
    ids = batch.array["op_id"].tolist()
    assert [batch.names[op_id] for op_id in ids] == [op.name for op in batch]
    assert [batch.types[op_id] for op_id in ids] == [op.type for op in batch] == ["T", "U", "V"] * 2
    assert [batch.kernels[op_id] for op_id in ids] == [op.kernel for op in batch] == ["scripted"] * COUNT
    assert set(batch.names) == set(ids)


def test_it_tells_the_gap_before_it(batch: optap.Batch) -> None:
    assert batch.gap == 2
    assert repr(batch) == f"<Batch of {COUNT} ops, gap 2>"


def test_an_empty_one_tells_the_gap_at_the_end(empty: optap.Batch) -> None:
    assert (len(empty), empty.gap, list(empty)) == (0, 3, [])
    assert empty.array.shape == (0,)
    assert empty.array.dtype == optap.OP_DTYPE
    assert memoryview(empty).nbytes == 0
    assert (empty.names, empty.types, empty.kernels) == ({}, {}, {})
    with pytest.raises(IndexError):
        empty[0]


@pytest.mark.parametrize("part", [slice(1, 4), slice(-2, None), slice(None), slice(4, 2), slice(0, 0), slice(9, 99)])
def test_a_slice_is_a_batch_of_the_same_bytes(batch: optap.Batch, part: slice) -> None:
    taken = batch[part]
    assert isinstance(taken, optap.Batch)
    assert [op.sequence for op in taken] == [op.sequence for op in batch][part]
    assert taken.array.tolist() == batch.array[part].tolist()
    assert taken.array.size == 0 or np.shares_memory(taken.array, batch.array)
    assert taken[:].array.tolist() == taken.array.tolist()


def test_a_gap_stays_with_the_op_that_it_is_told_before(batch: optap.Batch, empty: optap.Batch) -> None:
    assert [part.gap for part in (batch[:0], batch[:1], batch[1:], batch[:])] == [0, 2, 0, 2]
    assert (batch[:1][0].gap, batch[1:][0].gap) == (2, 0)
    assert empty[:].gap == empty.gap


@pytest.mark.parametrize("step", [2, -1])
def test_a_batch_has_no_steps(batch: optap.Batch, step: int) -> None:
    with pytest.raises(ValueError, match=r"batch\.array"):
        batch[::step]


def test_it_cannot_be_made_or_changed(batch: optap.Batch) -> None:
    with pytest.raises(TypeError):
        optap.Batch()
    with pytest.raises(AttributeError):
        batch.gap = 0
