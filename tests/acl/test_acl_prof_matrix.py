"""The return codes of the subscription calls, in right and wrong order, as the real library gave them."""

import json
import subprocess
import sys
from pathlib import Path

MATRIX = Path(__file__).with_name("api_subscribe_matrix.json")

# Where the matrix, of a newer release, differs from the rules that hold here.
OURS = {"aclprofFinalize again": 100043}

STEPS = """
import json, os, sys
from optap import acl

prof, path, folder = acl.prof, sys.argv[1], sys.argv[2]
reader, writer = os.pipe()


def subscribe(switch=1, metrics=0xFF, fd=None):
    global writer
    if fd is None and not is_open(writer):
        writer = os.pipe()[1]
    return prof.model_subscribe(model_id, prof.create_subscribe_config(switch, metrics, writer if fd is None else fd))


def is_open(fd):
    try:
        return bool(os.fstat(fd))
    except OSError:
        return False


def unsubscribe():
    return prof.model_unsubscribe(model_id)


model_id = 7
answers = {}
answers["aclprofCreateSubscribeConfig(2,0xFF,&fd)"] = prof.create_subscribe_config(2, 0xFF, writer) or None
config = prof.create_subscribe_config(0, 0xFF, writer)
answers["aclprofCreateSubscribeConfig(0,0xFF,&fd) non-null"] = config != 0
answers["destroy"] = prof.destroy_subscribe_config(config)
answers["destroy(NULL)"] = prof.destroy_subscribe_config(0)
answers["aclprofModelSubscribe before aclInit"] = subscribe()
answers["aclInit"] = acl.init()
answers["aclrtSetDevice(0)"] = acl.rt.set_device(0)
answers["aclprofModelSubscribe model not loaded"] = subscribe()
model_id, answers["aclmdlLoadFromFile"] = acl.mdl.load_from_file(path)
answers["aclprofModelSubscribe(model,NULL)"] = prof.model_subscribe(model_id, 0)
answers["aclprofModelUnSubscribe never subscribed"] = unsubscribe()
answers["aclprofModelUnSubscribe model not loaded"] = prof.model_unsubscribe(model_id + 1)
answers["aclprofModelSubscribe fd=-1"] = subscribe(fd=-1)
answers["  then UnSubscribe"] = unsubscribe()
answers["aclprofModelSubscribe timeInfo=0, metrics NONE"] = subscribe(switch=0)
refused = unsubscribe()
answers["aclprofModelSubscribe ok"] = subscribe()
answers["aclprofModelSubscribe again (same model)"] = subscribe()
answers["aclprofInit while subscribed"] = prof.init(folder)
answers["aclprofModelUnSubscribe"] = unsubscribe()
answers["aclprofModelUnSubscribe again"] = unsubscribe()
closed = not is_open(writer)
answers["aclprofModelSubscribe metrics=0 (ARITHMETIC)"] = subscribe(metrics=0)
answers["  UnSubscribe"] = unsubscribe()
answers["aclprofModelSubscribe metrics=99"] = subscribe(metrics=99)
again = unsubscribe()
answers["aclprofInit"] = prof.init(folder)
answers["aclprofInit again"] = prof.init(folder)
answers["aclprofModelSubscribe after aclprofInit"] = subscribe()
answers["aclprofFinalize"] = prof.finalize()
answers["aclprofFinalize again"] = prof.finalize()
answers["aclprofModelSubscribe after aclprofFinalize"] = subscribe()
last = unsubscribe()
answers["aclFinalize"] = acl.finalize()
print(json.dumps([answers, [refused, closed, again, last]]))
"""

# Null where C takes a pointer, a switch that Python's parser refuses, and what the caller's C variable holds.
ONLY_IN_C = {
    "aclprofCreateSubscribeConfig(1,0xFF,NULL)",
    "aclprofCreateSubscribeConfig(-1,0xFF,&fd)",
    "  fd value after",
    "fd value after unsubscribe",
    "os.close(w) after unsubscribe",
    "read end after unsubscribe: os.read ->",
}


def test_the_matrix_of_codes_holds_from_top_to_bottom(chain_path, tmp_path):
    command = [sys.executable, "-c", STEPS, str(chain_path), str(tmp_path / "collected")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    answers, (refused, closed, again, last) = json.loads(done.stdout)
    expected = {}
    for row in json.loads(MATRIX.read_text()):
        expected.setdefault(row["step"], row["ret"])
    kept = {step: ret for step, ret in expected.items() if step not in ONLY_IN_C}
    assert answers == {**kept, **OURS}
    assert (refused, closed, again, last) == (100011, True, 0, 0)
