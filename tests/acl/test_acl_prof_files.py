"""Collections leave the files that the manual describes, complete, each below its own path."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from optap import acl
from profiles import found
from scripts import Ends, Loaded, ended

API, TASK_TIME, MSPROFTX, TASK_TIME_L0 = 0x1, 0x2, 0x80, 0x800


def config_of(bits=TASK_TIME, devices=(0,), metrics=0xFF):
    return acl.prof.create_config(list(devices), metrics, 0, bits)


def collected(path, config, work):
    """Runs `work` within a collection; gives the profile that it left."""
    assert acl.prof.init(str(path)) == 0
    assert acl.prof.start(config) == 0
    work()
    assert acl.prof.stop(config) == 0
    assert acl.prof.finalize() == 0
    (profile,) = found(path)
    assert profile.is_complete()
    return profile


def test_a_start_and_its_stop_leave_the_operators_between_them(chain, tmp_path):
    assert chain.execute() == 0
    profile = collected(tmp_path, config_of(), lambda: [chain.execute() for _ in range(2)])
    assert profile.ops() == ["node0", "node1", "node2"] * 2
    assert len(profile.tasks(0)) == 6


def test_a_round_holds_what_its_bits_ask_for(chain, tmp_path):
    def run():
        assert chain.execute() == 0

    calls = collected(tmp_path / "calls", config_of(API), run)
    assert (calls.calls(), calls.ops(), calls.tasks(0)) == (["aclmdlExecute"], [], [])
    times = collected(tmp_path / "times", config_of(TASK_TIME_L0), run)
    assert (times.calls(), times.ops(), len(times.tasks(0))) == ([], [], 3)
    both = collected(tmp_path / "both", config_of(API | TASK_TIME, metrics=1), run)
    assert (both.calls(), len(both.ops())) == (["aclmdlExecute"], 3)
    sample = json.loads((both.path / "host" / "sample.json").read_text())
    assert (sample["acl"], sample["msproftx"], sample["prof_level"]) == ("on", "off", "l1")


def test_a_model_that_is_unloaded_before_the_stop_keeps_its_names(device, chain_path, tmp_path):
    def work():
        model_id, ret = acl.mdl.load_from_file(str(chain_path))
        assert ret == 0
        loaded = Loaded(model_id, Ends.of([32]), Ends.of([32]))
        loaded.inputs.write(np.zeros(8, "<f4"))
        assert loaded.execute() == 0
        assert acl.mdl.unload(model_id) == 0
        loaded.inputs.free()
        loaded.outputs.free()

    assert collected(tmp_path, config_of(), work).ops() == ["node0", "node1", "node2"]


def test_each_init_writes_below_its_own_path(chain, tmp_path):
    for name in ("a", "b"):
        profile = collected(tmp_path / name, config_of(), chain.execute)
        assert len(profile.tasks(0)) == 3


def test_the_path_and_the_limit_can_be_set(chain, tmp_path):
    assert acl.prof.init(str(tmp_path / "one")) == 0
    assert acl.prof.set_config(16, str(tmp_path / "other")) == 0
    assert acl.prof.set_config(1, "200MB") == 0
    config = config_of()
    assert acl.prof.start(config) == 0
    assert chain.execute() == 0
    assert acl.prof.finalize() == 0
    assert (found(tmp_path / "one"), len(found(tmp_path / "other")[0].tasks(0))) == ([], 3)


def test_files_that_cannot_be_completed_are_told_by_the_stop(chain, tmp_path):
    assert acl.prof.init(str(tmp_path)) == 0
    config = config_of()
    assert acl.prof.start(config) == 0
    assert chain.execute() == 0
    shutil.rmtree(found(tmp_path)[0].path)
    assert acl.prof.stop(config) == 100004
    assert acl.prof.start(config) == 0
    assert acl.prof.finalize() == 0


RUNS = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from scripts import Ends, Loaded

def loaded(device, path):
    assert acl.rt.set_device(device) == 0
    model_id, ret = acl.mdl.load_from_file(path)
    assert ret == 0
    model = Loaded(model_id, Ends.of([32]), Ends.of([32]))
    model.inputs.write(np.zeros(8, "<f4"))
    return model
"""

RIGHT = """
assert acl.init() == 0
assert acl.prof.init({base!r}) == 0
first, second = (acl.prof.create_config(devices, 0, 0, 0x2) for devices in ([0, 1], [1, 2]))
codes = [acl.prof.start(first)]
one = loaded(1, {model!r})
codes += [one.execute(), acl.prof.stop(first), acl.prof.start(second)]
other = loaded(2, {model!r})
codes += [other.execute(), acl.prof.stop(second), acl.prof.finalize(), acl.finalize()]
print(codes)
"""

WRONG = """
assert acl.init() == 0
assert acl.prof.init({base!r}) == 0
first, second = (acl.prof.create_config(devices, 0, 0, 0x2) for devices in ([0, 1], [1, 2]))
codes = [acl.prof.start(first), acl.prof.start(second)]
one = loaded(1, {model!r})
codes += [one.execute()]
other = loaded(2, {model!r})
codes += [other.execute(), acl.prof.stop(first), acl.prof.stop(second), acl.prof.finalize(), acl.finalize()]
print(codes)
"""


def script(text, **values):
    return RUNS + text.format(**{name: str(value) for name, value in values.items()})


def test_the_right_order_of_the_manual_leaves_two_complete_profiles(chain_path, tmp_path):
    told = ended(script(RIGHT, base=tmp_path / "p", model=chain_path), OPTAP_DEVICES="3")
    assert " ".join(told) == "[0, 0, 0, 0, 0, 0, 0, 0]"
    first, second = found(tmp_path / "p")
    assert (first.is_complete(), second.is_complete()) == (True, True)
    assert [len(first.tasks(0)), len(first.tasks(1))] == [0, 3]
    assert [len(second.tasks(1)), len(second.tasks(2))] == [0, 3]


def test_the_wrong_order_leaves_the_first_profile_complete(chain_path, tmp_path):
    told = ended(script(WRONG, base=tmp_path / "p", model=chain_path), OPTAP_DEVICES="3")
    assert " ".join(told) == "[0, 100042, 0, 0, 0, 0, 0, 0]"
    (only,) = found(tmp_path / "p")
    assert (only.is_complete(), len(only.tasks(1))) == (True, 3)
    assert not (only.path / "device_2").exists()


BY_FILE = """
assert acl.init({config!r}) == 0
codes = [acl.prof.init("elsewhere"), acl.prof.finalize()]
one = loaded(0, {model!r})
codes += [one.execute(), acl.finalize()]
print(codes)
"""


@pytest.mark.parametrize(
    ("settings", "ops", "calls"), [({}, 3, True), ({"task_time": "off", "ascendcl": "off"}, 0, False)]
)
def test_the_file_of_init_collects_until_the_finalize(chain_path, tmp_path, settings, ops, calls):
    config = tmp_path / "acl.json"
    profiler = {"switch": "on", "output": str(tmp_path / "p"), **settings}
    config.write_text(json.dumps({"profiler": profiler}))
    told = ended(script(BY_FILE, config=config, model=chain_path), OPTAP_DEVICES="2")
    assert " ".join(told) == "[100042, 100042, 0, 0]"
    (profile,) = found(tmp_path / "p")
    assert (profile.is_complete(), len(profile.ops())) == (True, ops)
    assert ("aclmdlExecute" in profile.calls()) == calls
    assert (profile.path / "device_0").exists() == bool(ops)
    assert not (profile.path / "device_1").exists()


def test_an_output_that_is_no_folder_fails_the_init(tmp_path):
    (tmp_path / "file").write_text("")
    config = tmp_path / "acl.json"
    config.write_text(json.dumps({"profiler": {"switch": "on", "output": str(tmp_path / "file")}}))
    assert ended(f"print(acl.init({str(config)!r}))") == ["100003"]


def test_stamps_and_steps_are_written_with_their_times(device, tmp_path):
    stream, ret = acl.rt.create_stream()
    assert ret == 0

    def work():
        stamp = acl.prof.create_stamp()
        assert acl.prof.set_stamp_trace_message(stamp, "outer", 5) == 0
        inner = acl.prof.create_stamp()
        assert acl.prof.set_stamp_trace_message(inner, "inner", 5) == 0
        number, _ = acl.prof.range_start(stamp)
        assert [acl.prof.push(stamp), acl.prof.push(inner), acl.prof.mark(inner)] == [0] * 3
        assert [acl.prof.pop(), acl.prof.pop(), acl.prof.range_stop(number)] == [0] * 3
        assert acl.prof.mark_ex("on the stream", stream) == 0
        step = acl.prof.create_step_info()
        assert [acl.prof.get_step_timestamp(step, tag, stream) for tag in (0, 1)] == [0, 0]
        assert acl.rt.synchronize_stream(stream) == 0
        acl.prof.destroy_step_info(step)

    profile = collected(tmp_path, config_of(TASK_TIME | MSPROFTX), work)
    told = profile.tx()
    assert [(text, event) for text, event, _, _ in told if text != "on the stream"] == [
        ("inner", 0),
        ("inner", 2),
        ("outer", 2),
        ("outer", 2),
    ]
    assert [event for text, event, _, _ in told if text == "on the stream"] == [0]
    assert all(start_ns <= end_ns for _, _, start_ns, end_ns in told)
    (_, start_tag, start_ns), (_, end_tag, end_ns) = profile.track(0)
    assert (start_tag, end_tag) == (60_000, 60_001)
    assert start_ns <= end_ns
    assert acl.rt.destroy_stream(stream) == 0
