"""How pyACL is called: by position, with ints, answered by codes."""

import importlib
import re
import runpy
import threading
from pathlib import Path

import pytest
from optap import _core, acl

CATALOGUE = [name for name, _, _ in _core.acl.functions()]


def find(name):
    found = acl
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_function_is_there_and_refuses_keywords(name):
    with pytest.raises(TypeError):
        find(name)(no_such_argument=1)


def test_every_function_that_is_there_is_listed():
    spaces = {"acl": acl, **{f"acl.{name}": getattr(acl, name) for name in ("rt", "mdl", "util", "prof")}}
    there = {
        f"{space}.{name}"
        for space, module in spaces.items()
        for name in dir(module)
        if callable(getattr(module, name)) and not name.startswith("_")
    }
    assert there - {"acl.configure", "acl.statistics"} == set(CATALOGUE)
    assert len(CATALOGUE) == len(set(CATALOGUE))


@pytest.mark.parametrize(
    "name", ["acl.rt.malloc", "acl.rt.set_device", "acl.mdl.load_from_file", "acl.create_data_buffer"]
)
@pytest.mark.parametrize("given", [(), (None, None), ("x", 1, 2), (1, 2, 3, 4)])
def test_what_cannot_be_parsed_is_told_by_name(name, given):
    with pytest.raises(TypeError, match=re.escape(f"{name} args parse failed")):
        find(name)(*given)


@pytest.mark.parametrize(
    ("given", "ok"), [(True, True), (1, True), (2**64 + 1, True), (-1, True), (1.0, False), ("1", False)]
)
def test_handles_are_real_ints_cut_to_64_bits(given, ok):
    if ok:
        buffer = acl.create_data_buffer(given, 0)
        assert acl.get_data_buffer_addr(buffer) == given & (2**64 - 1)
        assert acl.destroy_data_buffer(buffer) == 0
    else:
        with pytest.raises(TypeError):
            acl.create_data_buffer(given, 0)


def test_handles_are_no_numpy_ints():
    import numpy as np

    with pytest.raises(TypeError):
        acl.destroy_data_buffer(np.int64(1))


def test_lists_are_lists_of_ints():
    with pytest.raises(TypeError, match="is not list"):
        acl.create_tensor_desc(0, (1, 2), 2)
    with pytest.raises(TypeError, match="is not int"):
        acl.create_tensor_desc(0, [1, "2"], 2)
    with pytest.raises(ValueError, match="out of range"):
        acl.create_tensor_desc(0, [2**70], 2)


def test_text_has_no_nul():
    with pytest.raises(TypeError, match="args parse failed"):
        acl.mdl.load_from_file("a\0b")


def test_functions_without_parameters_ignore_what_they_get(device):
    event, ret = acl.rt.create_event(0, "ignored", None)
    assert ret == 0
    assert acl.rt.destroy_event(event) == 0


def test_modules_can_be_imported():
    for name in ("rt", "mdl", "util", "prof"):
        assert importlib.import_module(f"optap.acl.{name}") is getattr(acl, name)


def test_the_reason_of_a_failure_is_given_once_to_its_thread(device):
    assert acl.rt.set_device(77) == 107001
    others = []
    thread = threading.Thread(target=lambda: others.append(acl.get_recent_err_msg()))
    thread.start()
    thread.join()
    assert others == [None]
    assert acl.get_recent_err_msg().startswith("acl.rt.set_device: device 77 does not exist")
    assert acl.get_recent_err_msg() is None


def test_no_constants_are_exported():
    assert not [name for name in dir(acl) if name.startswith("ACL_")]


def test_the_documented_table_is_that_of_the_code():
    docs = Path(__file__).parents[2] / "docs"
    table = runpy.run_path(str(docs / "acl_functions.py"))
    page = (docs / "acl.md").read_text("utf-8")
    assert table["fill"](page) == page
