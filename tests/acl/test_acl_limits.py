"""What happens where a system or a queue has no room left, and what does not grow."""

import json
import os
import resource
import threading
from pathlib import Path

import models
import pytest
from optap import acl
from scripts import Ends, Loaded, ended

OPS, RUNS = 1000, 230


def test_operators_beyond_the_queue_of_a_pipe_that_nobody_reads_are_counted(device):
    onnx = models.chain(OPS, (2, 4))
    model_id, ret = acl.mdl.load_from_mem(acl.util.bytes_to_ptr(onnx), len(onnx))
    assert ret == 0
    long = Loaded(model_id, Ends.of([32]), Ends.of([32]))
    before = acl.statistics()
    source, sink = os.pipe()
    assert acl.prof.model_subscribe(model_id, acl.prof.create_subscribe_config(1, 0xFF, sink)) == 0
    assert [long.execute() for _ in range(RUNS)] == [0] * RUNS
    read = []
    reader = threading.Thread(target=lambda: read.extend(iter(lambda: len(os.read(source, 1 << 16)), 0)))
    assert acl.prof.model_unsubscribe(model_id) == 0
    reader.start()
    reader.join()
    os.close(source)
    after = acl.statistics()
    written, overflowed, unwritten = (after[key] - before[key] for key in ("written", "overflowed", "unwritten"))
    assert (written, unwritten) == (sum(read) // 80, 0)
    assert overflowed > 0
    assert written + overflowed == OPS * RUNS
    long.inputs.free()
    long.outputs.free()
    assert acl.mdl.unload(model_id) == 0


NO_THREAD = """
    import os, resource
    acl.init(), acl.rt.set_device(0)
    model_id, _ = acl.mdl.load_from_file(os.environ["MODEL"])
    source, sink = os.pipe()
    config = acl.prof.create_subscribe_config(1, 0xFF, sink)
    used_bytes = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used_bytes + (1 << 20), resource.RLIM_INFINITY))
    refused = acl.prof.model_subscribe(model_id, config), acl.get_recent_err_msg()
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(refused[0], acl.prof.model_subscribe(model_id, config), acl.prof.model_unsubscribe(model_id), refused[1])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="address space is not limited on this system")
def test_a_subscription_without_a_thread_is_refused_and_leaves_nothing(chain_path):
    refused, again, unsubscribed, *reason = ended(NO_THREAD, MODEL=str(chain_path))
    assert (refused, again, unsubscribed) == ("500005", "0", "0")
    assert reason


BY_FILE = """
    import os
    print(acl.init(os.environ["CONFIG"]), acl.rt.set_device(0))
    model_id, _ = acl.mdl.load_from_file(os.environ["MODEL"])
    config = acl.prof.create_config([0], 0, 0, 0x2)
    subscribe = acl.prof.create_subscribe_config(1, 0xFF, -1)
    def calls():
        return [
            acl.prof.init(os.environ["FOLDER"]), acl.prof.start(config), acl.prof.stop(config), acl.prof.finalize(),
            acl.prof.model_subscribe(model_id, subscribe), acl.prof.model_unsubscribe(model_id),
        ]
    print(*calls(), acl.finalize())
    print(*calls())
"""


def test_while_the_file_of_init_profiles_nothing_else_does(chain_path, tmp_path):
    config = tmp_path / "acl.json"
    config.write_text(json.dumps({"profiler": {"switch": "on", "output": str(tmp_path), "task_time": "l1"}}))
    told = ended(BY_FILE, CONFIG=str(config), MODEL=str(chain_path), FOLDER=str(tmp_path))
    assert [int(word) for word in told] == [0, 0, *[100042] * 6, 0, 0, 0, 0, 0, 0, 0]


STAMPS = """
    import os, resource
    acl.init(), acl.rt.set_device(0)
    acl.prof.init(os.environ["FOLDER"])
    config = acl.prof.create_config([0], 0, 0, 0x82)
    print(acl.prof.start(config))

    def mark(count):
        for _ in range(count):
            stamp = acl.prof.create_stamp()
            acl.prof.set_stamp_trace_message(stamp, "model_exec", 10)
            acl.prof.push(stamp), acl.prof.pop()
            acl.prof.destroy_stamp(stamp)

    def held_pages():
        return int(open("/proc/self/statm").read().split()[1])

    mark(20_000)
    before = held_pages()
    mark(200_000)
    print((held_pages() - before) * resource.getpagesize() < 1 << 20, acl.prof.stop(config), acl.prof.finalize())
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is not told on this system")
def test_stamps_come_and_go_without_growth(tmp_path):
    assert ended(STAMPS, FOLDER=str(tmp_path)) == ["0", "True", "0", "0"]


def test_the_limits_of_descriptors_are_those_of_the_system(chain):
    """A subscription that finds no descriptor is refused, and the next one is not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    source, sink = os.pipe()
    config = acl.prof.create_subscribe_config(1, 0xFF, sink)
    resource.setrlimit(resource.RLIMIT_NOFILE, (sink + 1, hard))
    held = []
    try:
        while True:
            held.append(os.dup(sink))
    except OSError:
        refused = acl.prof.model_subscribe(chain.model_id, config)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for fd in held:
            os.close(fd)
    assert refused == 500005
    assert acl.prof.model_subscribe(chain.model_id, config) == 0
    assert acl.prof.model_unsubscribe(chain.model_id) == 0
    os.close(source)
