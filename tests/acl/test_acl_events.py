"""Events: which codes they give before, while and after they are reached. Their scenarios are in `tests/runtime`."""

import threading
from contextlib import contextmanager

import pytest
from optap import acl
from optap.acl_constants import EventFlag
from scripts import Held


@pytest.fixture
def held(device):
    held = Held()
    yield held
    held.close()


def event_of(pair):
    event, ret = pair
    assert ret == 0
    return event


@contextmanager
def destroyed(*events):
    yield
    assert [acl.rt.destroy_event(event) for event in events] == [0] * len(events)


def test_an_unrecorded_event(held):
    event, extended = event_of(acl.rt.create_event()), event_of(acl.rt.create_event_ex_with_flag(EventFlag.SYNC))
    with destroyed(event, extended):
        assert (acl.rt.query_event(event), acl.rt.query_event(extended)) == ((0, 0), (0, 0))
        assert (acl.rt.query_event_status(event), acl.rt.query_event_status(extended)) == ((0, 0), (1, 0))
        assert (acl.rt.synchronize_event(event), acl.rt.synchronize_event_with_timeout(event, 1)) == (0, 0)
        assert (acl.rt.stream_wait_event(held.stream, event), acl.rt.stream_wait_event(held.stream, extended)) == (
            107000,
            0,
        )
        assert acl.rt.event_elapsed_time(event, event) == (0.0, 507000)
        assert acl.rt.event_get_timestamp(event) == (0, 507000)


def test_a_pending_event(held):
    event = event_of(acl.rt.create_event())
    with destroyed(event):
        held.hold()
        assert acl.rt.record_event(event, held.stream) == 0
        assert (acl.rt.query_event(event), acl.rt.query_event_status(event)) == ((1, 0), (0, 0))
        assert acl.rt.query_event_wait_status(event) == (1, 0)
        assert acl.rt.synchronize_event_with_timeout(event, 1) == 507047
        assert acl.rt.event_elapsed_time(event, event) == (0.0, 107006)
        held.release()
        assert acl.rt.synchronize_event(event) == 0
        assert (acl.rt.query_event(event), acl.rt.query_event_status(event)) == ((0, 0), (1, 0))


def test_time_runs_from_one_event_to_another(device):
    first, second = event_of(acl.rt.create_event()), event_of(acl.rt.create_event())
    with destroyed(first, second):
        assert (acl.rt.record_event(first, 0), acl.rt.record_event(second, 0)) == (0, 0)
        assert acl.rt.synchronize_event(second) == 0
        elapsed_ms, ret = acl.rt.event_elapsed_time(first, second)
        assert (ret, elapsed_ms >= 0) == (0, True)
        assert acl.rt.event_elapsed_time(second, first) == (-elapsed_ms, 0)
        assert acl.rt.event_get_timestamp(first)[1] == 0


def test_an_event_may_go_while_it_is_pending(held):
    event = event_of(acl.rt.create_event())
    held.hold()
    assert acl.rt.record_event(event, held.stream) == 0
    assert (acl.rt.destroy_event(event), acl.rt.destroy_event(event), acl.rt.destroy_event(0)) == (0, 107017, 100000)
    held.release()
    assert acl.rt.synchronize_stream(held.stream) == 0
    assert acl.rt.record_event(event, held.stream) == 107017


def test_a_reset_event_waits_for_its_next_recording(held):
    event, other = event_of(acl.rt.create_event_with_flag(EventFlag.SYNC)), event_of(acl.rt.create_stream())
    with destroyed(event):
        assert (acl.rt.record_event(event, held.stream), acl.rt.stream_wait_event(other, event)) == (0, 0)
        assert acl.rt.reset_event(event, other) == 0
        assert acl.rt.stream_wait_event(other, event) == 0
        assert acl.rt.stream_query(other) == (1, 0)
        assert acl.rt.record_event(event, held.stream) == 0
        assert acl.rt.synchronize_stream(other) == 0
        assert acl.rt.destroy_stream(other) == 0


@pytest.mark.parametrize("flags", [0, 0x4, 0x40, EventFlag.EXTERNAL | EventFlag.SYNC])
def test_flags_that_cannot_be(device, flags):
    assert acl.rt.create_event_with_flag(flags) == (0, 107000)
    assert acl.rt.create_event_ex_with_flag(0) == (0, 107000)


def test_an_event_without_sync_is_not_waited_for(device):
    event = event_of(acl.rt.create_event_with_flag(EventFlag.TIME_LINE))
    with destroyed(event):
        assert acl.rt.record_event(event, 0) == 0
        assert acl.rt.stream_wait_event(0, event) == 207000
        assert acl.rt.reset_event(event, 0) == 107000


def test_ids_and_counts(device):
    event, other = event_of(acl.rt.create_event()), event_of(acl.rt.create_event())
    before = event_of(acl.rt.get_event_avail_num())
    with destroyed(event, other):
        assert acl.rt.get_event_id(event)[1] == 0
        assert acl.rt.get_event_id(event) != acl.rt.get_event_id(other)
    assert acl.rt.get_event_avail_num() == (before + 2, 0)
    assert acl.rt.get_event_id(event) == (0, 107017)


@pytest.mark.parametrize("timeout_ms", [0, -2])
def test_impossible_time_outs(device, timeout_ms):
    event = event_of(acl.rt.create_event())
    with destroyed(event):
        assert acl.rt.synchronize_event_with_timeout(event, timeout_ms) == 107000


def test_a_wait_ends_with_its_time_out(held):
    assert acl.rt.set_op_wait_timeout(1) == 0
    event, other = event_of(acl.rt.create_event()), event_of(acl.rt.create_stream())
    with destroyed(event):
        held.hold()
        assert acl.rt.record_event(event, held.stream) == 0
        assert acl.rt.stream_wait_event(other, event) == 0
        assert acl.rt.synchronize_stream(other) == 107019
        held.release()
        assert acl.rt.destroy_stream(other) == 0


def test_waiting_lets_other_threads_run(held):
    event = event_of(acl.rt.create_event())
    with destroyed(event):
        held.hold()
        assert acl.rt.record_event(event, held.stream) == 0
        timer = threading.Timer(0.02, held.release)
        timer.start()
        assert acl.rt.synchronize_event(event) == 0
        timer.join()
