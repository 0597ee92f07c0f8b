"""`optap export`, in this process and in one of its own."""

import json
import subprocess
import sys

import optap
import pytest
from files import batch, records
from optap.cli import main
from test_cli import COMMAND, on_terminal


@pytest.fixture
def prof(tmp_path):
    """A folder with two profiles of 1,000 ops each."""
    for name in ("conv", "relu"):
        optap.export(batch(records(1_000), [name]), tmp_path / "profiles", "prof")
    return tmp_path / "profiles"


def run(*args):
    command = [*COMMAND, "export", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)


@pytest.mark.parametrize(
    "name", ["x.json", "x.pftrace", "x.csv", "x.parquet", "x.arrow"]
)  # fmt: skip
def test_the_name_of_the_output_tells_the_format(name, prof, tmp_path, capsys):
    assert main(["export", str(prof), "-o", str(tmp_path / name)]) == 0
    told = capsys.readouterr()
    assert told.out == f"{tmp_path / name}: 2,000 records\n"
    assert told.err == ""
    assert (tmp_path / name).stat().st_size > 1_000


def test_several_inputs_become_one_output(prof, tmp_path):
    inputs = sorted(prof.iterdir())
    done = run(*inputs, "--to", "chrome", "-o", tmp_path / "both")
    assert (done.returncode, done.stderr) == (0, "")
    events = json.loads((tmp_path / "both").read_text())
    assert {event["name"] for event in events if event["ph"] == "X"} == {"conv", "relu"}


def test_folders_of_parquet_are_added_to_and_read_again(prof, tmp_path):
    for _ in range(2):
        assert main(["export", str(prof), "--to", "parquet", "-o", str(tmp_path / "lake")]) == 0
    assert len(optap.read(tmp_path / "lake")) == 4_000


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["missing", "-o", "x.json"], "missing: no such file"),
        (["{prof}", "-o", "{tmp}/x"], "--to"),
        (["{prof}", "-o", "{tmp}/x.what"], ".pftrace"),
        (["{prof}", "-o", "{tmp}/none/x.json"], "there is no folder"),
        (["{prof}", "-o", "{tmp}/mine.json"], "--force"),
        (["{prof}", "--to", "yaml", "-o", "x"], "'yaml'"),
        (["{prof}"], "-o"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_names_the_way_out(args, told, prof, tmp_path, capsys):
    (tmp_path / "mine.json").write_text("mine")
    with pytest.raises(SystemExit) as end:
        sys.exit(main(["export", *(one.format(prof=prof, tmp=tmp_path) for one in args)]))
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert told in err
    assert (tmp_path / "mine.json").read_text() == "mine"


def test_force_replaces_what_is_there(prof, tmp_path):
    (tmp_path / "mine.json").write_text("mine")
    assert run(prof, "-o", tmp_path / "mine.json", "--force").returncode == 0
    assert len(json.loads((tmp_path / "mine.json").read_text())) >= 2_000


def test_an_input_that_is_nothing_known_ends_with_1(tmp_path):
    (tmp_path / "text").write_text("no ops")
    done = run(tmp_path / "text", "-o", tmp_path / "x.json")
    assert done.returncode == 1
    assert done.stderr.startswith("optap: ")
    assert str(tmp_path / "text") in done.stderr
    assert not (tmp_path / "x.json").exists()


def test_damage_is_told_and_the_rest_is_written(tmp_path):
    path = tmp_path / "x.arrow"
    optap.export((batch(records(300_000)) for _ in range(2)), path)
    path.write_bytes(path.read_bytes()[:-200_000])
    done = run(path, "-o", tmp_path / "x.json")
    assert done.returncode == 0
    assert f"{path}, byte " in done.stderr
    assert "the rest was read" in done.stderr


def test_interrupt_leaves_no_half_file(tmp_path):
    path = tmp_path / "x.arrow"
    optap.export((batch(records(200_000)) for _ in range(10)), path)
    script = f"""
import os, signal, sys
import optap.cli.export as command
from optap.cli import main
from optap.cli.progress import progress
def interrupt(*given):
    os.kill(os.getpid(), signal.SIGINT)
class Progress:
    def __enter__(self): return interrupt
    def __exit__(self, *given): pass
command.progress = lambda what, total=None: Progress() if total else progress(what, total)
sys.exit(main(["export", {str(path)!r}, "-o", {str(tmp_path / "x.json")!r}]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (130, "optap: interrupted\n")
    assert [one.name for one in tmp_path.iterdir()] == ["x.arrow"]


def test_a_terminal_shows_a_bar(prof, tmp_path):
    drawn, code = on_terminal([*COMMAND, "export", str(prof), "-o", str(tmp_path / "x.json")])
    assert code == 0
    assert "reading" in drawn
    assert "2,000 records" in drawn


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as end:
        main(["export", "--help"])
    assert end.value.code == 0
    assert "examples:" in capsys.readouterr().out
