"""Operators that fail, by script: who is told, and what is known of them."""

import threading
from pathlib import Path

import numpy as np
import pytest
from optap import acl, errors, testing
from scripts import ended


def told_by(call):
    """What the exception callback was told during `call`, and what that gave."""
    told = []

    def tell(info):
        fields = ("device", "stream", "task", "thread")
        ids = [getattr(acl.rt, f"get_{field}_id_from_exception_info")(info) for field in fields]
        told.append((info, *ids, acl.rt.get_error_code_from_exception_info(info)))

    assert acl.rt.set_exception_info_callback(tell) == 0
    code = call()
    assert acl.rt.set_exception_info_callback() == 0
    return told, code


def test_a_failure_is_told_before_execute_returns(chain):
    testing.fail_op(chain.model_id, "node1")
    stream_id, _ = acl.rt.stream_get_id(0)
    (told,), code = told_by(chain.execute)
    info, device_id, stream, _, thread, error = told
    assert (device_id, stream, thread, error, code) == (0, stream_id, threading.get_native_id(), 507015, 507015)
    assert acl.rt.get_device_id_from_exception_info(info) == 0xFFFFFFFF
    assert acl.rt.get_error_code_from_exception_info(0) == 0xFFFFFFFF
    assert acl.rt.synchronize_stream(0) == 0
    assert told_by(chain.execute) == ([], 0)


def test_the_operator_is_known_later_and_elsewhere(chain):
    testing.fail_op(chain.model_id, "node0")
    ((_, device, stream, task, *_),), _ = told_by(chain.execute)
    found = []
    thread = threading.Thread(target=lambda: found.append(acl.mdl.create_and_get_op_desc(device, stream, task, 256)))
    thread.start()
    thread.join()
    ((name, inputs, num_inputs, outputs, num_outputs, ret),) = found
    assert (name, num_inputs > 0, num_outputs, ret) == ("node0", True, 1, 0)
    assert (acl.get_tensor_desc_name(inputs), acl.get_tensor_desc_name(outputs)) == ("x", "t1")
    for desc in (inputs, outputs):
        assert (acl.get_tensor_desc_type(desc), acl.get_tensor_desc_format(desc)) == (0, 2)
        assert [acl.get_tensor_desc_dim_v2(desc, at) for at in range(2)] == [(2, 0), (4, 0)]
    read = acl.util.ptr_to_bytes(acl.get_tensor_desc_address(inputs), 32)
    assert np.array_equal(np.frombuffer(read, "<f4"), np.arange(8) - 4)
    assert acl.util.ptr_to_bytes(acl.get_tensor_desc_address(outputs), 32) == bytes(32)
    assert acl.get_tensor_desc_by_index(inputs, num_inputs) == 0
    acl.destroy_tensor_desc(inputs)
    acl.destroy_tensor_desc(outputs)
    assert acl.get_tensor_desc_num_dims(inputs) == 0


def test_what_op_descriptions_refuse(chain):
    testing.fail_op(chain.model_id, "node0")
    ((_, device, stream, task, *_),), _ = told_by(chain.execute)
    for room in (5, 4097):
        assert acl.mdl.create_and_get_op_desc(device, stream, task, room) == ("", 0, 0, 0, 0, 100000)
    assert acl.mdl.create_and_get_op_desc(device, stream, task + 1, 256) == ("", 0, 0, 0, 0, 145000)


def test_a_queued_failure_is_given_once_by_the_next_synchronisation(chain):
    testing.fail_op(chain.model_id, "node1")
    stream, _ = acl.rt.create_stream()
    told, code = told_by(lambda: (chain.execute_async(stream), acl.rt.synchronize_stream(stream)))
    assert (len(told), code) == (1, (0, 507015))
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.destroy_stream(stream) == 0


def test_a_stopped_context_refuses_everything(chain):
    context, _ = acl.rt.create_context(0)
    stream, _ = acl.rt.create_stream()
    assert acl.rt.set_stream_failure_mode(stream, 1) == 0
    testing.fail_op(chain.model_id, "node1")
    assert (chain.execute_async(stream), acl.rt.synchronize_stream(stream)) == (0, 507015)
    assert (acl.rt.synchronize_stream(stream), acl.rt.create_event(), chain.execute()) == (507015, (0, 507015), 507015)
    assert acl.rt.peek_at_last_error(1) == 507015
    assert acl.rt.destroy_context(context) == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_callback_that_raises_stays(chain):
    calls = []

    def tell(info):
        calls.append(info)
        raise KeyError(info)

    assert acl.rt.set_exception_info_callback(tell) == 0
    for _ in range(2):
        testing.fail_op(chain.model_id, "node0")
        assert chain.execute() == 507015
    assert len(calls) == 2
    with pytest.raises(TypeError):
        acl.rt.set_exception_info_callback(1)
    assert acl.rt.set_exception_info_callback(None) == 0


def test_the_named_run_fails(chain):
    testing.fail_op(chain.model_id, "node2", at_run=3)
    assert [chain.execute() for _ in range(4)] == [0, 0, 507015, 0]


def test_no_numbers(chain):
    testing.fail_op(chain.model_id, "node0", kind="nan")
    assert chain.execute() == 0
    assert np.isnan(chain.outputs.read()).all()


def test_a_hang_ends_with_the_time_that_operators_have(chain):
    assert acl.rt.set_op_execute_time_out(1) == 0
    testing.fail_op(chain.model_id, "node1", kind="hang")
    told, code = told_by(chain.execute)
    assert (code, [row[-1] for row in told]) == (507014, [507014])


def test_a_hang_ends_with_its_stream(chain):
    testing.fail_op(chain.model_id, "node1", kind="hang")
    stream, _ = acl.rt.create_stream()
    assert chain.execute_async(stream) == 0
    assert acl.rt.synchronize_stream_with_timeout(stream, 1) == 507046
    assert acl.rt.stream_abort(stream) == 0
    assert acl.rt.synchronize_stream(stream) == 107023
    assert acl.rt.destroy_stream(stream) == 0


def test_faults_that_cannot_be(chain):
    for given in ((99999, "node0"), (chain.model_id, "other")):
        with pytest.raises(errors.OptapError):
            testing.fail_op(*given)
    with pytest.raises(errors.OptapError):
        testing.fail_op(chain.model_id, "node0", at_run=0)
    with pytest.raises(ValueError, match="kind"):
        testing.fail_op(chain.model_id, "node0", kind="other")


RUN = """
import os, sys
sys.path[:0] = os.environ["TESTS"].split(":")
from scripts import Ends, Loaded
acl.rt.set_device(0)
model_id, ret = acl.mdl.load_from_file(os.environ["MODEL"])
if ret:
    print(ret)
else:
    chain = Loaded(model_id, Ends.of([32]), Ends.of([32]))
    print(*[chain.execute() for _ in range(3)])
"""


@pytest.mark.parametrize(
    ("faults", "codes"),
    [("node1@2:error", "0 507015 0"), ("other@1:error, node0@1:error,node2@3:nan", "507015 0 0"), ("node1", "100000")],
)
def test_faults_by_the_environment(chain_path, faults, codes):
    here = str(Path(__file__).parent)
    assert " ".join(ended(RUN, TESTS=here, MODEL=str(chain_path), OPTAP_FAULTS=faults)) == codes
