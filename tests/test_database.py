"""The database is the one that `msprof-analyze`, from PyPI and unmodified, reads."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUNS = 50
"""Runs of conv1, relu1 and fc, which last 40, 12.5 and 20.001 us, with a gap of 7.5 us before the last."""


def example(name: str, *arguments: object) -> str:
    """What an example of the crate prints."""
    cargo = shutil.which("cargo")
    assert cargo is not None, "the tests need cargo, as building does"
    command = [cargo, "run", "--release", "--locked", "--quiet", "-p", "optap-export", "--example", name, "--"]
    done = subprocess.run([*command, *map(str, arguments)], check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one profile, its database beside the raw data, as the recipes expect it."""
    root = tmp_path_factory.mktemp("profiles")
    directory = Path(example("prof", root, RUNS).strip())
    example("export", directory, directory)
    (database,) = directory.glob("msprof_*.db")
    assert len(database.stem) == len("msprof_") + 14
    return root


def recipe(name: str, profile: Path, table: str) -> list[dict[str, str]]:
    """The rows of a table that a recipe makes."""
    output = profile.parent / name
    program = Path(sys.executable).with_name("msprof-analyze")
    options = ["-m", name, "-d", str(profile), "-o", str(output), "--export_type", "text"]
    done = subprocess.run([str(program), "cluster", *options], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = output.rglob(table)
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.timeout(900)
def test_operators_are_summed_up_by_type(profile: Path) -> None:
    rows = recipe("compute_op_sum", profile, "all_stats.csv")
    told = [(row["OpType"], row["TaskType"], int(row["Count"]), float(row["Sum(Us)"])) for row in rows]
    assert told == [
        ("Conv", "AI_CPU", RUNS, 40 * RUNS),
        ("Gemm", "AI_CPU", RUNS, pytest.approx(20.001 * RUNS)),
        ("Relu", "AI_CPU", RUNS, 12.5 * RUNS),
    ]


@pytest.mark.timeout(900)
def test_calls_are_summed_up_by_name(profile: Path) -> None:
    rows = recipe("cann_api_sum", profile, "all_stats.csv")
    counts = {row["name"]: int(row["totalCount"]) for row in rows}
    totals_us = {row["name"]: float(row["totalTime(Us)"]) for row in rows}
    assert counts == {"ModelExecute": RUNS, "launch": 3 * RUNS}
    assert totals_us["ModelExecute"] == pytest.approx(80.001 * RUNS)
    assert totals_us["launch"] == pytest.approx(72.501 * RUNS)
