"""Errors: each has a code, a name and a message that tells what to do."""

from __future__ import annotations

import errno
import inspect
import pickle
import threading
from pathlib import Path

import optap
import pytest
from optap import errors
from optap.testing import ScriptedModel

CLASSES = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("error_class", CLASSES)
def test_each_class_carries_code_and_name(error_class: type[errors.OptapError]) -> None:
    error = error_class("what was wrong", 107_000, "ACL_ERROR_RT_PARAM_INVALID")
    assert isinstance(error, errors.OptapError)
    assert (error.detail, error.code, error.name) == ("what was wrong", 107_000, "ACL_ERROR_RT_PARAM_INVALID")
    assert str(error) == "what was wrong (ACL_ERROR_RT_PARAM_INVALID, 107000)"
    assert error.args == ("what was wrong", 107_000, "ACL_ERROR_RT_PARAM_INVALID")
    assert getattr(error, "filename", None) is None
    assert error_class.__doc__


@pytest.mark.parametrize("error_class", CLASSES)
def test_each_class_survives_pickling(error_class: type[errors.OptapError]) -> None:
    error = pickle.loads(pickle.dumps(error_class("wrong", 1, "NAME")))
    assert (type(error), error.code, error.name, error.detail) == (error_class, 1, "NAME", "wrong")


def test_every_error_of_the_module_is_listed() -> None:
    own = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert own == set(errors.__all__)


@pytest.mark.parametrize(
    ("error_class", "builtin"),
    [
        (errors.InvalidArgumentError, ValueError),
        (errors.InputError, ValueError),
        (errors.OpError, RuntimeError),
        (errors.ForkedError, RuntimeError),
        (errors.SyncTimeoutError, TimeoutError),
        (errors.UnsupportedModelError, errors.ModelError),
        (errors.ModelFileError, OSError),
        (errors.ModelNotFoundError, FileNotFoundError),
        (errors.ModelNotFoundError, errors.ModelError),
    ],
)
def test_classes_are_caught_as_their_builtin(error_class: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(error_class, builtin)


@pytest.mark.anyio
async def test_a_device_that_is_not_there_is_named() -> None:
    absent = optap.device_count() + 5
    with pytest.raises(errors.HandleError, match=str(absent)) as caught:
        async with optap.open_device(absent):
            pass
    expect_coded(caught.value, 107_001, "ACL_ERROR_RT_INVALID_DEVICEID")


@pytest.mark.anyio
async def test_a_model_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "absent.onnx"
    async with optap.open_device(0) as device:
        with pytest.raises(FileNotFoundError, match=r"absent\.onnx") as caught:
            await device.load_model(path)
    assert isinstance(caught.value, errors.ModelNotFoundError)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(path))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.filename, again.args) == (str(caught.value), str(path), caught.value.args)


@pytest.mark.anyio
@pytest.mark.parametrize("content", [b"", b"no model", b"\xff" * 100])
async def test_bytes_that_are_no_model_are_refused(content: bytes) -> None:
    async with optap.open_device(0) as device:
        with pytest.raises(errors.ModelError):
            await device.load_model(content)


@pytest.mark.anyio
async def test_a_cancelled_run_says_so() -> None:
    async with ScriptedModel(count=1 << 40, rate=1000) as model:
        run = model.start()
        run.cancel()
        with pytest.raises(errors.RunCancelledError, match="cancelled") as caught:
            await run
    assert caught.value.code != 0


@pytest.mark.anyio
async def test_a_wait_that_ends_first_is_a_time_out() -> None:
    async with optap.open_device(0) as device:
        stream = device.create_stream()
        hold = threading.Event()
        stream.launch(hold.wait, 10)
        with pytest.raises(TimeoutError, match=rf"stream {stream.stream_id} .* within 0\.01 s") as caught:
            await stream.synchronize(timeout=0.01)
        with pytest.raises(TimeoutError, match=r"device 0 .* within 0\.02 s"):
            await device.synchronize(0.02)
        event = device.create_event()
        stream.record(event)
        with pytest.raises(TimeoutError, match=rf"event {event.event_id} .* within 0\.03 s") as late:
            await event.wait(0.03)
        expect_coded(late.value, 507_047, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT")
        assert isinstance(caught.value, errors.SyncTimeoutError)
        expect_coded(caught.value, 507_046, "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT")
        hold.set()
        await stream.synchronize()


@pytest.mark.anyio
async def test_the_failure_of_launched_work_has_its_cause() -> None:
    def fail() -> None:
        raise ZeroDivisionError("in the work")

    async with optap.open_device(0) as device:
        stream = device.create_stream()
        stream.launch(fail)
        with pytest.raises(errors.OpError) as caught:
            await stream.synchronize()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def expect_coded(error: errors.OptapError, code: int, name: str) -> None:
    assert (error.code, error.name) == (code, name)
    assert str(error).endswith(f"({name}, {code})")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ({"count": -1}, "count=-1"),
        ({"count": 1, "rate": 0}, "rate=0"),
        ({"count": 1, "names": []}, r"names=\[\]"),
        ({"count": 1, "types": "Conv"}, "types='Conv'"),
        ({"count": 1, "streams": ()}, r"streams=\(\)"),
        ({"count": 1 << 64}, "count=18446744073709551616 must lie between 0 and"),
        ({"count": 1, "rate": float("nan")}, "rate=nan"),
        ({"count": 1, "streams": [1 << 32]}, "streams=4294967296 must lie between 0 and 4294967295"),
        ({"count": 1, "first_sequence": -1}, "first_sequence=-1"),
        ({"count": 1, "times_ns": [(0, -5)]}, "times_ns=-5"),
        ({"count": 1, "gaps": {0: 1 << 64}}, "gaps=18446744073709551616"),
        ({"count": 1, "gaps": {-1: 1}}, "gaps=-1"),
        ({"count": 1, "gaps": {0: (1 << 64) - 1}}, "sequence numbers end at"),
        ({"count": 1, "device_id": -1}, "device_id=-1"),
    ],
)
def test_a_script_out_of_range_is_named(script: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        ScriptedModel(**script)
