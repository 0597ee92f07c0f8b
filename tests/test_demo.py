"""The demo, as `make demo` runs it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "examples" / "magika_live.py"


def run(*args):
    command = [sys.executable, str(DEMO), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def shown():
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(
    ("label", "path"),
    [
        ("makefile", "Makefile"),
        ("rust", "rust/engine/src/lib.rs"),
        ("python", "python/optap/device.py"),
        ("toml", "Cargo.toml"),
    ],
)
def test_files_get_their_true_labels(shown, label, path):
    assert re.search(rf"^ *\d+\.\d%  {label} +{re.escape(path)}$", shown, re.MULTILINE)


def test_all_records_are_seen_and_traced(shown):
    files, records, dropped = re.search(r"(\d+) files, ([\d,]+) records .* (\d+) dropped", shown).groups()
    trace = json.loads(Path(re.search(r"^trace: (\S+)", shown, re.MULTILINE)[1]).read_text())
    events = sum(event.get("ph") == "X" for event in trace)
    assert dropped == "0"
    assert events == int(records.replace(",", ""))
    assert events % int(files) == 0


def test_files_and_folders_of_yours_are_labelled(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "page.html").write_text("<!doctype html><html><body><p>Hello</p></body></html>" * 9)
    done = run(tmp_path / "inner", DEMO, "--trace", tmp_path / "new" / "trace.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(rf"%  html +{re.escape(str(tmp_path))}/inner/page.html$", done.stdout, re.MULTILINE)
    assert re.search(r"%  python +examples/magika_live.py$", done.stdout, re.MULTILINE)
    assert json.loads((tmp_path / "new" / "trace.json").read_text())


def test_what_is_not_there_is_named(tmp_path):
    done = run(tmp_path / "absent")
    assert (done.returncode, done.stderr) == (1, f"magika_live: {tmp_path}/absent: no such file or folder\n")
    assert "usage: magika_live.py" in run("--help").stdout


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} {DEMO} | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (141, "")


def test_it_uses_what_is_public_alone():
    assert not re.search(r"optap\.(_|cli)|from optap", DEMO.read_text())
