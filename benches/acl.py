"""The pyACL namespace: the reading loop of the sample, stamps, and an event on an idle stream."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from harness import Row, Scale, at_most, in_turns
from optap import acl

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import models

RECORD_BYTES = 80
OPS = 100


def load() -> tuple[int, int, int]:
    """A model of 100 small ops, and a dataset for either side of it."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(models.chain(OPS, (4,)))
        file.flush()
        model_id, ret = acl.mdl.load_from_file(file.name)
    assert ret == 0
    return model_id, dataset(), dataset()


def dataset() -> int:
    """A dataset of one buffer of 16 bytes."""
    made = acl.mdl.create_dataset()
    address, _ = acl.rt.malloc(16, 0)
    acl.mdl.add_dataset_buffer(made, acl.create_data_buffer(address, 16))
    return made


def collect(model: tuple[int, int, int], records: int) -> bytes:
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
    }
    told = in_turns(contestants, rounds=scale.pick(11, 2))
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
    stamp_ns, event_ns = marked.median("stamps"), told.median("event")
    return [
        *loops,
        Row("a stamp's call", f"{stamp_ns:.3g} ns", "", None, at_most(1000), stamp_ns),
        Row("record and synchronise an event, idle stream", f"{event_ns:.4g} ns", "", None, at_most(10_000), event_ns),
    ]
