"""`optap.export` and `FileWriter`: whole files or none, and what was told comes back where the format can say it."""

import csv
import json
from contextlib import suppress

import anyio
import duckdb
import numpy as np
import optap
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from anyio.to_thread import run_sync as in_thread
from files import batch, facts, records, written
from optap.testing import ScriptedModel
from optap.writing import FORMATS

pytestmark = pytest.mark.anyio

ANCHOR = optap.Anchor(1_000_000, 1_767_225_600_000_000_000)
"""The monotonic clock at the beginning of 2026."""
OUTPUTS = {
    "perfetto": "x.pftrace",
    "chrome": "x.json",
    "msprof-db": "x.db",
    "msprof-json": "m.json",
    "csv": "x.csv",
    "parquet": "x.parquet",
    "arrow": "x.arrow",
    "prof": "x",
}
EXACT = ["x.parquet", "x.arrow", "folder"]


def table(*batches):
    return optap.OpTable(batches, anchor=ANCHOR)


def rich_table():
    """Every field, gaps at the start, in the middle and at the end, names that are no UTF-8."""
    array = records(600, run_id=np.arange(600) // 7, model_id=2, thread_id=5, stream_id=np.arange(600) % 3, range_id=9)
    array["op_id"] = np.arange(600) % 4
    array["flags"][::5] = 1 << 3 | 1 << 31
    array["kind"][::50] = 3
    names = ["conv", "\udcff", "\udcfe", "�"][:3]
    whole = batch(array, names)
    return table(batch(array[:100], names, gap=3), whole[100:250], batch(array[250:], names, gap=2**40), _lost(5))


def _lost(gap):
    return optap._core.make_batch(b"", [], gap)


def told_of(path):
    """What is told of a file that cannot be read, or not all of it."""
    try:
        damage = optap.read(path).damages[0]
    except OSError as error:
        return str(error)
    return f"{damage.path}: {damage.reason}"


def names_of(path):
    return sorted(one.name for one in path.iterdir())


def test_every_format_has_its_output_here():
    assert set(OUTPUTS) == set(FORMATS) - {"html"}


@pytest.mark.parametrize("name", EXACT)
def test_columns_come_back_exactly(name, tmp_path):
    given = rich_table()
    read = written(given, tmp_path / name, "arrow" if name.endswith("arrow") else "parquet")
    assert facts(read.batches()) == facts(given.batches())
    assert [one.gap for one in read.batches() if not len(one)] == [5]
    assert read.anchor == given.anchor
    for field in set(optap.OP_DTYPE.names) - {"op_id"}:
        assert (read.to_numpy()[field] == given.to_numpy()[field]).all()


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
def test_more_than_a_group_of_rows_comes_back(name, tmp_path):
    parts = [records(100_000) for _ in range(6)]
    for number, part in enumerate(parts):
        part["sequence"] += np.uint64(number * 100_000)
    given = table(*(batch(part, [f"op {number}"]) for number, part in enumerate(parts)))
    read = written(given, tmp_path / name)
    assert read.to_numpy()["sequence"].tolist() == list(range(600_000))
    assert [op.name for op in read][50_000::100_000] == [f"op {number}" for number in range(6)]


def test_a_folder_is_kept_by_day_and_host_and_added_to(tmp_path):
    day_ns = 86_400 * 10**9
    array = records(30)
    array["start_ns"] += np.repeat([0, day_ns, 2 * day_ns], 10).astype("u8")
    array["end_ns"] = array["start_ns"] + 50
    for _ in range(2):
        with optap.FileWriter(tmp_path / "lake", "parquet", anchor=ANCHOR, host="a/b c") as file:
            file.write(batch(array))
    files = sorted((tmp_path / "lake").rglob("*"))
    folders = [str(one.relative_to(tmp_path)) for one in files if one.is_dir()]
    assert folders == [
        part for day in (1, 2, 3) for part in (f"lake/date=2026-01-0{day}", f"lake/date=2026-01-0{day}/host=a%2Fb%20c")
    ]
    assert [one.suffix for one in files if one.is_file()] == [".parquet"] * 6
    assert len(optap.read(tmp_path / "lake")) == 60


def test_duckdb_queries_the_folder_by_day_and_host(tmp_path):
    with optap.FileWriter(tmp_path / "lake", "parquet", anchor=ANCHOR, host="h1") as file:
        file.write(batch(records(30, op_id=np.arange(30) % 2 + 1), ["conv", "relu"]))
    rows = duckdb.sql(f"""
        select cast(date as varchar), host, name, count(*), sum(duration_ns), min(epoch_ns(time)) from
        read_parquet('{tmp_path}/lake/**/*.parquet', hive_partitioning = true) group by all order by name
    """).fetchall()
    assert rows == [
        ("2026-01-01", "h1", "conv", 15, 750, ANCHOR.unix_ns),
        ("2026-01-01", "h1", "relu", 15, 750, ANCHOR.unix_ns + 100),
    ]


def test_ops_without_a_day_go_with_those_before_them(tmp_path):
    array = records(5, start_ns=[0, 1_000_000, 0, 2**63, 0], end_ns=[0, 1_000_050, 0, 2**63, 0])
    with optap.FileWriter(tmp_path / "lake", "parquet", anchor=ANCHOR) as file:
        file.write(batch(array))
    assert sorted(op.sequence for op in optap.read(tmp_path / "lake")) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("to", OUTPUTS)
def test_a_file_appears_whole_or_not_at_all(to, tmp_path):
    def batches():
        yield batch(records(1_000))
        assert names_of(tmp_path) not in ([], [OUTPUTS[to]]) or to == "prof"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optap.export(batches(), tmp_path / OUTPUTS[to], to)
    left = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert left == []


@pytest.mark.parametrize("to", sorted(set(OUTPUTS) - {"prof"}))
def test_nothing_is_overwritten_silently(to, tmp_path):
    path = tmp_path / OUTPUTS[to]
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="exists"):
        optap.export(table(batch(records(3))), path, to)
    assert path.read_text() == "mine"
    assert optap.export(table(batch(records(3))), path, to, overwrite=True).records == 3
    assert path.read_bytes() != b"mine"
    assert names_of(tmp_path) == [path.name]


def test_a_file_that_came_meanwhile_is_not_overwritten(tmp_path):
    path = tmp_path / "x.json"
    file = optap.FileWriter(path)
    path.write_text("theirs")
    with pytest.raises(FileExistsError):
        file.close()
    assert (path.read_text(), names_of(tmp_path)) == ("theirs", ["x.json"])


def test_a_folder_can_be_replaced(tmp_path):
    for count in (3, 4):
        optap.export(table(batch(records(count))), tmp_path / "tables", "csv", overwrite=True)
    assert names_of(tmp_path) == ["tables"]
    assert len((tmp_path / "tables" / "task_time.csv").read_text().splitlines()) == 5
    with pytest.raises(FileExistsError):
        optap.export(table(batch(records(1))), tmp_path / "tables", "csv")


def test_the_tables_of_msprof_have_its_names_and_sums(tmp_path):
    given = table(batch(records(10, op_id=[1, 2] * 5), ["conv", "relu"]))
    optap.export(given, tmp_path / "tables", "csv")
    tables = ["api_statistic", "msprof_tx", "op_statistic", "op_summary", "step_trace", "task_time"]
    assert names_of(tmp_path / "tables") == [f"{name}.csv" for name in tables]
    rows = list(csv.DictReader((tmp_path / "tables" / "op_statistic.csv").read_text().splitlines()))
    assert [(row["OP Type"], row["Count"], row["Total Time(us)"]) for row in rows] == [
        ("conv", "5", "0.25"), ("relu", "5", "0.25"),
    ]  # fmt: skip


@pytest.mark.parametrize("to", OUTPUTS)
def test_what_was_written_before_an_error_is_kept_by_a_writer(to, tmp_path):
    with suppress(ZeroDivisionError), optap.FileWriter(tmp_path / OUTPUTS[to], to) as file:
        file.write(batch(records(100)))
        raise ZeroDivisionError
    assert file.exported.records == 100
    assert file.exported.path.exists()
    with pytest.raises(ValueError, match="closed"):
        file.write(batch(records(1)))
    file.close()


@pytest.mark.parametrize("name", ["x.json", "x.pftrace", "x.csv", "x.parquet", "x.arrow"])
def test_a_full_disk_is_an_os_error_and_leaves_nothing(name, tmp_path, monkeypatch):
    monkeypatch.setattr("optap.targets.Partial", lambda path, overwrite: FullDisk())
    with pytest.raises(OSError, match="space"):
        optap.export(table(batch(records(300_000))), tmp_path / name)
    assert names_of(tmp_path) == []


class FullDisk:
    path = "/dev/full"

    def discard(self):
        pass


def test_progress_is_told_as_it_goes(tmp_path):
    told = []
    optap.export(table(batch(records(200_000))), tmp_path / "x.json", on_progress=told.append)
    assert told == [65_536, 131_072, 196_608, 200_000]


@pytest.mark.parametrize(("name", "to"), [("x", None), ("x.unknown", None), ("x.json", "yaml")])
def test_an_unknown_format_names_those_that_are(name, to, tmp_path):
    with pytest.raises(ValueError, match="perfetto, chrome"):
        optap.export(optap.OpTable([]), tmp_path / name, to)
    assert names_of(tmp_path) == []


async def test_live_batches_go_to_a_file_as_they_come(tmp_path):
    file = await in_thread(optap.FileWriter, tmp_path / "live.parquet")
    async with ScriptedModel(count=1_000, gaps={500: 7}) as model, optap.subscribe(model) as ops:
        await model.run()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ops.aclose)
            async for one in ops.batches():
                await in_thread(file.write, one)
    await in_thread(file.close)
    read = await in_thread(optap.read, tmp_path / "live.parquet")
    assert (len(read), file.exported.records, sum(op.gap for op in read)) == (1_000, 1_000, 7)


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
def test_damaged_columns_are_told_and_the_rest_is_read(name, tmp_path):
    path = tmp_path / name
    optap.export(table(*(batch(records(200_000)) for _ in range(4))), path)
    content = bytearray(path.read_bytes())
    content[100:2_000] = b"\xa5" * 1_900
    path.write_bytes(content)
    read = optap.read(path)
    assert 0 < len(read) < 800_000
    assert read.damages[0].path == path
    assert read.damages[0].reason


def test_an_arrow_file_without_its_end_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "x.arrow"
    optap.export(table(*(batch(records(300_000)) for _ in range(3))), path)
    path.write_bytes(path.read_bytes()[:-200_000])
    read = optap.read(path)
    assert 0 < len(read) < 900_000
    assert read.damages[-1].offset_bytes > 0


@pytest.mark.parametrize("cut", [0, 4, 5, 12, 100, 1_000])
@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
def test_a_file_cut_short_is_an_error_or_damage(name, cut, tmp_path):
    path = tmp_path / name
    optap.export(table(batch(records(100))), path)
    path.write_bytes(path.read_bytes()[:cut])
    assert name in told_of(path)


def test_columns_of_others_are_read_by_their_names(tmp_path):
    path = tmp_path / "theirs.parquet"
    columns = {"name": ["a", "b", None], "type": ["T"] * 3, "start_ns": [1, 5, 9], "end_ns": [3, 6, None]}
    pq.write_table(pa.table({**columns, "note": [1.5] * 3}), path)
    read = optap.read(path)
    assert [(op.name, op.type, op.duration_ns) for op in read] == [("a", "T", 2), ("b", "T", 1), ("", "T", None)]
    assert read.anchor is None


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"x": [1]}, "no columns of ops"),
        ({"name": ["a"], "type": ["T"], "start_ns": [-1], "end_ns": [3]}, "-1"),
        ({"name": ["a"], "type": ["T"], "start_ns": ["soon"], "end_ns": [3]}, "soon"),
        ({"name": ["a"], "type": ["T"], "start_ns": [1], "end_ns": [3], "kind": [70_000]}, "70000"),
        ({"name": ["a"], "type": ["T"], "start_ns": [1], "end_ns": [3], "kind": [1]}, "1 rows are no ops"),
        ({"name": [[1]], "type": ["T"], "start_ns": [1], "end_ns": [3]}, ""),
    ],
)
def test_hostile_columns_are_an_error_or_damage(columns, told, tmp_path):
    path = tmp_path / "hostile.parquet"
    pq.write_table(pa.table(columns), path)
    assert told in told_of(path)


def test_rows_that_no_file_of_this_size_holds_are_not_read(tmp_path):
    path = tmp_path / "bomb.parquet"
    rows = 20_000_000
    zeros = pa.array(np.zeros(rows, "u1"))
    name = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, "i4")), ["a"])
    pq.write_table(
        pa.table({"name": name, "type": name, "start_ns": zeros, "end_ns": zeros}), path, row_group_size=rows
    )
    read = optap.read(path)
    assert (len(read), read.damages[0].reason) == (0, "claims 20,000,000 rows")


def test_a_trace_shows_what_was_read_from_a_profile(tmp_path):
    prof = optap.export(table(batch(records(100), ["conv"])), tmp_path, "prof").path
    optap.export(optap.read(prof), tmp_path / "x.json")
    events = [event for event in json.loads((tmp_path / "x.json").read_text()) if event["ph"] == "X"]
    assert [event["name"] for event in events] == ["conv"] * 100
