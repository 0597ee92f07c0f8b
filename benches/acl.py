"""The pyACL namespace: the reading loop of the sample, stamps, an event on an idle stream, and inputs that are kept."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from harness import Row, Scale, at_most, in_turns
from optap import acl, testing

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import models

RECORD_BYTES = 80
OPS = 100


Model = tuple[int, int, int]
"""A model, and a dataset for either side of it."""


def load(ops: int = OPS, floats: int = 4) -> Model:
    """A model of some ops on so many floats."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(models.chain(ops, (floats,)))
        file.flush()
        model_id, ret = acl.mdl.load_from_file(file.name)
    assert ret == 0
    return model_id, dataset(4 * floats), dataset(4 * floats)


def dataset(size_bytes: int) -> int:
    """A dataset of one buffer."""
    made = acl.mdl.create_dataset()
    address, _ = acl.rt.malloc(size_bytes, 0)
    acl.mdl.add_dataset_buffer(made, acl.create_data_buffer(address, size_bytes))
    return made


def collect(model: Model, records: int) -> bytes:
    """What a subscription writes into its pipe for so many ops."""
    reader, writer = os.pipe()
    config = acl.prof.create_subscribe_config(1, 0xFF, writer)
    assert acl.prof.model_subscribe(model[0], config) == 0
    parts: list[bytes] = []
    drain = threading.Thread(target=lambda: parts.extend(iter(lambda: os.read(reader, 1 << 16), b"")))
    drain.start()
    for _ in range(records // OPS):
        assert acl.mdl.execute(*model) == 0
    assert acl.prof.model_unsubscribe(model[0]) == 0
    drain.join()
    os.close(reader)
    return b"".join(parts)


def read(data: bytes, a_read: int) -> float:
    """Nanoseconds a record of the sample's loop over the six getters, `a_read` records at a time."""
    prof, size = acl.prof, RECORD_BYTES * a_read
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    began_ns = time.thread_time_ns()
    for chunk in chunks:
        pointer, length = acl.util.bytes_to_ptr(chunk), len(chunk)
        count, _ = prof.get_op_num(pointer, length)
        for index in range(count):
            prof.get_model_id(pointer, length, index)
            prof.get_op_type(pointer, length, index, 65)
            prof.get_op_name(pointer, length, index, 275)
            prof.get_op_start(pointer, length, index)
            prof.get_op_end(pointer, length, index)
            prof.get_op_duration(pointer, length, index)
    return (time.thread_time_ns() - began_ns) / (len(data) / RECORD_BYTES)


def stamps(count: int) -> float:
    """Nanoseconds a call of create, message, push, pop, destroy."""
    prof = acl.prof
    began_ns = time.thread_time_ns()
    for _ in range(count):
        stamp = prof.create_stamp()
        prof.set_stamp_trace_message(stamp, "step", 4)
        prof.push(stamp)
        prof.pop()
        prof.destroy_stamp(stamp)
    return (time.thread_time_ns() - began_ns) / (count * 5)


def event(count: int) -> float:
    """Nanoseconds on the clock to record an event on an idle stream and wait for it."""
    made, _ = acl.rt.create_event()
    stream, _ = acl.rt.create_stream()
    began_ns = time.perf_counter_ns()
    for _ in range(count):
        acl.rt.record_event(made, stream)
        acl.rt.synchronize_event(made)
    spent_ns = time.perf_counter_ns() - began_ns
    acl.rt.destroy_stream(stream)
    acl.rt.destroy_event(made)
    return spent_ns / count


@contextmanager
def loaded(model: Model) -> Iterator[None]:
    """A thread executes the model all the time."""
    ended = threading.Event()

    def work() -> None:
        acl.rt.set_device(0)
        while not ended.is_set():
            acl.mdl.execute(*model)
        acl.rt.reset_device(0)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join()


def event_beside(model: Model, count: int) -> float:
    """As `event`, while a thread executes a model."""
    with loaded(model):
        return event(count)


def execute(model: Model, count: int) -> float:
    """Microseconds on the clock for a run."""
    began_ns = time.perf_counter_ns()
    for _ in range(count):
        acl.mdl.execute(*model)
    return (time.perf_counter_ns() - began_ns) / count / 1_000


def execute_watched(model: Model, count: int) -> float:
    """The same while an exception callback is registered."""
    acl.rt.set_exception_info_callback(print)
    spent_us = execute(model, count)
    acl.rt.set_exception_info_callback(None)
    return spent_us


def execute_scripted(model: Model, count: int) -> float:
    """The same with a fault scripted for each run, which lets every output of it be a NaN."""
    for at_run in range(1, count + 1):
        testing.fail_op(model[0], "node0", at_run=at_run, kind="nan")
    return execute(model, count)


EXECUTES: dict[str, Callable[[Model, int], float]] = {
    "nobody asks": execute,
    "a callback is registered": execute_watched,
    "a fault is due": execute_scripted,
}


def kept_inputs(scale: Scale) -> list[Row]:
    """What it costs to keep the inputs of each op while somebody may ask for them."""
    rows = []
    for ops, floats, runs in ((OPS, 4, scale.pick(300, 10)), (10, 65_536, scale.pick(100, 5))):
        model = load(ops, floats)
        contestants = {how: partial(call, model, runs) for how, call in EXECUTES.items()}
        told = in_turns(contestants, rounds=scale.pick(11, 2))
        acl.mdl.unload(model[0])
        rows += [
            told.row(f"execute, {ops} ops on {floats} floats, {how}", how, "nobody asks", None, unit="us")
            for how in list(EXECUTES)[1:]
        ]
    return rows


def run(scale: Scale) -> list[Row]:
    """All in turns, in one process."""
    records = scale.pick(20_000, 2_000)
    acl.init()
    acl.rt.set_device(0)
    model = load()
    with tempfile.TemporaryDirectory() as folder:
        assert acl.prof.init(folder) == 0
        config = acl.prof.create_config([0], 0, 0, 0x82)
        assert acl.prof.start(config) == 0
        marked = in_turns({"stamps": lambda: stamps(scale.pick(200_000, 2_000))}, rounds=scale.pick(7, 1))
        acl.prof.stop(config)
        acl.prof.finalize()
    contestants = {
        "10": lambda: read(collect(model, records), 10),
        "1000": lambda: read(collect(model, records), 1000),
        "event": lambda: event(scale.pick(20_000, 200)),
        "event beside load": lambda: event_beside(model, scale.pick(20_000, 200)),
    }
    told = in_turns(contestants, rounds=scale.pick(11, 2))
    kept = kept_inputs(scale)
    acl.mdl.unload(model[0])
    acl.rt.reset_device(0)
    acl.finalize()
    loops = [
        Row(
            f"the sample's loop, {a_read} records a read",
            f"{told.median(str(a_read)):.4g} ns",
            "",
            None,
            at_most(limit_ns),
            told.median(str(a_read)),
        )
        for a_read, limit_ns in ((10, 1500), (1000, 20_000))
    ]
    events = [
        Row(f"record and synchronise an event, {where}", f"{took_ns:.4g} ns", "", None, at_most(10_000), took_ns)
        for where, took_ns in (
            ("idle stream", told.median("event")),
            ("idle stream, a model runs", told.median("event beside load")),
        )
    ]
    stamp_ns = marked.median("stamps")
    return [
        *loops,
        Row("a stamp's call", f"{stamp_ns:.3g} ns", "", None, at_most(1000), stamp_ns),
        *events,
        *kept,
    ]
