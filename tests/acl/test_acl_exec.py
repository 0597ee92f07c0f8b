"""`optap exec`: scripts that say `import acl` run unmodified."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
import acl
import acl.rt as rt
from helper import word
print(word, sys.argv[1:], __name__, rt is acl.rt, acl.init(), rt.set_device(0))
sys.exit(int(sys.argv[1]))
"""


def execute(script, *arguments):
    command = [sys.executable, "-m", "optap", "exec", str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def script(tmp_path):
    (tmp_path / "helper.py").write_text("word = 'found'\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path / "script.py"


def test_a_script_runs_as_python_would_run_it(script):
    done = execute(script, "7", "--flag")
    assert (done.stdout, done.returncode) == ("found ['7', '--flag'] __main__ True 0 0\n", 7), done.stderr


def test_what_a_script_raises_is_shown(script):
    done = execute(script, "seven")
    assert (done.returncode, "ValueError: invalid literal" in done.stderr, "script.py" in done.stderr) == (
        1,
        True,
        True,
    )


def test_a_script_that_is_not_there(tmp_path):
    done = execute(tmp_path / "none.py")
    assert (done.returncode, done.stderr.startswith("optap: ")) == (2, True)


def test_the_modules_are_those_of_one_run(script):
    code = f"""
from optap.cli import main
import sys
try:
    main(['exec', {str(script)!r}, '0'])
except SystemExit:
    print('acl' in sys.modules, 'acl.rt' in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines()[-1] == "False False", done.stderr
