"""`OPTAP_LOG`: what is shown of calls that fail and of operators that are read, and when nothing is."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

READ = """
    import os, sys
    from optap import acl

    acl.init(), acl.rt.set_device(0)
    sys.path[:0] = os.environ["TESTS"].split(":")
    from scripts import Ends, Loaded

    model_id, _ = acl.mdl.load_from_file(os.environ["MODEL"])
    chain = Loaded(model_id, Ends.of([32]), Ends.of([32]))
    source, sink = os.pipe()
    acl.prof.model_subscribe(model_id, acl.prof.create_subscribe_config(1, 0xFF, sink))
    chain.execute()
    acl.prof.model_unsubscribe(model_id)
    data = os.read(source, 800)
    at = acl.util.bytes_to_ptr(data), len(data)
    print(acl.prof.get_op_start(*at, 0), acl.prof.get_op_end(*at, 0), acl.prof.get_op_duration(*at, 0), acl.prof.get_model_id(*at, 0))
    for index in (1, 0, 1):
        acl.prof.get_op_name(*at, index, 275), acl.prof.get_op_type(*at, index, 65)
"""  # noqa: E501


def run(source, **environment):
    """What a script prints and what it says on standard error."""
    command = [sys.executable, "-c", textwrap.dedent(source)]
    environment = {**os.environ, **environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout, done.stderr.splitlines()


def test_an_operator_is_shown_when_it_is_first_read_and_failures_when_they_happen(chain_path):
    here = os.path.dirname(__file__)  # noqa: PTH120
    told, shown = run(READ, TESTS=here, MODEL=str(chain_path), OPTAP_LOG="info")
    start, end, duration, model = told.split()
    first, second, *failed = shown
    assert first == (
        f"optap: op 1: model {model}, name node0, type Relu, start {start}, end {end}, duration {duration} ns"
    )
    assert re.fullmatch(
        rf"optap: op 2: model {model}, name node1, type Relu, start \d+, end \d+, duration \d+ ns", second
    )
    assert [line.split(":")[1] for line in failed] == [
        " acl.prof.get_op_name returned 100000",
        " acl.prof.get_op_type returned 100000",
    ]


def test_nothing_is_shown_unless_asked_for(chain_path):
    here = os.path.dirname(__file__)  # noqa: PTH120
    for level in ("", "off"):
        assert run(READ, TESTS=here, MODEL=str(chain_path), OPTAP_LOG=level)[1] == []


FAIL = """
    from optap import acl
    acl.rt.set_device(9)
"""


def test_failed_calls_are_shown_with_code_and_reason():
    assert run(FAIL)[1] == []
    (line,) = run(FAIL, OPTAP_LOG="info")[1]
    assert line.startswith("optap: acl.rt.set_device returned 107001: device 9 does not exist")


@pytest.mark.parametrize("how", [["-c", textwrap.dedent(FAIL)], ["-m", "optap", "exec", os.devnull]])
def test_a_level_that_is_not_known_is_named(how, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(FAIL))
    command = [sys.executable, *[str(script) if word == os.devnull else word for word in how]]
    done = subprocess.run(
        command, env={**os.environ, "OPTAP_LOG": "loud"}, capture_output=True, text=True, timeout=60, check=True
    )
    assert "RuntimeWarning: OPTAP_LOG is 'loud', expected info, debug or off" in done.stderr
    assert "acl.rt.set_device returned" not in done.stderr
