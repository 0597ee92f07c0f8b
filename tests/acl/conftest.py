"""A device, and a model with its datasets, through the pyACL namespace."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import models
import numpy as np
import pytest
import recorder
from optap import acl
from scripts import Ends, Loaded

recorder.install()


@pytest.fixture(scope="session", autouse=True)
def calls_of_scripts() -> Iterator[None]:
    """Where the scripts that tests start tell what they called."""
    with tempfile.NamedTemporaryFile(prefix="optap-calls-") as file:
        os.environ[recorder.FILE] = file.name
        yield
        del os.environ[recorder.FILE]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What looks at all calls comes last."""
    items.sort(key=lambda item: item.path.name == "test_acl_codes.py")


@pytest.fixture
def device() -> Iterator[int]:
    """Device 0, current in this thread."""
    assert acl.rt.set_device(0) == 0
    yield 0
    acl.rt.set_exception_info_callback(None)
    acl.rt.set_op_execute_time_out(0)
    acl.rt.set_op_wait_timeout(0)
    assert acl.rt.reset_device_force(0) == 0


@pytest.fixture
def chain_path(tmp_path: Path) -> Path:
    """Three operators in a row: node0, node1, node2."""
    path = tmp_path / "chain.onnx"
    path.write_bytes(models.chain(3, (2, 4)))
    return path


@pytest.fixture
def chain(device: int, chain_path: Path) -> Iterator[Loaded]:
    """That model, loaded, with memory for both ends."""
    model_id, ret = acl.mdl.load_from_file(str(chain_path))
    assert ret == 0
    loaded = Loaded(model_id, Ends.of([32]), Ends.of([32]))
    loaded.inputs.write(np.arange(8, dtype="<f4") - 4)
    yield loaded
    loaded.inputs.free()
    loaded.outputs.free()
    assert acl.mdl.unload(model_id) == 0
