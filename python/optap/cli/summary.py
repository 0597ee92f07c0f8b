"""What `optap run` came to, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from optap._core import clock_source
from optap._text import printable
from optap.cli.inputs import Input
from optap.cli.table import plain_table
from optap.cli.work import Work
from optap.session import ProfileReport
from optap.summary import SummaryRow

__all__ = ("JSON_KEYS", "Summary")

_ROWS = 30

JSON_KEYS = """\
keys of --json:
  optap, model, device, clock      version of optap, path, device id, source of time stamps
  inputs[]                         name, dtype, shape, source
  repeat, concurrency, runs_done   as asked for; runs that came to their end
  interrupted, failure             whether Ctrl-C ended it; what failed, or null
  elapsed_ns, runs_per_s           from the start of the first run to the end of the last
  records, records_per_s           op records read
  produced, delivered, dropped     account of the subscription; losses by reason
  operators[]                      name, type, kernel, count, untimed (of count, without a
                                   valid duration), total_ns, share (0 to 1), mean_ns,
                                   min_ns, p50_ns, p99_ns (both within 0.8 %),
                                   max_ns; greatest total_ns first
  trace                            path and skipped (records without a valid time), or null
  profile                          directories, files, bytes, records, dropped and so on, or null"""


class Summary:
    """What is known of the runs of a model, whether or not all came to their end."""

    def __init__(self, model: Path, device_id: int) -> None:
        self.inputs: Sequence[Input] = ()
        self.work: Work | None = None
        self.is_interrupted = False
        self.failure: str | None = None
        self.trace: Path | None = None
        self.trace_skipped = 0
        self.profile: ProfileReport | None = None
        self._model = model
        self._device_id = device_id

    def text(self, work: Work, width: int | None) -> str:
        """A table of the operators, `width` characters wide, with a few lines around it."""
        lines = [f"{printable(str(self._model))} on device {self._device_id}, concurrency {work.concurrency:,}"]
        lines += [f"input {one}" for one in self.inputs]
        lines += ["", plain_table(work.summary.rows(), limit=_ROWS, width=width), "", work.status()]
        if self.trace is not None:
            skipped = f"{self.trace_skipped:,} records without a valid time left out; " if self.trace_skipped else ""
            lines.append(f"trace: {printable(str(self.trace))} ({skipped}open it in https://ui.perfetto.dev)")
        if self.profile is not None:
            lines += [f"profile: {printable(str(path))} (open it with msprof)" for path in self.profile.directories]
        if self.is_interrupted:
            lines.append("interrupted; this is what was seen until then")
        return "\n".join(lines)

    def json(self, work: Work) -> str:
        """The same and more as JSON; `JSON_KEYS` tells the keys."""
        told = self._origin() | self._course(work)
        told["operators"] = [_operator(row) for row in work.summary.rows()]
        told["trace"] = None if self.trace is None else {"path": str(self.trace), "skipped": self.trace_skipped}
        told["profile"] = None if self.profile is None else self._profile(self.profile)
        return json.dumps(told, indent=2)

    @staticmethod
    def _profile(report: ProfileReport) -> dict[str, Any]:
        return report._asdict() | {"directories": [str(path) for path in report.directories]}

    def _origin(self) -> dict[str, Any]:
        return {
            "optap": version("optap"),
            "model": str(self._model),
            "device": self._device_id,
            "clock": clock_source(),
            "inputs": [
                {"name": one.name, "dtype": str(one.array.dtype), "shape": one.array.shape, "source": one.source}
                for one in self.inputs
            ],
        }

    def _course(self, work: Work) -> dict[str, Any]:
        statistics = work.statistics()
        return {
            "repeat": work.repeat,
            "concurrency": work.concurrency,
            "runs_done": work.runs_done,
            "interrupted": self.is_interrupted,
            "failure": self.failure,
            "elapsed_ns": round(work.elapsed_s * 1e9),
            "runs_per_s": work.per_second(work.runs_done),
            "records": work.summary.records,
            "records_per_s": work.per_second(work.summary.records),
            "produced": statistics and statistics.produced,
            "delivered": statistics and statistics.delivered,
            "dropped": statistics and statistics.dropped,
        }


def _operator(row: SummaryRow) -> dict[str, Any]:
    keys = ("name", "type", "kernel", "count", "untimed", "total_ns", "share", "min_ns", "mean_ns", "p50_ns", "p99_ns")
    return {key: getattr(row, key) for key in (*keys, "max_ns")}
