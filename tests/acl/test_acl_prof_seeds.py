"""The profiling samples of the documentation run as they stand."""

import os
import textwrap
from pathlib import Path

import pytest
from optap import acl
from profiles import found
from scripts import as_acl

SEEDS = Path(__file__).parent / "seeds"

ACL_PROF_AICPU, ACL_PROF_HCCL_TRACE = 0x8, 0x20


def source_of(sample):
    return (SEEDS / f"{sample}.txt").read_text(encoding="utf-8")


def with_codes(source):
    """The source, with every code that a call outside of a function returned put in `codes`."""
    return "".join(
        line + ("codes.append(ret)\n" if "ret = acl." in line and not line.startswith(" ") else "")
        for line in source.splitlines(keepends=True)
    )


@pytest.fixture
def given(chain):
    context, ret = acl.rt.get_context()
    assert ret == 0
    return {
        "codes": [],
        "os": os,
        "context": context,
        "model_id": chain.model_id,
        "input": chain.inputs.dataset,
        "output": chain.outputs.dataset,
    }


@pytest.mark.filterwarnings("ignore")
def test_a_subscription_tells_the_operators_of_a_run(given, monkeypatch):
    told, real = [], acl.prof.get_op_name

    def get_op_name(*args):
        told.append(real(*args))
        return told[-1]

    monkeypatch.setattr(acl.prof, "get_op_name", get_op_name)
    with as_acl():
        exec(compile(with_codes(source_of("subscription")), "subscription", "exec"), given)
    assert given["codes"] == [0] * 6
    assert told == [(f"node{index}", 0) for index in range(3)]


def test_a_collection_goes_from_init_to_finalize(given, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    given |= {"ACL_PROF_AICPU": ACL_PROF_AICPU, "ACL_PROF_HCCL_TRACE": ACL_PROF_HCCL_TRACE}
    with as_acl():
        exec(compile(with_codes(source_of("collect")), "collect", "exec"), given)
    assert given["codes"] == [0] * 7
    (profile,) = found(tmp_path / "...")
    assert profile.is_complete()
    assert profile.ops() == ["node0", "node1", "node2"]


def test_two_hundred_thousand_marks_pushes_and_ranges_leave_nothing_behind(given, tmp_path):
    marks = f"def marks():\n{textwrap.indent(source_of('marks'), '    ')}\n    return ret"
    names = {"acl": acl, "FAILED": "failed"}
    exec(compile(marks, "marks", "exec"), names)
    assert acl.prof.init(str(tmp_path)) == 0
    config = acl.prof.create_config([0], 0, 0, 0x80)
    assert acl.prof.start(config) == 0
    assert names["marks"]() is None
    assert [acl.prof.pop(), acl.prof.stop(config)] == [-1, 0]
    assert acl.prof.destroy_config(config) == 0
    assert acl.prof.finalize() == 0
