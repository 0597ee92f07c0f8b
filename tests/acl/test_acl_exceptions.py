"""Operators that fail, by script: who is told, and what is known of them."""

import threading

import models
import numpy as np
import pytest
from optap import acl, testing
from scripts import Ends, Loaded

GIVEN = np.arange(8, dtype="<f4").reshape(2, 4) - 4
NPY_FLOAT = 11


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


def values(desc):
    """What lies at the address of a description, as floats of its shape."""
    shape = tuple(acl.get_tensor_desc_dim(desc, at) for at in range(acl.get_tensor_desc_num_dims(desc)))
    with pytest.warns(Warning, match="ptr_to_numpy"):
        return acl.util.ptr_to_numpy(acl.get_tensor_desc_address(desc), shape, NPY_FLOAT)


def described(told):
    """Name, values of the inputs, values of the outputs of the operator that a callback was told of."""
    ((_, device, stream, task, *_),) = told
    name, inputs, num_inputs, outputs, num_outputs, ret = acl.mdl.create_and_get_op_desc(device, stream, task, 256)
    assert ret == 0
    rows = [
        [values(acl.get_tensor_desc_by_index(base, at)).copy() for at in range(count)]
        for base, count in ((inputs, num_inputs), (outputs, num_outputs))
    ]
    acl.destroy_tensor_desc(inputs)
    acl.destroy_tensor_desc(outputs)
    return name, *rows


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
    np.testing.assert_array_equal(values(inputs), GIVEN)
    assert acl.util.ptr_to_bytes(acl.get_tensor_desc_address(outputs), 32) == bytes(32)
    assert acl.get_tensor_desc_by_index(inputs, num_inputs) == 0
    acl.destroy_tensor_desc(inputs)
    acl.destroy_tensor_desc(outputs)
    assert acl.get_tensor_desc_num_dims(inputs) == 0


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("kind", ["error", "hang"])
def test_the_inputs_of_every_operator_are_those_it_read(chain, at, kind):
    assert acl.rt.set_op_execute_time_out(1 if kind == "hang" else 0) == 0
    testing.fail_op(chain.model_id, f"node{at}", kind=kind)
    told, _ = told_by(chain.execute)
    name, (read, *_), (written,) = described(told)
    assert name == f"node{at}"
    np.testing.assert_array_equal(read, np.maximum(GIVEN, 0) if at else GIVEN)
    np.testing.assert_array_equal(written, np.zeros((2, 4)))


@pytest.fixture
def picker(device):
    """Adds a row of floats to itself and picks two of the sums by their places, which may lie outside."""
    nodes = [models.node("Add", ["values", "values"], ["sums"]), models.node("Gather", ["sums", "places"], ["y"])]
    inputs = [models.tensor("values", (8,)), models.tensor("places", (2,), models.INT64)]
    onnx = models.model(nodes, inputs, [models.tensor("y", (2,))])
    model_id, ret = acl.mdl.load_from_mem(acl.util.bytes_to_ptr(onnx), len(onnx))
    assert ret == 0
    picker = Loaded(model_id, Ends.of([32, 16]), Ends.of([8]))
    picker.inputs.write(GIVEN)
    yield picker
    picker.inputs.free()
    picker.outputs.free()
    assert acl.mdl.unload(model_id) == 0


def test_the_inputs_of_an_operator_that_really_fails_are_those_it_read(picker):
    picker.inputs.write(np.array([1, 99], "<i8"), at=1)
    told, code = told_by(picker.execute)
    assert (code, [row[-1] for row in told]) == (507015, [507015])
    name, (sums, _), _ = described(told)
    assert name == "gather"
    np.testing.assert_array_equal(sums, GIVEN.reshape(-1) * 2)


def test_nothing_is_kept_while_nobody_asks(picker):
    picker.inputs.write(np.array([1, 99], "<i8"), at=1)
    ((_, device, stream, task, *_),), _ = told_by(picker.execute)
    assert picker.execute() == 507015
    name, (sums, _), _ = described([(0, device, stream, task + 1)])
    assert name == "gather"
    np.testing.assert_array_equal(sums, np.zeros(8))


def test_what_op_descriptions_refuse(chain):
    testing.fail_op(chain.model_id, "node0")
    ((_, device, stream, task, *_),), _ = told_by(chain.execute)
    for room in (5, 4097):
        assert acl.mdl.create_and_get_op_desc(device, stream, task, room) == ("", 0, 0, 0, 0, 100000)
    assert acl.mdl.create_and_get_op_desc(device, stream, task + 1, 256) == ("", 0, 0, 0, 0, 145000)


def test_a_queued_failure_is_told_on_its_way(chain):
    testing.fail_op(chain.model_id, "node1")
    stream, _ = acl.rt.create_stream()
    told, code = told_by(lambda: (chain.execute_async(stream), acl.rt.synchronize_stream(stream)))
    assert (len(told), code) == (1, (0, 507015))
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


def test_a_hang_ends_with_the_time_that_operators_have(chain):
    assert acl.rt.set_op_execute_time_out(1) == 0
    testing.fail_op(chain.model_id, "node1", kind="hang")
    told, code = told_by(chain.execute)
    assert (code, [row[-1] for row in told]) == (507014, [507014])


def test_faults_that_cannot_be_understood_are_told_when_a_model_is_loaded(device, chain_path, monkeypatch):
    monkeypatch.setenv("OPTAP_FAULTS", "node0@1:error,node1")
    assert acl.mdl.load_from_file(str(chain_path)) == (0, 100000)
    assert "OPTAP_FAULTS is 'node1', expected name@run:kind" in acl.get_recent_err_msg()


def test_a_callback_cannot_wait_for_the_stream_that_waits_for_it(chain):
    codes = []

    def again(_):
        assert acl.rt.set_device(0) == 0
        codes.extend([chain.execute(), acl.rt.synchronize_stream(0), acl.rt.synchronize_device()])
        assert acl.rt.reset_device(0) == 0

    assert acl.rt.set_exception_info_callback(again) == 0
    testing.fail_op(chain.model_id, "node1")
    assert chain.execute() == 507015
    assert codes == [207000] * 3
    assert chain.execute() == 0


def test_a_callback_may_run_the_model_on_a_stream_of_its_own(chain):
    codes = []

    def again(_):
        context, ret = acl.rt.create_context(0)
        codes.extend([ret, chain.execute(), acl.rt.destroy_context(context)])

    assert acl.rt.set_exception_info_callback(again) == 0
    testing.fail_op(chain.model_id, "node1")
    assert (chain.execute(), codes) == (507015, [0, 0, 0])


def test_a_thousand_failures_are_remembered_and_no_more(chain):
    told, _ = told_by(lambda: fail_again(chain, 1))
    fail_again(chain, 999)
    assert described(told)[0] == "node0"
    fail_again(chain, 1)
    ((_, device, stream, task, *_),) = told
    assert acl.mdl.create_and_get_op_desc(device, stream, task, 256)[-1] == 145000


def fail_again(chain, times):
    for _ in range(times):
        testing.fail_op(chain.model_id, "node0")
        assert chain.execute() == 507015
