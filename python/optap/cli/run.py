"""`optap run`: run a model and tell where its time goes."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TextIO

import anyio

from optap._core import ChromeTraceWriter
from optap.cli.failure import INTERRUPTED, OK, FailedError, UsageError, leaf, tell
from optap.cli.inputs import gather_inputs
from optap.cli.live import is_live, live
from optap.cli.summary import Summary
from optap.cli.table import width_of
from optap.cli.work import Work
from optap.device import open_device
from optap.model import Model
from optap.session import profile

__all__ = ("run",)

_STDOUT = Path("-")


def run(args: argparse.Namespace) -> int:
    """Do what `args` ask for. The summary is printed even when the runs fail or are interrupted.

    Raises:
        UsageError: What was given cannot be used.
        FailedError: A file could not be written.
        OptapError: The model could not be loaded, or a run failed.
    """
    _check_paths(args)
    out = sys.stderr if args.json == _STDOUT else sys.stdout
    if out.isatty() and not is_live(out):
        tell("no live table without rich; install it with: pip install 'optap[cli]'")
    summary = Summary(args.model, args.device)
    try:
        anyio.run(_record, args, summary, out)
    except Exception as error:
        summary.failure = str(leaf(error))
        raise leaf(error) from None
    finally:
        _report(args, summary, out)
    return INTERRUPTED if summary.is_interrupted else OK


async def _record(args: argparse.Namespace, summary: Summary, out: TextIO) -> None:
    async with _until_interrupt(summary), open_device(args.device) as device:
        model = await device.load_model(args.model)
        summary.inputs = gather_inputs(model.inputs, args.input, args.shape)
        async with _profile(args, summary):
            await _work(args, summary, out, model)


async def _work(args: argparse.Namespace, summary: Summary, out: TextIO, model: Model) -> None:
    with _trace(args.trace, summary) as trace:
        arrays = [one.array for one in summary.inputs]
        summary.work = Work(model, arrays, args.repeat, args.concurrency, trace and trace.write)
        async with live(summary.work.summary, summary.work.status, out=out):
            await summary.work.run()


@asynccontextmanager
async def _profile(args: argparse.Namespace, summary: Summary) -> AsyncGenerator[None]:
    if args.profile is None:
        yield
        return
    session = profile(args.profile, devices=[args.device])
    try:
        async with session:
            yield
    except OSError as error:
        raise FailedError(f"--profile {args.profile}: {error}") from error
    finally:
        summary.profile = session.report


@asynccontextmanager
async def _until_interrupt(summary: Summary) -> AsyncGenerator[None]:
    """Cancel the block at the first Ctrl-C; a second one kills."""

    async def listen(scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(signal.SIGINT) as signals:
            async for _ in signals:
                summary.is_interrupted = True
                scope.cancel()
                return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen, tasks.cancel_scope)
        yield
        tasks.cancel_scope.cancel()


@contextmanager
def _trace(path: Path | None, summary: Summary) -> Iterator[ChromeTraceWriter | None]:
    if path is None:
        yield None
        return
    try:
        with ChromeTraceWriter(path) as trace:
            try:
                yield trace
            finally:
                summary.trace, summary.trace_skipped = path, trace.skipped
    except OSError as error:
        raise FailedError(f"--trace {path}: {error}") from error


def _report(args: argparse.Namespace, summary: Summary, out: TextIO) -> None:
    if summary.is_interrupted and summary.work is None:
        tell("interrupted before the first run")
    if summary.work is None or not (summary.work.runs_done or summary.work.summary.records or summary.is_interrupted):
        return
    print(summary.text(summary.work, width_of(out)), file=out, flush=True)
    if args.json == _STDOUT:
        print(summary.json(summary.work))
    elif args.json is not None:
        try:
            args.json.write_text(summary.json(summary.work) + "\n")
        except OSError as error:
            raise FailedError(f"--json {args.json}: {error.strerror}") from error


def _check_paths(args: argparse.Namespace) -> None:
    if not args.model.is_file():
        what = "a folder" if args.model.is_dir() else "no file" if args.model.exists() else "no such file"
        raise UsageError(f"{args.model}: {what}; give the path of an .onnx file")
    if args.trace == _STDOUT:
        raise UsageError("--trace -: a trace is written to a file; give a path, such as trace.json")
    for option, path in (("--json", args.json), ("--trace", args.trace)):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise UsageError(f"{option} {path}: must be a file in a folder that exists")
    if args.profile is not None and args.profile.exists() and not args.profile.is_dir():
        raise UsageError(f"--profile {args.profile}: must be a folder, or not exist yet")
