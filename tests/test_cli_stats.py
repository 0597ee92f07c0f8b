"""`optap stats` and `optap diff`, and the report among the formats of `optap export`."""

import csv
import io
import json

import numpy as np
import optap
import pytest
from files import batch, records
from optap.cli import main

NAMES = ["encoder/" * 20 + "MatMul", "relu\x1b[2J"]
RANGE, STEP = 3, 5


def write(path, middle_ns=10_000, seed=0, gap=0):
    """400 ops of two names in turn; the first is `middle_ns` long, but for noise, and ten steps are around them."""
    array = records(400, op_id=np.tile([1, 2], 200))
    array["start_ns"] = 1_000_000 + 100_000 * np.arange(400)
    noise = np.random.default_rng(seed).lognormal(0, 0.05, 400)
    array["end_ns"] = array["start_ns"] + (np.tile([middle_ns, 500], 200) * noise).astype(np.uint64)
    array["run_id"] = 1 + np.arange(400) // 20
    steps = records(10, kind=STEP, run_id=np.arange(10), op_id=0, device_id=2**32 - 1)
    steps["start_ns"] = array["start_ns"][::40]
    steps["end_ns"] = array["end_ns"][39::40]
    optap.export([batch(np.concatenate([array, steps]), NAMES, gap)], path, overwrite=True)
    return path


@pytest.fixture
def profile(tmp_path):
    return write(tmp_path / "before.parquet", gap=3)


def run(capsys, *arguments):
    code = main([str(one) for one in arguments])
    return code, capsys.readouterr()


def test_names_are_told_in_full_without_a_terminal(profile, capsys):
    code, told = run(capsys, "stats", profile)
    assert code == 0
    assert NAMES[0] in told.out
    assert "relu\\x1b[2J" in told.out
    assert "400 ops, 3 lost while recording" in told.out


@pytest.mark.parametrize(("by", "rows"), [("type", 2), ("name", 2), ("stream", 1), ("range", 1), ("step", 10)])
def test_json_has_a_row_for_each_key(by, rows, profile, capsys):
    _, told = run(capsys, "stats", profile, "--by", by, "--json")
    told = json.loads(told.out)
    assert (told["by"], told["records"], told["lost"], len(told["rows"])) == (by, 400, 3, rows)
    assert sum(row["count"] for row in told["rows"]) == 400
    assert sum(row["share"] for row in told["rows"]) == pytest.approx(1)


def test_each_op_counts_in_its_step(profile, capsys):
    _, told = run(capsys, "stats", profile, "--by", "step", "--json")
    rows = json.loads(told.out)["rows"]
    assert [(row["name"], row["count"], row["spans"]) for row in rows] == [(f"step {at}", 40, 1) for at in range(10)]
    assert all(row["span_ns"] > row["total_ns"] for row in rows)


def test_csv_is_read_back(profile, capsys):
    _, told = run(capsys, "stats", profile, "--csv", "--sort", "p50")
    rows = list(csv.DictReader(io.StringIO(told.out)))
    assert [row["name"] for row in rows] == NAMES
    assert all(int(row["count"]) == 200 for row in rows)


def test_rows_beyond_the_limit_are_told(profile, capsys):
    _, told = run(capsys, "stats", profile, "--limit", 1)
    assert "1 more operator, " in told.out
    assert "relu" not in told.out


def test_what_became_slower_is_told_and_fails_where_it_shall(profile, tmp_path, capsys):
    after = write(tmp_path / "after.parquet", 12_000, seed=1)
    code, told = run(capsys, "diff", profile, after)
    assert code == 0
    assert "1 slower, 1 same" in told.out
    code, told = run(capsys, "diff", profile, after, "--fail-above", "5%")
    assert code == 1
    assert "slower by more than 5.0%" in told.err
    assert run(capsys, "diff", profile, after, "--fail-above", "50%")[0] == 0
    assert run(capsys, "diff", after, profile, "--fail-above", "5%")[0] == 0


def test_the_comparison_is_told_as_json(profile, tmp_path, capsys):
    after = write(tmp_path / "after.parquet", 12_000, seed=1)
    _, told = run(capsys, "diff", profile, after, "--json", "--fail-above", "0.05")
    told = json.loads(told.out)
    assert {one["name"]: one["verdict"] for one in told["changes"]} == dict(zip(NAMES, ["slower", "same"], strict=True))
    assert told["run"]["verdict"] == "slower"
    assert NAMES[0] in told["failed"]


def test_a_profile_is_no_slower_than_itself(profile, capsys):
    code, told = run(capsys, "diff", profile, profile, "--all", "--fail-above", "0")
    assert code == 0
    assert "2 same" in told.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["stats", "missing"], "missing: no such file"),
        (["diff", "missing", "missing"], "missing: no such file"),
        (["diff", "a", "b", "--fail-above", "lots"], "'lots' is no part such as 5%"),
        (["diff", "a", "b", "--min-change", "-1%"], "--min-change"),
        (["stats", "a", "--by", "colour"], "colour"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_is_named(arguments, told, capsys):
    with pytest.raises(SystemExit) as end:
        raise SystemExit(main(arguments))
    assert end.value.code == 2
    assert told in capsys.readouterr().err


def test_a_report_is_a_format_like_others(profile, tmp_path, capsys):
    path = tmp_path / "report.html"
    assert run(capsys, "export", profile, "-o", path)[0] == 0
    assert "before.parquet</title>" in path.read_text("utf-8")
    assert run(capsys, "export", profile, "-o", path)[0] == 2


def test_a_report_can_be_written_as_batches_come(tmp_path):
    with optap.FileWriter(tmp_path / "report.html") as file:
        file.write(batch(records(3)))
    assert '"count":3,' in (tmp_path / "report.html").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
