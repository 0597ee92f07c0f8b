"""The demo, as `make demo` runs it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "examples" / "magika_live.py"


@pytest.fixture(scope="module")
def shown():
    done = subprocess.run([sys.executable, str(DEMO)], capture_output=True, text=True, timeout=60, check=False)
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
