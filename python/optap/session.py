"""Profiles on disk: directories that `msprof` parses, written while the program runs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import anyio

from optap import _core
from optap._mailbox import Mailbox
from optap._timeout import check_seconds, stream_timeout
from optap.device import Device, device_count
from optap.errors import InvalidArgumentError, OptapError, SyncTimeoutError

__all__ = ("COLLECT", "ProfileReport", "ProfileSession", "profile")

COLLECT = ("ops", "ranges", "steps")
"""What a session collects unless told otherwise."""

_STOP_S = 30.0


class ProfileReport(NamedTuple):
    """What the rounds of a session that have ended left behind."""

    directories: tuple[Path, ...]
    """The ``PROF_*`` directories, in the order of their starts."""
    files: int
    """Number of files."""
    bytes: int
    """Bytes written to the data files."""
    aged_bytes: int
    """Bytes of the oldest data that were removed to stay below the storage limit."""
    records: int
    """Number of records written."""
    skipped: int
    """Number of records that the tables of `msprof` leave out, for want of a duration."""
    partial_runs: int
    """Number of runs that went on when a round began or stopped, so that a part of their ops is missing."""
    dropped: dict[str, int]
    """Losses by reason: ``overflow`` (the disk was too slow), ``ring``, ``closed``, ``stalled``, ``unwritten`` (the
    disk refused), ``calls`` (too many timed calls a second)."""


class ProfileSession:
    """Writes one ``PROF_*`` directory a round, from a `start` to its `stop`. Made by `profile`."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        devices: Iterable[int | Device] | None,
        collect: Sequence[str],
        metrics: str | None,
        storage_limit: int | None,
    ) -> None:
        self._core = _core.Session(path)
        self._path = Path(path)
        self._devices = None if devices is None else _ids(devices)
        self._collect = tuple(collect)
        self._metrics = metrics
        self._storage_limit = storage_limit
        self._round: _core.Round | None = None
        self._is_stopping = False
        self._mailbox: Mailbox | None = None

    async def __aenter__(self) -> Self:
        self._mailbox = Mailbox()
        if self._devices is not None:
            await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with anyio.CancelScope(shield=True):
                await self.stop()
        except SyncTimeoutError:
            message = (
                f"the files below {self._path} were not complete {_STOP_S:g} s after the stop; they are still written"
            )
            warnings.warn(message, ResourceWarning, stacklevel=2)
        finally:
            self._mailbox = None

    @property
    def path(self) -> Path:
        """The folder that holds the directories."""
        return self._path

    @property
    def is_running(self) -> bool:
        """Whether a round is being written."""
        return self._round is not None and self._round.is_running()

    @property
    def report(self) -> ProfileReport:
        """What the rounds that have ended left behind."""
        directories, counts, dropped = self._core.report()
        return ProfileReport(tuple(directories), **counts, dropped=dropped)

    async def start(
        self,
        *,
        devices: Iterable[int | Device] | None = None,
        collect: Sequence[str] | None = None,
        metrics: str | None = None,
    ) -> None:
        """Start a round: ops that begin after the return are written, to a directory of its own.

        What is not given is as `profile` was told. A start in the middle of a run does not disturb it. Cancelled, it
        starts nothing that lasts.

        Args:
            devices: Devices, or their ids. An empty list collects ranges and marks alone.
            collect: What to collect, as in `profile`.
            metrics: The set of counters wished for, as in `profile`.

        Raises:
            OSError: The folder cannot be made or written to.
            OptapError: A round is running; stop it first.
            InvalidArgumentError: There is no such device.
        """
        mailbox = self._entered()
        if self._round is not None:
            await self._settle()
        ids = self._devices if devices is None else _ids(devices)
        if ids is None:
            told = "no devices are given, neither to profile() nor to start(); give a list of ids"
            raise InvalidArgumentError(told, 100000, "ACL_ERROR_INVALID_PARAM")
        wanted = list(self._collect if collect is None else collect)
        self._round = self._core.start(ids, wanted, metrics or self._metrics, self._storage_limit)
        self._is_stopping = False
        try:
            await mailbox.wait(self._round.started())
        except BaseException:
            self._is_stopping = True
            self._round.stop()
            raise
        if not self._round.is_running():
            await self.stop()

    async def stop(self, timeout: float = _STOP_S) -> None:
        """Stop the round that runs, if any, and wait until its files are complete.

        Cancelled or timed out, it goes on by itself; wait for it again with another `stop`.

        Raises:
            OSError: The files could not be completed; what was written whole stays. Told once.
            SyncTimeoutError: `timeout` seconds passed first.
            ForkedError: The session was opened by the parent process.
        """
        if self._round is None:
            return
        stopped, self._is_stopping = self._round, True
        if not await self._entered().wait(stopped.stop(), check_seconds("timeout", timeout)):
            raise stream_timeout(f"the round below {self._path}", timeout)
        if self._round is stopped:
            self._round = None
            stopped.check()

    async def flush(self, timeout: float = _STOP_S) -> None:
        """Hand all that was recorded so far to the files, as happens once a second anyway.

        Raises:
            OSError: The files cannot be written; the round has ended.
            SyncTimeoutError: `timeout` seconds passed first.
        """
        if self._round is None:
            return
        flushed = self._round.flush()
        if not await self._entered().wait(flushed, check_seconds("timeout", timeout)):
            raise stream_timeout(f"the flush of the round below {self._path}", timeout)
        try:
            flushed.check()
        except OptapError:
            await self.stop(timeout)

    async def _settle(self) -> None:
        """Refuse a start while a round runs; wait for one that was told to stop."""
        if self._is_stopping:
            await self.stop()
            return
        told = f"a round below {self._path} is running; await stop() before the next start()"
        raise OptapError(told, 100042, "ACL_ERROR_PROF_ALREADY_RUN")

    def _entered(self) -> Mailbox:
        if self._mailbox is None:
            told = "the profile session is not open; use it within `async with optap.profile(...)`"
            raise OptapError(told, 100043, "ACL_ERROR_PROF_NOT_RUN")
        return self._mailbox


def _ids(devices: Iterable[int | Device]) -> list[int]:
    ids = [one.device_id if isinstance(one, Device) else one for one in devices]
    count = device_count()
    for one in ids:
        if not 0 <= one < count or ids.count(one) > 1:
            told = f"devices={ids}: {one} repeats or does not exist; there are {count}, from 0 on"
            raise InvalidArgumentError(told, 100000, "ACL_ERROR_INVALID_PARAM")
    return ids


def profile(
    path: str | os.PathLike[str],
    *,
    devices: Iterable[int | Device] | None = None,
    collect: Sequence[str] = COLLECT,
    metrics: str | None = None,
    storage_limit: int | None = None,
) -> ProfileSession:
    """A session that writes profiles below a folder, for an `async with`.

    With `devices`, a round starts as the block is entered; it stops as the block is left. Without, call
    `ProfileSession.start`. A subscription and a session can listen to the same models at a time.

    Args:
        path: The folder; it is made if need be. Each round makes a directory ``PROF_*`` there.
        devices: Devices, or their ids.
        collect: Of ``ops`` (times, names and types), ``times`` (times alone), ``api`` (calls of the host), ``ranges``
            (ranges and marks) and ``steps``.
        metrics: A set of core counters to note as wished for, such as ``PipeUtilization``. A CPU has none: their
            columns stay N/A.
        storage_limit: The most that the files of a round may hold, in bytes; beyond it the oldest go, and are counted.

    Raises:
        InvalidArgumentError: There is no such device.

    Examples:
        >>> import anyio, optap, optap.testing, tempfile
        >>> async def main(folder):
        ...     async with optap.testing.ScriptedModel(count=3) as model:
        ...         async with optap.profile(folder, devices=[0]) as session:
        ...             await model.run()
        ...     return session.report
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report = anyio.run(main, folder)
        >>> report.records, len(report.directories)
        (3, 1)
    """
    return ProfileSession(path, devices, collect, metrics, storage_limit)
