"""Devices, contexts, streams, callbacks: what runs when, and which code misuse gives."""

import threading
import time

import pytest
from optap import acl
from scripts import Held, ended


def make_stream():
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    return stream


def test_devices_count_their_users():
    assert acl.rt.reset_device(0) == 507007
    assert (acl.rt.set_device(0), acl.rt.set_device(0)) == (0, 0)
    assert acl.rt.get_device() == (0, 0)
    assert acl.rt.get_primary_ctx_state(0) == (1, 0, 0)
    assert (acl.rt.reset_device(0), acl.rt.get_device()) == (0, (0, 0))
    assert (acl.rt.reset_device(0), acl.rt.get_device()) == (0, (0, 107002))
    assert acl.rt.get_primary_ctx_state(0) == (0, 0, 0)
    assert acl.rt.reset_device_force(0) == 507007


def test_devices_that_are_not_there():
    assert [acl.rt.set_device(bad) for bad in (1, -1)] == [107001, 107001]
    assert (acl.rt.reset_device(9), acl.rt.create_context(9), acl.rt.get_primary_ctx_state(9)[-1]) == (
        107001,
        (0, 107001),
        107001,
    )
    assert acl.rt.get_device_count() == (1, 0)
    assert acl.rt.get_run_mode() == (1, 0)


def test_more_devices_by_the_environment():
    source = (
        "print(acl.rt.get_device_count(), [acl.rt.set_device(id) for id in range(4)], acl.rt.get_device(), sep='\\n')"
    )
    assert " ".join(ended(source, OPTAP_DEVICES="3")) == "(3, 0) [0, 0, 0, 107001] (2, 0)"


def test_a_thread_begins_without_a_context(device):
    codes = []

    def work():
        codes.extend([acl.rt.get_context(), acl.rt.create_stream(), acl.rt.create_event(), acl.rt.synchronize_device()])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert codes == [(0, 107002), (0, 107002), (0, 107002), 107002]


def test_contexts_are_current_until_destroyed(device):
    primary, ret = acl.rt.get_context()
    assert ret == 0
    context, ret = acl.rt.create_context(0)
    assert (ret, acl.rt.get_context()) == (0, (context, 0))
    stream = make_stream()
    assert acl.rt.set_context(primary) == 0
    assert acl.rt.record_event(acl.rt.create_event()[0], stream) == 107003
    assert acl.rt.destroy_stream(stream) == 107003
    assert acl.rt.synchronize_stream(stream) == 0
    assert (acl.rt.destroy_context(context), acl.rt.destroy_context(context)) == (0, 107002)
    assert acl.rt.synchronize_stream(stream) == 107017
    assert (acl.rt.destroy_context(0), acl.rt.set_context(0), acl.rt.set_context(context)) == (100000, 100000, 107002)
    assert acl.rt.destroy_context(primary) == 107002


def test_a_context_that_is_being_destroyed_cannot_be_destroyed_once_more(device):
    primary, _ = acl.rt.get_context()
    context, _ = acl.rt.create_context(0)
    held, codes = Held(), []
    held.hold()
    assert acl.rt.set_context(primary) == 0
    first = threading.Thread(target=lambda: codes.append(acl.rt.destroy_context(context)))
    first.start()
    deadline = time.monotonic() + 10
    while acl.rt.set_context(context) == 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert acl.rt.destroy_context(context) == 507007
    held.release()
    first.join(10)
    assert codes == [0]
    held.stop()


def test_a_thousand_threads_serve_callbacks_and_no_more():
    source = """
        assert acl.rt.set_device(0) == 0
        pairs = [(thread, acl.rt.create_stream()[0]) for thread in range(1, 1026)]
        codes = [acl.rt.subscribe_report(*pair) for pair in pairs]
        print(codes.count(0), codes[-1], acl.rt.unsubscribe_report(*pairs[0]), acl.rt.subscribe_report(*pairs[-1]))
        print({acl.rt.unsubscribe_report(*pair) for pair in pairs[1:]})
        print({acl.rt.destroy_stream(stream) for _, stream in pairs})
    """
    assert ended(source) == ["1024", "207012", "0", "0", "{0}", "{0}"]


def test_the_default_stream_has_one_handle(device):
    stream, ret = acl.rt.ctx_get_current_default_stream()
    assert (ret, acl.rt.ctx_get_current_default_stream()) == (0, (stream, 0))
    assert acl.rt.destroy_stream(stream) == 107000
    assert acl.rt.stream_get_id(stream) == acl.rt.stream_get_id(0)


def test_streams_die_once(device):
    stream = make_stream()
    assert acl.rt.stream_query(stream) == (0, 0)
    assert (acl.rt.destroy_stream(stream), acl.rt.destroy_stream(stream), acl.rt.destroy_stream(0)) == (
        0,
        107017,
        100000,
    )
    assert acl.rt.stream_query(stream) == (0xFFFF, 107017)
    assert acl.rt.destroy_stream_force(make_stream()) == 0


def test_flags_and_priorities(device):
    stream, ret = acl.rt.create_stream_with_config(0, 0x3)
    assert (ret, acl.rt.destroy_stream(stream)) == (0, 0)
    assert [acl.rt.create_stream_with_config(*bad)[1] for bad in ((8, 1), (0, 0x40), (0, 0x4))] == [
        107000,
        107000,
        207000,
    ]


def test_a_stream_that_waits_for_its_callback_is_not_ready(device):
    stream, called = make_stream(), threading.Event()
    done, go = threading.Event(), threading.Event()

    def serve(_):
        while not done.is_set():
            acl.rt.process_report(20)

    thread_id, ret = acl.util.start_thread(serve, [0])
    assert ret == 0
    assert acl.rt.subscribe_report(thread_id, stream) == 0
    assert acl.rt.subscribe_report(thread_id, stream) == 107011
    assert acl.rt.launch_callback(lambda flag: go.wait(10) and flag.set(), called, 1, stream) == 0
    assert acl.rt.stream_query(stream) == (1, 0)
    assert acl.rt.synchronize_stream_with_timeout(stream, 1) == 507046
    assert acl.rt.synchronize_device_with_timeout(1) == 507046
    go.set()
    assert acl.rt.synchronize_stream(stream) == 0
    assert called.is_set()
    assert acl.rt.unsubscribe_report(thread_id + 1, stream) == 107012
    assert acl.rt.unsubscribe_report(thread_id, stream) == 0
    assert acl.rt.unsubscribe_report(thread_id, stream) == 107011
    done.set()
    assert acl.util.stop_thread(thread_id) == 0
    assert acl.rt.destroy_stream(stream) == 0


def test_what_callbacks_refuse(device):
    stream = make_stream()
    assert acl.rt.launch_callback(print, 0, 0, stream) == 107015
    assert acl.rt.launch_callback(print, 0, 2, stream) == 100000
    assert (acl.rt.process_report(0), acl.rt.process_report(-2), acl.rt.process_report(1)) == (100000, 100000, 107012)
    with pytest.raises(TypeError):
        acl.rt.launch_callback(1, 0, 0, stream)
    assert acl.rt.destroy_stream(stream) == 0


@pytest.mark.parametrize("timeout_ms", [0, -2])
def test_impossible_time_outs(device, timeout_ms):
    assert acl.rt.synchronize_stream_with_timeout(0, timeout_ms) == 107000
    assert acl.rt.synchronize_device_with_timeout(timeout_ms) == 107000


def test_an_aborted_stream_refuses_work(device):
    stream = make_stream()
    assert acl.rt.stream_abort(stream) == 0
    assert acl.rt.synchronize_stream(stream) == 107023
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.stream_abort(0) == 100000


def test_attributes_and_failure_modes(device):
    context, _ = acl.rt.create_context(0)
    stream = make_stream()
    assert acl.rt.get_stream_attribute(stream, 1) == ({"failureMode": 0}, 0)
    assert acl.rt.set_stream_attribute(stream, 3, {"userCustomTag": 12}) == 0
    assert acl.rt.get_stream_attribute(stream, 3) == ({"userCustomTag": 12}, 0)
    assert acl.rt.get_stream_attribute(stream, 2) == ({}, 207000)
    assert acl.rt.set_stream_attribute(stream, 9, {"reserved": 1}) == 107000
    assert [acl.rt.set_stream_failure_mode(stream, mode) for mode in (2, 1, 1, 0)] == [100000, 0, 0, 207000]
    assert acl.rt.destroy_context(context) == 0


def test_streams_and_events_are_counted(device):
    before, ret = acl.rt.get_stream_available_num()
    stream = make_stream()
    assert (ret, acl.rt.get_stream_available_num()) == (0, (before - 1, 0))
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.get_stream_available_num() == (before, 0)


def test_the_last_error_of_a_thread_is_kept_until_taken(device):
    acl.rt.get_last_error(0)
    assert acl.rt.destroy_stream(0) == 100000
    assert (acl.rt.peek_at_last_error(0), acl.rt.get_last_error(0), acl.rt.get_last_error(0)) == (100000, 100000, 0)
    assert (acl.rt.peek_at_last_error(1), acl.rt.peek_at_last_error(2)) == (0, 100000)


def test_threads_take_one_argument_or_none():
    seen = []
    thread_id, ret = acl.util.start_thread(seen.append, [1, 2])
    assert (ret, acl.util.stop_thread(thread_id)) == (0, 0)
    thread_id, ret = acl.util.start_thread(lambda: seen.append(None), None)
    assert (ret, acl.util.stop_thread(thread_id)) == (0, 0)
    assert seen == [[1, 2], None]
    assert acl.util.stop_thread(thread_id) == 3
    with pytest.raises(TypeError):
        acl.util.start_thread(1, None)


def test_what_a_thread_raises_is_raised_when_it_is_stopped(capsys):
    thread_id, _ = acl.util.start_thread(lambda: 1 / 0, None)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        acl.util.stop_thread(thread_id)
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().err


def test_the_gil_is_free_while_a_call_waits(device):
    stream, done = make_stream(), threading.Event()

    def serve(_):
        while not done.is_set():
            acl.rt.process_report(20)

    thread_id, _ = acl.util.start_thread(serve, [0])
    assert acl.rt.subscribe_report(thread_id, stream) == 0
    assert acl.rt.launch_callback(lambda _: time.sleep(0.05), 0, 1, stream) == 0
    assert acl.rt.destroy_stream(stream) == 0
    done.set()
    assert acl.util.stop_thread(thread_id) == 0
