"""Profile sessions: what is recorded between a start and its stop is on the disk, whole, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import models
import numpy as np
import optap
import pytest
from optap.testing import ScriptedModel
from profiles import Profile, found
from support import play, take, until

pytestmark = pytest.mark.anyio


async def test_a_round_holds_what_ran_between_its_start_and_its_stop(tmp_path):
    async with ScriptedModel(count=4, names=["conv", "relu"]) as model:
        await model.run()
        async with optap.profile(tmp_path / "deep" / "er", devices=[0]) as session:
            assert session.is_running
            await model.run()
        await model.run()
    (profile,) = found(tmp_path / "deep" / "er")
    assert (profile.ops(), len(profile.tasks(0)), profile.is_complete()) == (["conv", "relu"] * 2, 4, True)
    report = session.report
    assert (report.directories, report.records, sum(report.dropped.values())) == ((profile.path,), 4, 0)
    assert report.bytes > 0
    assert report.files == len([path for path in profile.path.rglob("*") if path.is_file()])


async def test_each_round_has_its_own_directory_and_holds_what_it_asked_for(tmp_path):
    async with ScriptedModel(count=3) as model, optap.profile(tmp_path) as session:
        await model.run()
        assert not session.is_running
        for collect in (["ops"], ["times"], ["steps", "ranges"]):
            await session.start(devices=[0], collect=collect, metrics="PipeUtilization")
            await model.run()
            await session.stop()
        await session.stop()
    ops, times, none = found(tmp_path)
    assert (ops.ops(), times.ops()) == (["op"] * 3, [])
    assert [len(one.tasks(0)) for one in (ops, times, none)] == [3, 3, 0]
    sample = json.loads((times.path / "device_0" / "sample.json").read_text())
    assert (sample["prof_level"], sample["msproftx"], sample["ai_core_metrics"]) == ("l0", "off", "PipeUtilization")
    assert (sample["ai_core_profiling"], session.report.records) == ("off", 6)


async def test_a_subscription_and_a_file_hear_the_same_ops(tmp_path):
    async with ScriptedModel(count=1_000, names=["a", "b", "c"]) as model, optap.subscribe(model) as ops:
        async with optap.profile(tmp_path, devices=[0]):
            await play(model, ops)
        live = [(op.name, op.start_ns, op.end_ns) for op in await take(ops, 1_000)]
    (profile,) = found(tmp_path)
    written = [(name, *task[2:]) for name, task in zip(profile.ops(), profile.tasks(0), strict=True)]
    assert written == live


async def test_a_start_in_mid_run_takes_what_begins_later_and_counts_the_run_as_partial(tmp_path):
    async with ScriptedModel(count=100_000, rate=2_000) as model, optap.subscribe(model) as ops:
        run = model.start()
        await ops.receive()
        async with optap.profile(tmp_path) as session:
            await session.start(devices=[0])
            started_ns = time.monotonic_ns()
            await until(lambda: ops.statistics().produced > 400)
            await session.stop()
        run.cancel()
    (profile,) = found(tmp_path)
    starts_ns = [start for _, _, start, _ in profile.tasks(0)]
    assert starts_ns
    assert session.report.partial_runs == 1
    late = [at_ns for at_ns in starts_ns if at_ns >= started_ns]
    assert len(starts_ns) - len(late) <= 20, "only what began while start() returned lies before"


async def test_a_flush_puts_what_was_recorded_into_the_files(tmp_path):
    async with ScriptedModel(count=100) as model, optap.profile(tmp_path, devices=[0]) as session:
        await model.run()
        await session.flush()
        assert len(found(tmp_path)[0].tasks(0)) == 100
        assert not found(tmp_path)[0].is_complete()


async def test_the_files_are_written_once_a_second_without_being_asked(tmp_path):
    async with ScriptedModel(count=10) as model, optap.profile(tmp_path, devices=[0]):
        await model.run()
        await until(lambda: len(found(tmp_path)[0].tasks(0)) == 10)


async def test_a_second_start_is_refused_and_the_round_goes_on(tmp_path):
    async with ScriptedModel(count=3) as model, optap.profile(tmp_path, devices=[0]) as session:
        with pytest.raises(optap.OptapError, match="is running") as refused:
            await session.start(devices=[0])
        assert refused.value.code == 100042
        await model.run()
    assert session.report.records == 3


@pytest.mark.parametrize("devices", [[7], [-1], [0, 0]])
async def test_devices_that_there_are_not_are_refused(tmp_path, devices):
    with pytest.raises(optap.errors.InvalidArgumentError, match="there are 1"):
        optap.profile(tmp_path, devices=devices)


async def test_words_that_are_none_are_refused(tmp_path):
    async with optap.profile(tmp_path) as session:
        with pytest.raises(ValueError, match="choose of ops"):
            await session.start(devices=[0], collect=["everything"])
        with pytest.raises(ValueError, match="PipeUtilization"):
            await session.start(devices=[0], metrics="Speed")
        with pytest.raises(optap.errors.InvalidArgumentError, match="no devices are given"):
            await session.start()
    with pytest.raises(optap.OptapError, match="async with"):
        await session.start(devices=[0])


async def test_an_open_device_stands_for_its_id(tmp_path):
    async with optap.open_device(0) as device, optap.profile(tmp_path, devices=[device]):
        pass
    assert (found(tmp_path)[0].path / "device_0").is_dir()


async def test_a_path_that_cannot_be_written_to_is_told_with_its_name(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        async with optap.profile(tmp_path / "file" / "below", devices=[0]):
            pass
    async with optap.profile(tmp_path / "file" / "below") as session:
        with pytest.raises(OSError, match="file"):
            await session.start(devices=[0])
        assert not session.is_running


async def test_the_oldest_data_go_at_the_limit_and_are_counted(tmp_path):
    limit = 8 << 20
    async with (
        ScriptedModel(count=60_000) as model,
        optap.profile(tmp_path, devices=[0], storage_limit=limit) as session,
    ):
        await model.run()
    held = sum(path.stat().st_size for path in found(tmp_path)[0].path.rglob("*slice*"))
    assert session.report.aged_bytes > 0
    assert held < limit + (4 << 20)


async def test_a_cancelled_start_leaves_nothing_running(tmp_path):
    async with ScriptedModel(count=3) as model, optap.profile(tmp_path) as session:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await session.start(devices=[0])
        assert scope.cancelled_caught
        await session.start(devices=[0])
        await model.run()
        await session.stop()
        assert session.report.records == 3
    assert all(profile.is_complete() for profile in found(tmp_path))


async def test_a_cancelled_stop_goes_on_and_can_be_waited_for_again(tmp_path):
    async with ScriptedModel(count=3) as model, optap.profile(tmp_path, devices=[0]) as session:
        await model.run()
        with anyio.CancelScope() as scope:
            scope.cancel()
            await session.stop()
        await session.stop()
        assert found(tmp_path)[0].is_complete()
    assert session.report.records == 3


async def test_a_cancelled_flush_leaves_the_round_running(tmp_path):
    async with ScriptedModel(count=3) as model, optap.profile(tmp_path, devices=[0]) as session:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await session.flush()
        await model.run()
    assert session.report.records == 3


async def test_a_cancelled_block_leaves_complete_files(tmp_path):
    async with ScriptedModel(count=3) as model:
        with anyio.CancelScope() as scope:
            async with optap.profile(tmp_path, devices=[0]):
                await model.run()
                scope.cancel()
                await anyio.sleep_forever()
    assert found(tmp_path)[0].is_complete()


async def test_two_sessions_write_the_same_device_at_once(tmp_path):
    async with (
        ScriptedModel(count=5) as model,
        optap.profile(tmp_path, devices=[0]),
        optap.profile(tmp_path, devices=[0]),
    ):
        await model.run()
    assert [len(profile.tasks(0)) for profile in found(tmp_path)] == [5, 5]


async def test_calls_of_the_host_are_timed_where_asked_for(tmp_path):
    async with optap.open_device(0) as device, optap.profile(tmp_path, devices=[0], collect=["api"]):
        model = await device.load_model(models.chain(2, (2,)))
        await model.run(np.zeros(2, np.float32))
    (profile,) = found(tmp_path)
    assert profile.calls() == ["Model.start"]
    assert profile.ops() == []


PRELUDE = """
import os, sys, anyio, optap, signal, resource
from optap.testing import ScriptedModel
path = sys.argv[1]
"""

PROGRAMS = {
    "exit": """
async def main():
    session = await optap.profile(path, devices=[0]).__aenter__()
    await ScriptedModel(count=50).run()
    sys.exit(3)
anyio.run(main)
""",
    "kill": """
async def main():
    session = await optap.profile(path, devices=[0]).__aenter__()
    model = ScriptedModel(count=50)
    await model.run()
    await session.flush()
    model.start()
    os.kill(os.getpid(), signal.SIGKILL)
anyio.run(main)
""",
    "full": """
async def main():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    model = ScriptedModel(count=20_000)
    try:
        async with optap.profile(path, devices=[0]) as session:
            await model.run()
            try:
                await session.flush()
            except OSError as error:
                print("flush", "slice_0" in str(error))
            await model.run()
            async with optap.subscribe(model) as ops:
                await model.run()
                print(ops.statistics().produced)
    except OSError as error:
        print("stop", error)
    print(session.report.records, session.report.dropped["unwritten"] > 0)
anyio.run(main)
""",
    "fork": """
async def main():
    model = ScriptedModel(count=50)
    async with optap.profile(path, devices=[0]) as session:
        await model.run()
        if child := os.fork():
            assert os.waitpid(child, 0)[1] == 0
            await model.run()
        else:
            try:
                await session.flush()
            except optap.errors.ForkedError:
                os._exit(0)
            os._exit(1)
    print(session.report.records)
anyio.run(main)
""",
    "rounds": """
async def main():
    models = [ScriptedModel(count=count, device_id=at) for at, count in enumerate((3, 4, 5))]
    async with optap.profile(path) as session:
        for devices in ([0, 1], [1, 2]):
            await session.start(devices=devices)
            for model in models:
                await model.run()
            await session.stop()
    print(session.report.records)
anyio.run(main)
""",
}


def ended(program: str, path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", PRELUDE + PROGRAMS[program], str(path)]
    known = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=known)


def test_the_end_of_the_interpreter_completes_the_files(tmp_path):
    told = ended("exit", tmp_path)
    assert (told.returncode, told.stderr) == (3, "")
    (profile,) = found(tmp_path)
    assert (len(profile.tasks(0)), profile.is_complete()) == (50, True)


def test_a_kill_leaves_what_was_flushed(tmp_path):
    assert ended("kill", tmp_path).returncode == -signal.SIGKILL
    (profile,) = found(tmp_path)
    assert (len(profile.tasks(0)), len(profile.ops()), profile.is_complete()) == (50, 50, False)


def test_a_full_disk_ends_the_round_with_an_error_and_the_program_goes_on(tmp_path):
    told = ended("full", tmp_path)
    assert (told.returncode, told.stderr) == (0, "")
    flushed, produced, report = told.stdout.splitlines()
    assert (flushed, produced) == ("flush True", "20000")
    assert report.split()[1] == "True"
    (profile,) = found(tmp_path)
    assert profile.tasks(0), "what was written whole can be read"


def test_a_fork_leaves_the_session_to_its_parent(tmp_path):
    told = ended("fork", tmp_path)
    assert (told.stdout, told.stderr) == ("100\n", "")
    assert [len(profile.tasks(0)) for profile in found(tmp_path)] == [100]


def test_rounds_hear_their_own_devices(tmp_path):
    told = ended("rounds", tmp_path, OPTAP_DEVICES="3")
    assert (told.stdout, told.stderr) == ("16\n", "")
    first, second = found(tmp_path)
    assert [[len(profile.tasks(at)) for at in devices] for profile, devices in ((first, (0, 1)), (second, (1, 2)))] == [
        [3, 4],
        [4, 5],
    ]
    assert not (first.path / "device_2").exists()


def test_two_processes_write_below_one_path(tmp_path):
    command = [sys.executable, "-c", PRELUDE + PROGRAMS["exit"], str(tmp_path)]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [one.wait(60) for one in running] == [3, 3]
    assert [(len(one.tasks(0)), one.is_complete()) for one in found(tmp_path)] == [(50, True)] * 2


def test_the_reading_of_the_tests_finds_parts_of_records(tmp_path):
    data = tmp_path / "PROF_x" / "device_0" / "data"
    data.mkdir(parents=True)
    (data / "stars_soc.data.0.slice_0").write_bytes(bytes(100))
    with pytest.raises(AssertionError, match="part of a record"):
        Profile(tmp_path / "PROF_x").tasks(0)
