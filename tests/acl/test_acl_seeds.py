"""The samples of the documentation run as they stand."""

from pathlib import Path

import numpy as np
import pytest
from optap import acl, testing
from optap.acl_constants import ACL_MEMCPY_HOST_TO_DEVICE
from scripts import as_acl

SEEDS = Path(__file__).parent / "seeds"


def run(sample, **given):
    """Runs a sample with the names that it leaves undefined; gives its globals and every code that a call returned."""
    codes = []
    source = (SEEDS / f"{sample}.txt").read_text(encoding="utf-8")
    lines = []
    for line in source.splitlines():
        lines.append(line)
        if "ret = acl." in line and not line.startswith(" "):
            lines.append("codes.append(ret)")
    given["codes"] = codes
    with as_acl():
        exec(compile("\n".join(lines), sample, "exec"), given)
    assert codes
    return given, codes


@pytest.mark.parametrize("sample", ["event", "streams"])
def test_events_and_streams(device, sample):
    _, codes = run(sample)
    assert set(codes) == {0}


def test_a_stream_carries_a_copy(device):
    data = np.arange(100, dtype="u1").tobytes()
    target, ret = acl.rt.malloc(100, 0)
    assert ret == 0
    _, codes = run(
        "stream", dev_ptr=target, dev_size=100, host_ptr=acl.util.bytes_to_ptr(data), host_size=100,
        ACL_MEMCPY_HOST_TO_DEVICE=ACL_MEMCPY_HOST_TO_DEVICE,
    )  # fmt: skip
    assert set(codes) == {0}
    assert acl.util.ptr_to_bytes(target, 100) == data
    assert acl.rt.free(target) == 0


def test_a_context_ends_its_streams():
    names, codes = run("device")
    assert set(codes) == {0}
    assert acl.rt.set_context(names["context"]) == 107002


def test_an_exception_tells_its_operator(chain):
    testing.fail_op(chain.model_id, "node1")
    told = []
    real = acl.mdl.create_and_get_op_desc
    acl.mdl.create_and_get_op_desc = lambda *given: told.append(real(*given)) or told[-1]
    try:
        _, codes = run("exception", model_id=chain.model_id, input=chain.inputs.dataset, output=chain.outputs.dataset)
    finally:
        acl.mdl.create_and_get_op_desc = real
    assert codes == [0, 507015]
    ((name, _, num_inputs, _, num_outputs, ret),) = told
    assert (name, num_inputs > 0, num_outputs, ret) == ("node1", True, 1, 0)
