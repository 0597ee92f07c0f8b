"""The command `optap`, in this process and in one of its own."""

import json
import os
import signal
import subprocess
import sys

import models
import numpy as np
import pytest
from optap import errors
from optap._text import printable
from optap.cli import main
from optap.cli.cann import LIBRARY
from optap.cli.failure import FailedError, UsageError, exit_code, leaf
from optap.cli.inputs import gather_inputs
from optap.cli.table import plain_table
from optap.model import TensorSpec
from profiles import found

COMMAND = [sys.executable, "-m", "optap"]


def optap(*args, **settings):
    return subprocess.run(
        [*COMMAND, *map(str, args)], capture_output=True, text=True, timeout=50, check=False, **settings
    )


def on_terminal(command, *, interrupt_after=None):
    """Run `command` on a pseudo-terminal; give what it drew and its exit code."""
    main_end, other_end = os.openpty()
    process = subprocess.Popen(command, stdin=other_end, stdout=other_end, stderr=other_end, start_new_session=True)
    os.close(other_end)
    drawn = b""
    while chunk := _read(main_end):
        drawn += chunk
        if interrupt_after is not None and interrupt_after in drawn:
            process.send_signal(signal.SIGINT)
            interrupt_after = None
    os.close(main_end)
    return drawn.decode(), process.wait(timeout=10)


def _read(descriptor):
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""


@pytest.fixture
def chain(tmp_path):
    path = tmp_path / "chain.onnx"
    path.write_bytes(models.chain(3, ["batch", 4], op_type="Sigmoid"))
    return path


@pytest.fixture
def gather(tmp_path):
    ends = [models.tensor("x", [2]), models.tensor("i", ["n"], models.INT64)]
    path = tmp_path / "gather.onnx"
    path.write_bytes(models.model([models.node("Gather", ["x", "i"], ["y"])], ends, [models.tensor("y", ["n"])]))
    return path


def saved(tmp_path, array):
    np.save(tmp_path / "array.npy", array)
    return tmp_path / "array.npy"


def test_every_op_of_every_run_is_summed_up(chain, tmp_path):
    summary = tmp_path / "summary.json"
    done = optap("run", chain, "--repeat", 50, "--concurrency", 4, "--json", summary)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(summary.read_text())
    assert (told["runs_done"], told["records"], told["delivered"], sum(told["dropped"].values())) == (50, 150, 150, 0)
    assert sorted((one["name"], one["count"]) for one in told["operators"]) == [(f"node{at}", 50) for at in range(3)]
    assert sum(one["share"] for one in told["operators"]) == pytest.approx(1)
    for one in told["operators"]:
        assert 0 < one["p50_ns"] <= one["p99_ns"] <= one["max_ns"] <= one["total_ns"]
        assert one["mean_ns"] * one["count"] == pytest.approx(one["total_ns"])


def test_the_table_names_every_operator_and_made_inputs_are_told(chain):
    done = optap("run", chain, "--shape", "x=8x4")
    assert "input x: float32 8x4, made: random from 0 to 1" in done.stdout
    assert all(f"node{at}" in done.stdout for at in range(3))


def test_json_on_standard_output_stands_there_alone(chain):
    done = optap("run", chain, "--json", "-")
    assert json.loads(done.stdout)["runs_done"] == 1
    assert "node0" in done.stderr


def test_the_profile_has_one_task_for_each_record(chain, tmp_path):
    base = tmp_path / "profiles"
    told = optap("run", chain, "--repeat", 7, "--profile", base, "--json", "-")
    assert told.returncode == 0
    (profile,) = found(base)
    summary = json.loads(told.stdout)
    assert len(profile.tasks(0)) == summary["records"] == summary["profile"]["records"]
    assert summary["profile"]["directories"] == [str(profile.path)]
    assert str(profile.path) in told.stderr


def test_the_trace_has_one_event_for_each_record(chain, tmp_path):
    assert optap("run", chain, "--repeat", 7, "--trace", tmp_path / "trace.json").returncode == 0
    events = json.loads((tmp_path / "trace.json").read_text())
    assert sum(event.get("ph") == "X" for event in events) == 21


def test_a_file_is_what_the_model_gets(gather, tmp_path):
    done = optap("run", gather, "--input", f"i={saved(tmp_path, np.array([1, 0, 1]))}")
    assert (done.returncode, done.stderr) == (0, "")
    assert "input i: int64 3, read from" in done.stdout


def test_a_failing_node_is_one_line_on_stderr(gather, tmp_path):
    done = optap("run", gather, "--input", f"i={saved(tmp_path, np.array([7]))}")
    assert done.returncode == 1
    assert done.stderr.startswith("optap: ")
    assert done.stderr.count("\n") == 1


def test_a_scalar_input_can_be_made(tmp_path):
    path = tmp_path / "open.onnx"
    path.write_bytes(models.chain(2, None))
    assert optap("run", path, "--shape", "x=scalar").returncode == 0


BOUNDLESS = "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999999999,), }\n"
"""The header of an array that no memory holds."""


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["missing.onnx"], "missing.onnx: no such file"),
        (["."], "a folder"),
        (["{chain}", "--repeat", "0"], "--repeat"),
        (["{chain}", "--concurrency", "two"], "'two'"),
        (["{chain}", "--device", "-1"], "'-1'"),
        (["{chain}", "--device", "4096"], "device 4096 does not exist"),
        (["{chain}", "--shape", "x=4x5"], "the model declares batchx4"),
        (["{chain}", "--shape", "x=4xq"], "x=4xq"),
        (["{chain}", "--shape", "z=4"], "an input of the model as NAME: x"),
        (["{chain}", "--shape", "x=9999999999x4"], "GiB"),
        (["{chain}", "--shape", "x=1x4", "--shape", "x=2x4"], "given twice"),
        (["{chain}", "--input", "x"], "NAME=FILE.npy"),
        (["{chain}", "--input", "x=missing.npy"], "No such file"),
        (["{chain}", "--input", "x={text}"], "numpy.save"),
        (["{chain}", "--input", "x={doubles}"], "holds float64, the model takes float32"),
        (["{chain}", "--input", "x={vector}"], "expected float32[batch,4]"),
        (["{chain}", "--input", "x={vector}", "--shape", "x=1x4"], "leave --shape out"),
        (["{text}"], "not an ONNX model"),
        (["{chain}", "--json", "missing/summary.json"], "--json missing/summary.json"),
        (["{chain}", "--trace", "."], "--trace"),
        (["{chain}", "--trace", "-"], "--trace -: a trace is written to a file; give a path"),
        (["{chain}", "--repeat", "-1"], "'-1' is no whole number from 1 up"),
        (["{chain}", "--repeat", "x"], "'x' is no whole number from 1 up"),
        (["{chain}", "--repeat", "9" * 5000], "18 digits"),
        (["{chain}", "--repaet", "3"], "did you mean '--repeat'"),
        (["{chain}", "--shape", "xx=1x4"], "did you mean 'x'"),
        (["{chain}", "--input", "x={headless}"], "numpy.save"),
        (["{chain}", "--input", "x={boundless}"], "numpy.save"),
        (["/dev/null"], "no file"),
        (["{chain}", "--profile", "{chain}"], "--profile"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_ends_with_2_and_is_named(args, told, chain, tmp_path, capsys):
    files = {"chain": chain, "text": tmp_path / "text", "doubles": tmp_path / "d.npy", "vector": tmp_path / "v.npy"}
    files["text"].write_text("no model, no array")
    for name, header in (("headless", "{'descr': ("), ("boundless", BOUNDLESS)):
        files[name] = tmp_path / name
        files[name].write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    np.save(files["doubles"], np.zeros((1, 4)))
    np.save(files["vector"], np.zeros(4, np.float32))
    with pytest.raises(SystemExit) as end:
        sys.exit(main(["run", *(one.format(**files) for one in args)]))
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert err.startswith("optap: ")
    assert told in err


def test_a_full_disk_ends_with_1_and_the_summary(chain):
    done = optap("run", chain, "--json", "/dev/full")
    assert (done.returncode, done.stderr) == (1, "optap: --json /dev/full: No space left on device\n")
    assert "node0" in done.stdout


def test_interrupt_ends_with_130_and_the_summary_of_what_was_seen(chain, tmp_path):
    summary = tmp_path / "summary.json"
    command = [*COMMAND, "run", str(chain), "--repeat", "1000000000", "--json", str(summary)]
    drawn, code = on_terminal(command, interrupt_after=b"node0")
    told = json.loads(summary.read_text())
    assert code == 130
    assert told["interrupted"]
    assert 0 < told["records"] == told["delivered"] == told["produced"] - sum(told["dropped"].values())
    assert "interrupted" in drawn
    assert "Traceback" not in drawn


def test_interrupt_before_the_first_op_ends_with_130(tmp_path):
    path = tmp_path / "model.onnx"
    script = f"""
import os, signal, sys
import anyio
from optap.cli import inputs, main, run
def interrupt(*given):
    os.kill(os.getpid(), signal.SIGINT)
    return inputs.gather_inputs(*given)
async def wait(self):
    await anyio.sleep_forever()
run.gather_inputs, run.Work.run = interrupt, wait
sys.exit(main(["run", {str(path)!r}]))
"""
    path.write_bytes(models.chain(1, [1]))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (130, "")
    assert "0 of 1 runs" in done.stdout
    assert "interrupted" in done.stdout


def test_a_terminal_shows_the_table_live(chain):
    drawn, code = on_terminal([*COMMAND, "run", str(chain), "--repeat", "3000"])
    assert code == 0
    assert drawn.count("node0") > 1
    assert "3,000 of 3,000 runs" in drawn


def test_a_reader_that_goes_away_is_no_error(chain):
    command = f"{sys.executable} -m optap run {chain} --repeat 3 | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode in {0, 141}
    assert "Traceback" not in done.stderr


def test_rich_is_not_needed(chain):
    script = f"""
import sys
from importlib import util
real = util.find_spec
util.find_spec = lambda name, *rest: None if name in ("rich", "argcomplete") else real(name, *rest)
from optap.cli import main
sys.exit(main(["run", {str(chain)!r}]))
"""
    drawn, code = on_terminal([sys.executable, "-c", script])
    assert code == 0
    assert "pip install 'optap[cli]'" in drawn
    assert "node0" in drawn


def test_doctor_checks_the_engine_and_every_loop():
    done = optap("doctor", env={name: value for name, value in os.environ.items() if not name.startswith("ASCEND")})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("ok: ") == 4
    assert f"no {LIBRARY} in ASCEND_HOME_PATH (not set)" in done.stdout


def test_doctor_tells_the_loaders_own_words_about_a_broken_library(tmp_path):
    (tmp_path / "lib64").mkdir()
    (tmp_path / "lib64" / LIBRARY).write_text("no library")
    done = optap("doctor", env={**os.environ, "ASCEND_HOME_PATH": str(tmp_path)})
    assert done.returncode == 0
    assert f"{tmp_path}/lib64/{LIBRARY}: does not load" in done.stdout
    assert "file too short" in done.stdout or "invalid ELF header" in done.stdout


def test_a_misspelt_command_is_guessed(capsys):
    with pytest.raises(SystemExit) as end:
        main(["rnu", "model.onnx"])
    assert end.value.code == 2
    assert "did you mean 'run'? (see optap --help)" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_what_a_shell_sources(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "optap" in capsys.readouterr().out


def test_completion_completes_commands():
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_SHELL": "bash",
        "COMP_LINE": "optap do",
        "COMP_POINT": "8",
        "COMP_TYPE": "9",
    }
    script = "import os; os.dup2(1, 8); from optap.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, **asked}, capture_output=True, check=False)
    assert done.stdout.strip() == b"doctor"


@pytest.mark.parametrize("command", [[], ["run"], ["stats"], ["diff"], ["doctor"], ["completion"]])
def test_every_help_has_examples(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "examples:" in capsys.readouterr().out


def test_integers_are_made_of_zeros_and_open_dimensions_of_one():
    spec = TensorSpec("ids", np.dtype("int64"), ("batch", None, 3))
    (made,) = gather_inputs([spec], [], [])
    assert made.array.shape == (1, 1, 3)
    assert not made.array.any()


def test_names_with_equals_signs_are_found():
    specs = [TensorSpec(name, np.dtype("float32"), ("n",)) for name in ("a", "a=b")]
    short, long = gather_inputs(specs, [], ["a=b=5"])
    assert (short.array.shape, long.array.shape) == ((1,), (5,))


def test_a_failure_inside_groups_keeps_its_exit_code():
    group = ExceptionGroup("outer", [ExceptionGroup("inner", [UsageError("x")])])
    assert exit_code(leaf(group)) == 2
    assert exit_code(FailedError("x")) == 1
    assert exit_code(errors.UnsupportedModelError("x", 1, "X")) == 1
    assert exit_code(errors.ModelError("x", 1, "X")) == 2


def test_names_cannot_steer_the_terminal():
    assert printable("\x1b[31m\udcff[bold]é") == "\\x1b[31m\\udcff[bold]é"


def test_an_empty_table_has_its_headings():
    assert plain_table([]).split()[:2] == ["operator", "type"]
