"""What calls refuse: without a context, handles that are null, dead or of another context, and what is used up."""

import threading
from itertools import takewhile

import pytest
from optap import acl, testing
from scripts import ended

GONE, NULL, FOREIGN, ABORTED, NO_CONTEXT = 107017, 100000, 107003, 107023, 107002


def code(answer):
    """The code of a call that gives one alone, or after a value."""
    return answer[-1] if isinstance(answer, tuple) else answer


def made(pair):
    """What a call made that went well."""
    handle, ret = pair
    assert ret == 0
    return handle


WITHOUT_A_CONTEXT = [
    (acl.rt.ctx_get_current_default_stream,),
    (acl.rt.get_device,),
    (acl.rt.synchronize_device_with_timeout, 1),
    (acl.rt.peek_at_last_error, 1),
    (acl.rt.get_last_error, 1),
    (acl.rt.malloc_align32, 8, 0),
    (acl.rt.malloc_cached, 8, 0),
    (acl.rt.get_mem_info, 0),
    (acl.rt.create_stream_with_config, 0, 1),
    (acl.rt.synchronize_stream, 0),
    (acl.rt.synchronize_stream_with_timeout, 0, 1),
    (acl.rt.stream_query, 0),
    (acl.rt.set_stream_failure_mode, 0, 0),
    (acl.rt.stream_get_id, 0),
    (acl.rt.get_stream_available_num,),
    (acl.rt.create_event_with_flag, 1),
    (acl.rt.create_event_ex_with_flag, 1),
    (acl.rt.get_event_avail_num,),
    (acl.mdl.load_from_mem, acl.util.bytes_to_ptr(b"any"), 3),
]


@pytest.mark.parametrize("call", WITHOUT_A_CONTEXT, ids=lambda call: call[0].__name__)
def test_without_a_context(call):
    assert code(call[0](*call[1:])) == NO_CONTEXT


def test_runs_without_a_context(chain):
    codes = []
    thread = threading.Thread(target=lambda: codes.extend([chain.execute(), chain.execute_async(0)]))
    thread.start()
    thread.join()
    assert codes == [NO_CONTEXT] * 2


OF_AN_EVENT = {
    "query_event": (),
    "query_event_status": (),
    "query_event_wait_status": (),
    "synchronize_event": (),
    "synchronize_event_with_timeout": (1,),
    "event_get_timestamp": (),
    "get_event_id": (),
    "record_event": (0,),
    "reset_event": (0,),
}


@pytest.mark.parametrize("name", OF_AN_EVENT)
def test_events_that_are_null_or_gone(device, name):
    event, call = made(acl.rt.create_event()), getattr(acl.rt, name)
    assert acl.rt.destroy_event(event) == 0
    assert [code(call(handle, *OF_AN_EVENT[name])) for handle in (0, event)] == [NULL, GONE]


def test_pairs_of_events_that_are_null_or_gone(device):
    event, gone = made(acl.rt.create_event()), made(acl.rt.create_event())
    assert acl.rt.destroy_event(gone) == 0
    for pair, expected in (((event, 0), NULL), ((0, event), NULL), ((event, gone), GONE), ((gone, event), GONE)):
        assert acl.rt.event_elapsed_time(*pair) == (0.0, expected)
    assert [acl.rt.stream_wait_event(0, handle) for handle in (0, gone)] == [NULL, GONE]
    assert acl.rt.destroy_event(event) == 0


def on_streams(event, address):
    """Calls on a stream, each by what it takes beside the stream."""
    return {
        "memset_async": lambda stream: acl.rt.memset_async(address, 8, 1, 8, stream),
        "memcpy_async": lambda stream: acl.rt.memcpy_async(address, 8, address, 4, 3, stream),
        "memcpy2d_async": lambda stream: acl.rt.memcpy2d_async(address, 2, address + 4, 2, 2, 2, 3, stream),
        "destroy_stream_force": acl.rt.destroy_stream_force,
        "synchronize_stream_with_timeout": lambda stream: acl.rt.synchronize_stream_with_timeout(stream, 1),
        "set_stream_failure_mode": lambda stream: acl.rt.set_stream_failure_mode(stream, 0),
        "stream_abort": acl.rt.stream_abort,
        "stream_get_id": acl.rt.stream_get_id,
        "set_stream_attribute": lambda stream: acl.rt.set_stream_attribute(stream, 1, {"failureMode": 0}),
        "get_stream_attribute": lambda stream: acl.rt.get_stream_attribute(stream, 1),
        "stream_wait_event": lambda stream: acl.rt.stream_wait_event(stream, event),
        "record_event": lambda stream: acl.rt.record_event(event, stream),
        "reset_event": lambda stream: acl.rt.reset_event(event, stream),
        "subscribe_report": lambda stream: acl.rt.subscribe_report(1, stream),
        "unsubscribe_report": lambda stream: acl.rt.unsubscribe_report(1, stream),
        "launch_callback": lambda stream: acl.rt.launch_callback(print, 0, 0, stream),
    }


@pytest.fixture
def calls(device):
    """Those calls, with an event that was recorded and memory of their own."""
    event, address = made(acl.rt.create_event()), made(acl.rt.malloc(8, 0))
    assert acl.rt.record_event(event, 0) == 0
    yield on_streams(event, address)
    assert (acl.rt.destroy_event(event), acl.rt.free(address)) == (0, 0)


def test_streams_that_are_gone(calls):
    stream = made(acl.rt.create_stream())
    assert acl.rt.destroy_stream(stream) == 0
    assert {name: code(call(stream)) for name, call in calls.items()} == dict.fromkeys(calls, GONE)


def test_streams_of_another_context(calls):
    stream, before = made(acl.rt.create_stream()), made(acl.rt.get_context())
    other = made(acl.rt.create_context(0))
    refuse = ["destroy_stream_force", "record_event", "reset_event", "subscribe_report", "unsubscribe_report",
              "launch_callback", "stream_wait_event"]  # fmt: skip
    assert {name: code(calls[name](stream)) for name in refuse} == dict.fromkeys(refuse, FOREIGN)
    assert (acl.rt.destroy_context(other), acl.rt.set_context(before), acl.rt.destroy_stream(stream)) == (0, 0, 0)


def test_streams_that_are_aborted(calls, chain):
    stream = made(acl.rt.create_stream())
    assert acl.rt.subscribe_report(1, stream) == 0
    assert acl.rt.stream_abort(stream) == 0
    refuse = ["record_event", "launch_callback", "synchronize_stream_with_timeout"]
    assert {name: code(calls[name](stream)) for name in refuse} == dict.fromkeys(refuse, ABORTED)
    assert chain.execute_async(stream) == ABORTED
    assert (acl.rt.unsubscribe_report(1, stream), acl.rt.destroy_stream(stream)) == (0, 0)


def test_an_event_whose_stream_is_aborted_is_never_reached(device):
    stream, event, gate = made(acl.rt.create_stream()), made(acl.rt.create_event()), threading.Event()
    thread = made(acl.util.start_thread(lambda: acl.rt.process_report(10_000), None))
    assert acl.rt.subscribe_report(thread, stream) == 0
    assert acl.rt.launch_callback(lambda _: gate.wait(10), None, 1, stream) == 0
    assert acl.rt.record_event(event, stream) == 0
    assert acl.rt.event_get_timestamp(event) == (0, 107006)
    assert acl.rt.stream_abort(stream) == 0
    assert acl.rt.synchronize_event_with_timeout(event, 1) == ABORTED
    gate.set()
    assert (acl.util.stop_thread(thread), acl.rt.unsubscribe_report(thread, stream)) == (0, 0)
    assert (acl.rt.destroy_stream(stream), acl.rt.destroy_event(event)) == (0, 0)


def test_the_default_stream_and_null_are_not_destroyed(device):
    default = made(acl.rt.ctx_get_current_default_stream())
    assert [acl.rt.destroy_stream_force(stream) for stream in (0, default)] == [NULL, 107000]


@pytest.mark.parametrize(
    ("create", "destroy", "expected"),
    [
        (acl.rt.create_stream, acl.rt.destroy_stream, 207008),
        (lambda: acl.rt.create_stream_with_config(0, 1), acl.rt.destroy_stream, 207008),
        (acl.rt.create_event, acl.rt.destroy_event, 207007),
        (lambda: acl.rt.create_event_with_flag(1), acl.rt.destroy_event, 207007),
        (lambda: acl.rt.create_event_ex_with_flag(1), acl.rt.destroy_event, 207007),
    ],
)
def test_streams_and_events_run_out_and_come_back(device, create, destroy, expected):
    held = [handle for handle, _ in takewhile(lambda pair: pair[1] == 0, iter(create, None))]
    assert create() == (0, expected)
    assert {destroy(handle) for handle in held} == {0}
    assert destroy(made(create())) == 0


def test_copies_and_fills_on_a_stream_are_checked_when_they_are_queued(device):
    address = made(acl.rt.malloc(8, 0))
    assert [acl.rt.memset_async(0, 8, 1, 8, 0), acl.rt.memset_async(address, 8, 1, 9, 0)] == [NULL, 107000]
    assert acl.rt.memcpy_async(address, 4, address, 8, 3, 0) == 107000
    assert (acl.rt.free(address), acl.rt.free_host(0)) == (0, NULL)


@pytest.mark.parametrize("name", ["malloc_align32", "malloc_cached"])
def test_the_other_ways_to_allocate(device, name):
    address = made(getattr(acl.rt, name)(100, 0))
    assert (address % 32, acl.rt.free(address)) == (0, 0)


def test_devices_wait_for_their_streams_and_tell_the_first_failure(chain):
    stream = made(acl.rt.create_stream())
    assert acl.rt.synchronize_device_with_timeout(10_000) == 0
    assert acl.rt.synchronize_stream_with_timeout(stream, 10_000) == 0
    testing.fail_op(chain.model_id, "node0")
    assert chain.execute_async(stream) == 0
    assert [acl.rt.synchronize_device(), acl.rt.synchronize_device()] == [507015, 0]
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.reset_device_force(99) == 107001


def test_a_thread_takes_the_callbacks_of_one_device():
    source = """
        acl.rt.set_device(0)
        first = acl.rt.create_stream()[0]
        print(acl.rt.subscribe_report(7, first))
        acl.rt.set_device(1)
        print(acl.rt.subscribe_report(7, acl.rt.create_stream()[0]))
    """
    assert ended(source, OPTAP_DEVICES="2") == ["0", "107012"]


def test_attributes_that_hardware_has_or_nobody(device):
    assert acl.rt.set_stream_attribute(0, 2, {"overflowSwitch": 1}) == 207000
    assert acl.rt.set_stream_attribute(0, 1, {"failureMode": 2}) == NULL
    assert acl.rt.get_stream_attribute(0, 9) == ({}, 107000)


def test_exceptions_that_are_null_have_no_fields():
    for field in ("task_id", "stream_id", "thread_id", "device_id", "error_code"):
        assert getattr(acl.rt, f"get_{field}_from_exception_info")(0) == 0xFFFFFFFF


def test_models_that_are_none(device, chain_path, tmp_path):
    garbage = b"garbage"
    at = acl.util.bytes_to_ptr(garbage), len(garbage)
    (tmp_path / "garbage.onnx").write_bytes(garbage)
    memory = made(acl.rt.malloc(64, 0))
    offered = memory, 64, memory, 64
    assert acl.mdl.load_from_mem(*at) == (0, 545001)
    assert acl.mdl.load_from_mem_with_mem(*at, *offered) == (0, 545001)
    assert acl.mdl.query_size_from_mem(*at) == (0, 0, 545001)
    assert acl.mdl.query_size_from_mem(0, 8) == (0, 0, NULL)
    assert acl.mdl.load_from_file_with_mem(str(tmp_path / "garbage.onnx"), *offered) == (0, 545001)
    assert acl.mdl.load_from_file_with_mem("/no/such.onnx", *offered) == (0, 145002)
    assert acl.mdl.load_from_file_with_mem(str(chain_path), 0, 64, memory, 64) == (0, NULL)
    config = acl.mdl.create_config_handle()
    assert [acl.mdl.set_config_opt(config, 1, 1), acl.mdl.set_config_opt(config, 2, "/no/such.onnx")] == [0, 0]
    assert acl.mdl.load_with_config(config) == (0, 145002)
    assert (acl.mdl.destroy_config_handle(config), acl.rt.free(memory)) == (0, 0)


def test_queued_runs_of_nothing(chain):
    inputs, outputs = chain.inputs.dataset, chain.outputs.dataset
    assert acl.mdl.execute_async(chain.model_id, 0, outputs, 0) == NULL
    assert acl.mdl.execute_async(2**31, inputs, outputs, 0) == 145003


def test_descriptions_of_nothing():
    assert (acl.mdl.get_num_outputs(0), acl.mdl.get_input_dims_v2(0, 0)) == (0, ({}, NULL))
    assert acl.mdl.get_cur_output_dims(0, 0) == ({}, NULL)
    assert [acl.update_data_buffer(buffer, 64, 16) for buffer in (0, 1)] == [NULL] * 2


def test_a_configuration_file_has_a_limit(tmp_path):
    path = tmp_path / "acl.json"
    path.write_text(" " * (1 << 20) + "{}")
    assert ended(f"print(acl.init({str(path)!r}))") == ["100005"]


def test_stamps_end_with_the_collection(tmp_path):
    source = f"""
        acl.rt.set_device(0), acl.prof.init({str(tmp_path)!r})
        config, refused = acl.prof.create_config([0], 0, 0, 0x80), acl.prof.create_config([0], 0, 0, 0x400)
        print(acl.prof.start(config), acl.prof.start(refused), acl.prof.stop(refused))
        stamp = acl.prof.create_stamp()
        print(acl.prof.push(stamp), acl.prof.push(0), acl.prof.push(stamp + 1), acl.prof.stop(config))
        print(acl.prof.finalize(), acl.prof.push(stamp), acl.prof.push(0), *acl.prof.range_start(stamp))
        print(acl.prof.mark(stamp), acl.prof.pop(), acl.prof.range_stop(0))
    """
    told = [int(word) for word in ended(source)]
    assert told == [0, 200007, 200007, 0, 100000, 100000, 0, 0, -1, 100000, 0, -1, -1, -1, -1]
