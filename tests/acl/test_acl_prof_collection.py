"""Collections: their order, their configurations and settings, steps, marks and ranges."""

import os
import subprocess
import sys
import threading

import pytest
from optap import acl

TASK_TIME, MSPROFTX = 0x2, 0x80


@pytest.fixture
def opened(device, tmp_path):
    path = tmp_path / "profiles" / "deep"
    assert acl.prof.init(str(path)) == 0
    yield path
    acl.prof.finalize()


def config_of(devices=(0,), bits=TASK_TIME, metrics=0, events=0):
    return acl.prof.create_config(list(devices), metrics, events, bits)


def test_init_makes_the_folder_and_opens_once(opened):
    assert opened.is_dir()
    assert acl.prof.init(str(opened)) == 100002
    assert acl.prof.finalize() == 0
    assert acl.prof.finalize() == 100043


def test_paths_that_init_refuses(device, tmp_path):
    (tmp_path / "file").write_text("")
    assert acl.prof.init("") == 100000
    assert acl.prof.init("p" * 4096) == 100000
    assert acl.prof.init(str(tmp_path / "file")) == 100003
    assert acl.prof.init(str(tmp_path / "file" / "below")) == 100003


def test_nothing_works_before_init(device):
    config = config_of()
    assert [acl.prof.start(config), acl.prof.stop(config), acl.prof.finalize()] == [100043] * 3
    assert acl.prof.set_config(3, "15") == 100001
    assert [acl.prof.start(0), acl.prof.stop(0)] == [100000, 100000]
    assert acl.prof.destroy_config(config) == 0
    assert [acl.prof.destroy_config(config), acl.prof.destroy_config(0)] == [100000, 100000]


def test_configurations_that_are_refused(device):
    count, _ = acl.rt.get_device_count()
    assert config_of(events=1) == 0
    assert config_of(devices=[count]) == 0
    assert config_of(devices=[0, 0]) == 0
    assert config_of(devices=[]) == 0
    assert config_of(devices=[], bits=MSPROFTX) != 0
    with pytest.raises(TypeError):
        acl.prof.create_config((0,), 0, 0, TASK_TIME)


def test_a_start_checks_what_it_is_asked_to_collect(opened):
    assert acl.prof.start(config_of(bits=0)) == 100000
    assert acl.prof.start(config_of(bits=0x400)) == 200007
    assert acl.prof.start(config_of(metrics=9)) == 100000
    assert acl.prof.start(config_of(metrics=0xFF)) == 0


def test_a_device_collects_once(opened):
    config = config_of()
    assert acl.prof.start(config) == 0
    assert acl.prof.start(config) == 100042
    assert acl.prof.stop(config_of(bits=TASK_TIME | 1)) == 100010
    assert acl.prof.stop(config) == 0
    assert acl.prof.stop(config) == 0
    assert acl.prof.start(config) == 0


def test_a_finalize_while_it_runs_forgets_everything(opened):
    config = config_of()
    assert acl.prof.start(config) == 0
    assert acl.prof.finalize() == 0
    assert acl.prof.init(str(opened)) == 0
    assert acl.prof.start(config) == 0


ORDER = """
import sys
from optap import acl
assert acl.init() == 0
assert acl.prof.init(sys.argv[1]) == 0
first, second = (acl.prof.create_config(devices, 0, 0, 0x2) for devices in ([0, 1], [1, 2]))
right = [acl.prof.start(first), acl.prof.stop(first), acl.prof.start(second), acl.prof.stop(second)]
assert right == [0, 0, 0, 0], right
wrong = [acl.prof.start(first), acl.prof.start(second), acl.prof.stop(first), acl.prof.stop(second)]
assert wrong == [0, 100042, 0, 0], wrong
assert acl.prof.finalize() == 0
assert acl.finalize() == 0
"""


def test_the_order_of_the_manual_holds_over_three_devices(tmp_path):
    environment = {**os.environ, "OPTAP_DEVICES": "3"}
    command = [sys.executable, "-c", ORDER, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        (1, "200MB", 0), (1, "200", 100010), (1, "199MB", 100010),
        (3, "15", 0), (3, "101", 100010), (3, "+5", 100010), (3, "", 100010),
        (4, "read", 0), (4, "both", 100010),
        (6, "50", 0), (6, "51", 100010),
        (8, "cpu,mem", 0), (8, "cpu,", 100010),
        (9, "cpu", 0), (9, "disk", 100010),
        (14, "MatMul,Add", 0), (14, "MatMul,,Add", 100010),
        (15, "PipeUtilization", 0), (15, "Custom:1,65535", 0), (15, "Custom:65536", 100000),
        (2, "1", 100010), (0, "1", 100000), (17, "1", 100000), (-1, "1", 100000), (3, "1" * 257, 100000),
    ],
)  # fmt: skip
def test_settings_take_what_they_are_made_for(opened, kind, text, code):
    assert acl.prof.set_config(kind, text) == code


def test_a_step_tells_each_bound_once(device):
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    step = acl.prof.create_step_info()
    assert [acl.prof.get_step_timestamp(step, tag, stream) for tag in (1, 0)] == [0, 0]
    assert [acl.prof.get_step_timestamp(step, tag, stream) for tag in (0, 1, 7)] == [100000] * 3
    assert acl.prof.get_step_timestamp(0, 0, stream) == 100000
    assert acl.prof.destroy_step_info(step) is None
    assert acl.prof.get_step_timestamp(step, 0, stream) == 100000
    assert acl.rt.destroy_stream(stream) == 0


def test_a_step_on_a_stream_that_is_gone_uses_its_bound_up(device):
    stream, _ = acl.rt.create_stream()
    assert acl.rt.destroy_stream(stream) == 0
    step = acl.prof.create_step_info()
    assert acl.prof.get_step_timestamp(step, 0, stream) == 500002
    assert acl.prof.get_step_timestamp(step, 0, 0) == 100000
    assert acl.prof.get_step_timestamp(step, 1, 0) == 0
    assert acl.prof.destroy_step_info(step) is None


@pytest.fixture
def marking(opened):
    config = config_of(bits=MSPROFTX)
    assert acl.prof.start(config) == 0
    return config


def test_stamps_need_a_collection_of_marks(opened):
    assert acl.prof.create_stamp() == 0
    assert acl.prof.start(config_of()) == 0
    assert acl.prof.create_stamp() == 0
    assert [acl.prof.pop(), acl.prof.mark_ex("text", 0)] == [-1, -1]


def test_a_hundred_stamps_live_at_once(marking):
    stamps = [acl.prof.create_stamp() for _ in range(100)]
    assert 0 not in stamps
    assert acl.prof.create_stamp() == 0
    assert acl.prof.destroy_stamp(stamps[0]) is None
    assert acl.prof.create_stamp() not in {0, stamps[0]}
    acl.configure(stamps=101)
    assert acl.prof.create_stamp() != 0
    acl.configure(stamps=100)


@pytest.mark.parametrize(("length", "code"), [(0, 0), (5, 0), (126, 0), (127, -1), (128, -1)])
def test_a_message_has_at_most_126_bytes(marking, length, code):
    assert acl.prof.set_stamp_trace_message(acl.prof.create_stamp(), "x" * length, length) == code


def test_null_and_destroyed_stamps_are_refused(marking):
    stale = acl.prof.create_stamp()
    assert acl.prof.destroy_stamp(stale) is None
    for stamp in (0, stale):
        assert acl.prof.destroy_stamp(stamp) is None
        assert acl.prof.set_stamp_trace_message(stamp, "text", 4) == -1
        assert acl.prof.mark(stamp) == -1
        assert acl.prof.push(stamp) == 100000
        assert acl.prof.range_start(stamp) == (0, 100000)


def in_thread(call, *args):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(call(*args)))
    thread.start()
    thread.join()
    return answers[0]


def test_pushes_belong_to_their_thread(marking):
    stamp = acl.prof.create_stamp()
    assert acl.prof.push(stamp) == 0
    assert in_thread(acl.prof.pop) == -1
    assert acl.prof.destroy_stamp(stamp) is None
    assert [acl.prof.pop(), acl.prof.pop()] == [0, -1]


def test_ranges_end_in_any_thread_and_once(marking):
    stamp = acl.prof.create_stamp()
    (one, ret), (other, also) = acl.prof.range_start(stamp), acl.prof.range_start(stamp)
    assert (ret, also) == (0, 0)
    assert one != other
    assert in_thread(acl.prof.range_stop, other) == 0
    assert [acl.prof.range_stop(one), acl.prof.range_stop(one)] == [0, -1]


def test_marks_answer_until_the_finalize(marking):
    stamp = acl.prof.create_stamp()
    stream, _ = acl.rt.create_stream()
    assert [acl.prof.mark(stamp), acl.prof.mark_ex("text", stream)] == [0, 0]
    assert [acl.prof.mark_ex(text, stream) for text in ("", "x" * 156, "x" * 155)] == [-1, -1, 0]
    assert acl.prof.mark_ex("text", 0) == -1
    assert acl.prof.stop(marking) == 0
    assert [acl.prof.mark(stamp), acl.prof.push(stamp), acl.prof.pop()] == [0, 0, 0]
    assert acl.prof.finalize() == 0
    assert [acl.prof.mark(stamp), acl.prof.pop(), acl.prof.push(stamp)] == [-1, -1, -1]
    assert acl.rt.destroy_stream(stream) == 0
