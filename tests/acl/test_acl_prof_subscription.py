"""Subscriptions over a descriptor of the script: what arrives, when it ends, and what never hangs."""

import errno
import fcntl
import os
import struct
import subprocess
import sys
import threading

import models
import pytest
from optap import acl

RECORD_BYTES = 80
NONE = 0xFF

HANGS = {
    "unsubscribe fails": "test_an_unsubscription_that_fails_leaves_the_reader_to_the_next_one",
    "the model is unloaded first": "test_a_model_that_is_unloaded_first_is_told_to_the_end",
    "the reader closes early": "test_a_reader_that_left_costs_the_records_and_nothing_else",
    "the pipe is full at the unsubscription": "test_a_full_pipe_holds_neither_the_run_nor_the_unsubscribe",
    "the descriptor is used again": "test_a_number_that_was_closed_and_used_again_is_left_alone",
    "the process ends without an unsubscription": "test_a_process_ends_with_a_subscription_left",
    "no operator ran": "test_a_model_that_never_ran_is_told_the_end_at_once",
}
"""Where a reader of the real library waits for ever, and the test that it does not here."""


def config_for(fd, switch=1, metrics=NONE):
    config = acl.prof.create_subscribe_config(switch, metrics, fd)
    assert config != 0
    return config


def subscribe(model_id, fd, **wish):
    config = config_for(fd, **wish)
    ret = acl.prof.model_subscribe(model_id, config)
    assert acl.prof.destroy_subscribe_config(config) == 0
    return ret


def read_to_end(fd):
    pieces = []
    while piece := os.read(fd, 10 * RECORD_BYTES):
        assert len(piece) % RECORD_BYTES == 0
        pieces.append(piece)
    os.close(fd)
    return b"".join(pieces)


def ops(data):
    """Name, type, model, start, end and duration of each record."""
    address, size = acl.util.bytes_to_ptr(data), len(data)
    count, ret = acl.prof.get_op_num(address, size)
    assert ret == 0
    return [
        (
            acl.prof.get_op_name(address, size, index, 275)[0],
            acl.prof.get_op_type(address, size, index, 65)[0],
            acl.prof.get_model_id(address, size, index),
            acl.prof.get_op_start(address, size, index),
            acl.prof.get_op_end(address, size, index),
            acl.prof.get_op_duration(address, size, index),
        )
        for index in range(count)
    ]


def is_closed(fd):
    try:
        os.fstat(fd)
    except OSError as error:
        return error.errno == errno.EBADF
    return False


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    yield reader, writer
    for fd in (reader, writer):
        if not is_closed(fd):
            os.close(fd)


@pytest.fixture
def long_chain(device, tmp_path):
    """A thousand operators: more than a pipe holds."""
    path = tmp_path / "long.onnx"
    path.write_bytes(models.chain(1000, (2, 4)))
    model_id, ret = acl.mdl.load_from_file(str(path))
    assert ret == 0
    yield model_id
    assert acl.mdl.unload(model_id) == 0


def test_every_operator_of_a_run_arrives_once_and_then_the_end(chain, pipe):
    reader, writer = pipe
    assert subscribe(chain.model_id, writer) == 0
    assert [chain.execute(), chain.execute()] == [0, 0]
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    told = ops(read_to_end(reader))
    assert [name for name, *_ in told] == ["node0", "node1", "node2"] * 2
    assert {(op_type, model_id) for _, op_type, model_id, *_ in told} == {("Relu", chain.model_id)}
    assert all(start <= end and duration == end - start for *_, start, end, duration in told)
    assert is_closed(writer)


def test_where_readers_hang_is_tested():
    assert [name for name in HANGS.values() if name not in globals()] == []


def test_a_model_that_never_ran_is_told_the_end_at_once(chain, pipe):
    reader, writer = pipe
    assert subscribe(chain.model_id, writer) == 0
    assert acl.prof.model_un_subscribe(chain.model_id) == 0
    assert read_to_end(reader) == b""


def test_an_unsubscription_that_fails_leaves_the_reader_to_the_next_one(chain, pipe):
    reader, writer = pipe
    assert subscribe(chain.model_id, writer) == 0
    assert chain.execute() == 0
    assert [acl.prof.model_un_subscribe(chain.model_id + 1), acl.prof.model_unsubscribe(2**31)] == [100011] * 2
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    assert len(read_to_end(reader)) == 3 * RECORD_BYTES


def test_a_model_that_is_unloaded_first_is_told_to_the_end(device, chain_path, pipe):
    reader, writer = pipe
    model_id, ret = acl.mdl.load_from_file(str(chain_path))
    assert ret == 0
    assert subscribe(model_id, writer) == 0
    assert acl.mdl.unload(model_id) == 0
    assert acl.prof.model_unsubscribe(model_id) == 0
    assert read_to_end(reader) == b""
    assert acl.prof.model_unsubscribe(model_id) == 100011


def test_a_full_pipe_holds_neither_the_run_nor_the_unsubscribe(chain, long_chain, pipe):
    reader, writer = pipe
    assert subscribe(long_chain, writer) == 0
    inputs, outputs = chain.inputs.dataset, chain.outputs.dataset
    assert [acl.mdl.execute(long_chain, inputs, outputs) for _ in range(3)] == [0, 0, 0]
    assert acl.prof.model_unsubscribe(long_chain) == 0
    assert not is_closed(writer)
    names = [name for name, *_ in ops(read_to_end(reader))]
    assert names == [f"node{index}" for index in range(1000)] * 3


def test_models_that_share_a_pipe_end_with_the_last(chain, long_chain, pipe):
    reader, writer = pipe
    assert [subscribe(chain.model_id, writer), subscribe(long_chain, writer)] == [0, 0]
    assert acl.prof.model_unsubscribe(long_chain) == 0
    assert not is_closed(writer)
    assert chain.execute() == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    assert len(read_to_end(reader)) == 3 * RECORD_BYTES


def test_a_reader_that_left_costs_the_records_and_nothing_else(chain, pipe):
    reader, writer = pipe
    before = acl.statistics()["unwritten"]
    assert subscribe(chain.model_id, writer) == 0
    os.close(reader)
    assert chain.execute() == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    assert acl.statistics()["unwritten"] == before + 3
    assert is_closed(writer)


def test_no_descriptor_at_all_is_answered_as_in_the_real_library(chain):
    before = acl.statistics()["unwritten"]
    assert subscribe(chain.model_id, -1) == 0
    assert chain.execute() == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    assert acl.statistics()["unwritten"] == before + 3


def test_a_number_that_was_closed_and_used_again_is_left_alone(chain, pipe, tmp_path):
    _, writer = pipe
    assert subscribe(chain.model_id, writer) == 0
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)
    os.dup2(other, writer)
    assert chain.execute() == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    assert not is_closed(writer)
    assert os.fstat(other).st_size == 0
    os.close(other)


@pytest.mark.parametrize("is_blocking", [True, False])
def test_the_flags_of_the_descriptor_stay(chain, long_chain, pipe, is_blocking):
    reader, writer = pipe
    os.set_blocking(writer, is_blocking)
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    assert subscribe(long_chain, writer) == 0
    assert acl.mdl.execute(long_chain, chain.inputs.dataset, chain.outputs.dataset) == 0
    assert fcntl.fcntl(writer, fcntl.F_GETFL) == flags
    thread = threading.Thread(target=acl.prof.model_unsubscribe, args=(long_chain,))
    thread.start()
    assert len(read_to_end(reader)) == 1000 * RECORD_BYTES
    thread.join()


def test_the_bounds_of_each_run_are_told_when_asked_for(chain, pipe):
    reader, writer = pipe
    acl.configure(keypoint_op=True)
    assert subscribe(chain.model_id, writer) == 0
    acl.configure(keypoint_op=False)
    assert [chain.execute(), chain.execute()] == [0, 0]
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    told = ops(read_to_end(reader))
    bounds = [op for op in told if op[0] == "keypoint_op"]
    assert [(op_type, model_id) for _, op_type, model_id, *_ in bounds] == [("na", chain.model_id)] * 2
    runs = [op for op in told if op[0] != "keypoint_op"]
    assert [(run[0][3], run[-1][4]) for run in (runs[:3], runs[3:])] == [(start, end) for *_, start, end, _ in bounds]


def test_codes_of_wrong_configurations_and_order(chain, long_chain, pipe):
    model_id, other = chain.model_id, long_chain
    assert acl.prof.create_subscribe_config(2, NONE, pipe[1]) == 0
    assert [acl.prof.destroy_subscribe_config(config) for config in (0, 7)] == [100000, 100000]
    config = config_for(pipe[1])
    assert acl.prof.destroy_subscribe_config(config) == 0
    assert acl.prof.destroy_subscribe_config(config) == 100000
    assert acl.prof.model_subscribe(2**31, 0) == 100011
    assert [acl.prof.model_subscribe(model_id, stale) for stale in (0, config)] == [100000, 100000]
    assert acl.prof.model_unsubscribe(model_id) == 100011
    assert acl.prof.model_unsubscribe(2**31) == 100011
    assert subscribe(model_id, pipe[1], switch=0) == 100000
    assert subscribe(model_id, pipe[1]) == 0
    assert subscribe(model_id, pipe[1]) == 148046
    assert subscribe(other, -1, metrics=0) == 100010
    assert acl.prof.model_unsubscribe(model_id) == 0
    assert acl.prof.model_unsubscribe(model_id) == 100011


def test_collection_and_subscription_exclude_each_other(chain, tmp_path):
    assert subscribe(chain.model_id, -1) == 0
    assert acl.prof.init(str(tmp_path)) == 148047
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    assert acl.prof.init(str(tmp_path)) == 0
    assert subscribe(chain.model_id, -1) == 148047
    assert acl.prof.model_unsubscribe(chain.model_id) == 148047
    assert acl.prof.get_op_desc_size() == (RECORD_BYTES, 0)
    assert acl.prof.finalize() == 0
    assert subscribe(chain.model_id, -1, metrics=99) == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0


def test_a_name_is_given_once_unless_asked_otherwise(chain, pipe):
    reader, writer = pipe
    assert subscribe(chain.model_id, writer) == 0
    assert chain.execute() == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    data = read_to_end(reader)
    at = (acl.util.bytes_to_ptr(data), len(data))
    assert acl.prof.get_op_name_len(*at, 0) == (len("node0") + 1, 0)
    assert acl.prof.get_op_name(*at, 0, 4) == ("", 100000)
    assert acl.prof.get_op_name(*at, 0, 4097) == ("", 100000)
    assert acl.prof.get_op_name_v2(*at, 0) == ("node0", 0)
    assert acl.prof.get_op_name_v2(*at, 0) == (None, 100000)
    assert acl.prof.get_op_name(*at, 0, 275) == ("", 100000)
    assert acl.prof.get_op_type_len(*at, 0) == (len("Relu") + 1, 0)
    assert acl.prof.get_op_type(*at, 0, 65) == ("Relu", 0)
    assert acl.prof.get_op_type(*at, 0, 65) == ("", 100000)
    assert acl.prof.get_op_type_v2(*at, 1) == ("Relu", 0)
    acl.configure(strict=False)
    assert [acl.prof.get_op_name(*at, 1, 275) for _ in range(2)] == [("node1", 0)] * 2
    acl.configure(strict=True)
    assert acl.prof.get_op_name(*at, 1, 275) == ("node1", 0)
    assert acl.prof.get_op_name_len(*at, 1) == (0, 100000)


def test_getters_refuse_what_is_no_buffer_of_records():
    data = bytes(RECORD_BYTES)
    at = (acl.util.bytes_to_ptr(data), len(data))
    for address, size in [(0, 80), (at[0], 79), at]:
        assert acl.prof.get_op_num(address, size) == (0, 100000)
        assert acl.prof.get_model_id(address, size, 0) == 100000
        assert acl.prof.get_op_start(address, size, 0) == 0
        assert acl.prof.get_op_end(address, size, 0) == 0
        assert acl.prof.get_op_duration(address, size, 0) == 0
        assert acl.prof.get_op_type_len(address, size, 0) == (0, 100000)
        assert acl.prof.get_op_type_v2(address, size, 0) == (None, 100000)
    assert acl.prof.get_op_num(at[0], 0) == (0, 0)


@pytest.mark.parametrize("args", [(), (1,), (1, 2, 3), ("1", 2), (None, 2), (1.0, 2)])
def test_wrong_arguments_of_a_getter_are_told_in_the_usual_words(args):
    with pytest.raises(TypeError, match=r"^acl\.prof\.get_op_num args parse failed$"):
        acl.prof.get_op_num(*args)
    with pytest.raises(TypeError):
        acl.prof.get_op_num(data=1, len=2)


def test_a_changed_record_is_seen_in_the_same_memory(chain, pipe):
    reader, writer = pipe
    assert subscribe(chain.model_id, writer) == 0
    assert chain.execute() == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    data = read_to_end(reader)
    address, ret = acl.rt.malloc_host(len(data))
    assert ret == 0
    assert acl.rt.memcpy(address, len(data), acl.util.bytes_to_ptr(data), len(data), 0) == 0
    start = struct.unpack_from("<Q", data, 32)[0]
    assert acl.prof.get_op_start(address, len(data), 0) == start
    assert acl.rt.memset(address + 2 * RECORD_BYTES + 40, 1, 0xAA, 1) == 0
    assert acl.prof.get_op_start(address, len(data), 0) == 0
    assert acl.rt.free_host(address) == 0


LEFT = """
import os, sys
from optap import acl
acl.init(); acl.rt.set_device(0)
model_id, ret = acl.mdl.load_from_file(sys.argv[1])
reader, writer = os.pipe()
assert acl.prof.model_subscribe(model_id, acl.prof.create_subscribe_config(1, 0xFF, writer)) == 0
{end}
"""


@pytest.mark.parametrize("end", ["", "assert acl.finalize() == 0 and os.read(reader, 80) == b''"])
def test_a_process_ends_with_a_subscription_left(chain_path, end):
    command = [sys.executable, "-c", LEFT.format(end=end), str(chain_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")
