"""`optap.read` and its table: the same batches as live, and columns for whoever asks."""

import anyio
import nanoarrow
import numpy as np
import optap
import polars
import pyarrow
import pytest
from files import batch, facts, records
from optap.extra import need
from optap.testing import ScriptedModel
from support import play

pytestmark = pytest.mark.anyio

KINDS = {"op": 0, "range": 3, "mark": 4, "step": 5}


@pytest.fixture
def prof(tmp_path):
    """A profile of 1,000 ops on two streams of device 0, three of them with a name of their own."""
    array = records(1_000, stream_id=np.arange(1_000) % 2, thread_id=7, op_id=1)
    array["op_id"][:3] = [2, 3, 2]
    given = batch(array, ["conv", "relu", "softmax"])
    with optap.FileWriter(tmp_path, "prof", anchor=optap.Anchor(1_500, 1_700_000_000_000_000_500)) as file:
        file.write(given)
    return file.exported.path


def test_what_was_written_is_read(prof):
    table = optap.read(prof)
    assert (len(table), table.sources, table.damages) == (1_000, (prof,), ())
    assert [op.name for op in table][:4] == ["relu", "softmax", "relu", "conv"]
    assert [op.duration_ns for op in table] == [50] * 1_000
    assert {op.stream_id for op in table} == {0, 1}


def test_batches_are_those_of_live_and_share_their_memory(prof):
    table = optap.read(prof)
    batches = list(table.batches(max_records=300))
    assert [type(one) for one in batches] == [optap.Batch] * 4
    assert [len(one) for one in batches] == [300, 300, 300, 100]
    assert np.shares_memory(batches[1].array, table.to_numpy())
    assert np.concatenate([one.array for one in batches]).tobytes() == table.to_numpy().tobytes()
    with pytest.raises(ValueError, match="max_records=0"):
        next(table.batches(0))


def test_an_op_has_its_wall_clock_time(prof):
    table = optap.read(prof)
    first = next(iter(table))
    assert abs(table.unix_ns(first.start_ns) - (1_700_000_000_000_000_000 + 999_000)) < 1_000
    assert table.unix_ns(0) is None
    assert optap.OpTable([]).unix_ns(5) is None


def test_kinds_are_tables_of_their_own():
    kinds = ["op", "range", "mark", "step", "op"]
    array = records(5, kind=[KINDS[kind] for kind in kinds])
    table = optap.OpTable([batch(array)], damages=[optap.Damage("x", 0, 1, "y")])
    parts = (table.ops, table.ranges, table.marks, table.steps)
    assert [[op.sequence for op in part] for part in parts] == [[0, 4], [1], [2], [3]]
    assert all(part.damages == table.damages for part in parts)


def test_a_condition_is_that_of_a_subscription():
    array = records(4, op_id=[1, 2, 1, 2], stream_id=[0, 0, 1, 1])
    table = optap.OpTable([batch(array, ["conv_0", "relu_0"], gap=3)])
    chosen = table.filter(optap.where(name="conv*") & ~optap.where(stream=1))
    assert [(op.name, op.sequence, op.gap) for op in chosen] == [("conv_0", 0, 0)]


def test_a_slice_of_a_batch_keeps_the_gap_where_it_belongs():
    whole = batch(records(10), gap=4)
    assert (whole[2:5].gap, [op.sequence for op in whole[2:5]]) == (0, [2, 3, 4])
    assert (whole[:3].gap, whole[0:0].gap, len(whole[8:3]), len(whole[-2:])) == (4, 0, 0, 2)
    assert next(iter(whole[2:][1:])).sequence == 3
    with pytest.raises(ValueError, match="step 2"):
        whole[::2]
    with pytest.raises(TypeError):
        whole["a"]


def test_bytes_that_are_no_records_are_refused():
    with pytest.raises(ValueError, match="no multiple of 64"):
        optap._core.make_batch(bytes(65), [])
    with pytest.raises(ValueError, match="op_id 2 is none of 1 ops"):
        batch(records(1, op_id=2))
    assert optap._core.make_batch(records(1, op_id=0).tobytes(), [])[0].name == ""


def table_of_two() -> optap.OpTable:
    first, second = records(70_000), records(5, op_id=[1, 2, 1, 0, 2])
    second["end_ns"][1] = 0
    return optap.OpTable([batch(first, ["conv"]), batch(second, ["relu", "汉"], gap=2)])


def columns_of(table):
    return {
        "name": [op.name for op in table],
        "start_ns": [op.start_ns for op in table],
        "duration_ns": [op.duration_ns for op in table],
        "sequence": [op.sequence for op in table],
    }


def test_pyarrow_takes_the_columns():
    table = table_of_two()
    taken = pyarrow.table(table)
    taken.validate(full=True)
    assert {name: taken[name].to_pylist() for name in columns_of(table)} == columns_of(table)


def test_polars_takes_the_columns():
    table = table_of_two()
    taken = table.to_polars()
    assert isinstance(taken.schema["name"], polars.Categorical)
    assert {name: taken[name].to_list() for name in columns_of(table)} == columns_of(table)


def test_pandas_takes_the_columns():
    table = table_of_two()
    taken = table.to_pandas()
    assert taken["name"].astype(str).tolist() == columns_of(table)["name"]
    assert taken["start_ns"].tolist() == columns_of(table)["start_ns"]
    assert taken["duration_ns"].isna().sum() == 1


def test_nanoarrow_reads_the_stream_without_pyarrow():
    table = table_of_two()
    stream = nanoarrow.ArrayStream(table)
    assert sum(chunk.__len__() for chunk in stream.iter_chunks()) == len(table)


def test_an_empty_table_has_columns_and_no_rows():
    assert pyarrow.table(optap.OpTable([])).num_rows == 0
    assert "duration_ns" in pyarrow.table(optap.OpTable([])).schema.names
    assert len(optap.OpTable([]).to_numpy()) == 0


def test_what_is_not_installed_is_named():
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'optap\[parquet\]'"):
        need("no_such_package_at_all", "parquet")


def test_several_inputs_are_one_table_on_one_clock(tmp_path):
    paths = []
    for boot, wall_ns in enumerate([1_700_000_000 * 10**9, 1_700_000_005 * 10**9]):
        with optap.FileWriter(tmp_path, "prof", anchor=optap.Anchor(1_000_000, wall_ns)) as file:
            file.write(batch(records(3), [f"boot {boot}"]))
        paths.append(file.exported.path)
    one_by_one = optap.read(*paths)
    assert [op.start_ns for op in one_by_one] == [
        1_000_000,
        1_000_100,
        1_000_200,
        *(5_001_000_000 + np.arange(3) * 100),
    ]
    folder = optap.read(tmp_path)
    assert sorted(op.name for op in folder) == ["boot 0"] * 3 + ["boot 1"] * 3
    assert [op.start_ns for op in folder if op.name == "boot 1"] == [5_001_000_000, 5_001_000_100, 5_001_000_200]


def test_what_is_nothing_known_is_an_os_error(tmp_path):
    (tmp_path / "text").write_text("no ops at all")
    for path in (tmp_path / "missing", tmp_path / "text", tmp_path):
        with pytest.raises(OSError, match=str(tmp_path)):
            optap.read(path)


def test_damage_is_told_by_file_and_offset_and_the_rest_is_read(prof):
    data = prof / "host" / "data" / "aging.optap.records.slice_0"
    bytes_ = bytearray(data.read_bytes())
    bytes_[64 * 10 : 64 * 12] = b"\xee" * 128
    data.write_bytes(bytes_[:-13])
    table = optap.read(prof)
    assert 990 <= len(table) < 1_000
    assert {(damage.path, damage.offset_bytes) for damage in table.damages} >= {(data, 640)}
    assert str(len(table.damages)) in repr(table)


async def test_reading_in_a_thread_leaves_the_loop_alone(prof):
    assert len(await anyio.to_thread.run_sync(optap.read, prof)) == 1_000


async def test_a_live_batch_can_be_cut_and_filtered_too():
    async with ScriptedModel(count=10, names=["a", "b"]) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        live = await ops.receive_batch(10)
    assert [op.name for op in live[1:3]] == ["b", "a"]
    assert len(live.filter(optap.where(name="b"))) == 5
    assert facts([live[:4], live[4:]]) == facts([live])
