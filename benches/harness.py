"""Contestants in turns: each runs once a round, and ratios are taken within a round, so that drift cancels."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

NATIVE = Path(__file__).parent / "native"


@dataclass(frozen=True)
class Scale:
    """How much work a benchmark does: all of it, or just enough to see it run."""

    is_quick: bool

    def pick(self, full: int, quick: int) -> int:
        """The size to use."""
        return quick if self.is_quick else full


@dataclass(frozen=True)
class Goal:
    """What a figure should reach: at most, or at least, a value."""

    limit: float
    is_floor: bool = False

    def __str__(self) -> str:
        return f"{'>=' if self.is_floor else '<='} {self.limit:g}"

    def is_met(self, value: float) -> bool:
        """Whether `value` reaches the goal."""
        return value >= self.limit if self.is_floor else value <= self.limit


def at_most(limit: float) -> Goal:
    """A goal from above."""
    return Goal(limit)


def at_least(limit: float) -> Goal:
    """A goal from below."""
    return Goal(limit, is_floor=True)


@dataclass(frozen=True)
class Row:
    """One line of the table. `figure` is what the goal is about where that is not the ratio."""

    what: str
    ours: str
    rival: str
    ratio: float | None
    goal: Goal | None
    figure: float | None = None

    @property
    def verdict(self) -> str:
        """Whether the goal is reached."""
        value = self.ratio if self.figure is None else self.figure
        if self.goal is None or value is None:
            return ""
        return "yes" if self.goal.is_met(value) else "no"


@dataclass
class Rounds:
    """What each contestant took, round by round."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, figures: float | dict[str, float]) -> None:
        """Note what a contestant took in the round."""
        named = (
            {f"{name} {key}": value for key, value in figures.items()} if isinstance(figures, dict) else {name: figures}
        )
        for key, value in named.items():
            self.values.setdefault(key, []).append(value)

    def median(self, name: str) -> float:
        """The median of a contestant."""
        return statistics.median(self.values[name])

    def ratio(self, name: str, other: str) -> float:
        """The median over the rounds of `name` divided by `other`."""
        pairs = zip(self.values[name], self.values[other], strict=True)
        return statistics.median(a / b for a, b in pairs)

    def difference(self, name: str, other: str) -> float:
        """The median over the rounds of `name` minus `other`."""
        pairs = zip(self.values[name], self.values[other], strict=True)
        return statistics.median(a - b for a, b in pairs)

    def row(
        self, what: str, ours: str, rival: str, goal: Goal | None, *, unit: str = "ns", inverse: bool = False
    ) -> Row:
        """A line that sets `ours` against `rival`: ours/rival, or `inverse` for goals like "so many times less"."""
        ratio = self.ratio(rival, ours) if inverse else self.ratio(ours, rival)
        told = f"{rival}: {self.median(rival):.3g} {unit}"
        return Row(what, f"{self.median(ours):.3g} {unit}", told, ratio, goal)


def in_turns(contestants: Mapping[str, Callable[[], float | dict[str, float]]], rounds: int) -> Rounds:
    """Run every contestant once a round. The order turns by one each round, so that nobody always runs first.

    A contestant that returns several figures has each under its name and the figure's, with a space between.
    """
    told = Rounds()
    order = list(contestants)
    for _ in range(rounds):
        for name in order:
            told.add(name, contestants[name]())
        order = order[1:] + order[:1]
    return told


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    lines = ["| what | ours | rival or floor | ratio | goal | reached |", "|---|---|---|---|---|---|"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        goal = "" if row.goal is None else str(row.goal)
        lines.append(f"| {row.what} | {row.ours} | {row.rival} | {ratio} | {goal} | {row.verdict} |")
    return "\n".join(lines)


def machine() -> str:
    """The machine, the interpreter and the load, in one line."""
    model = next((line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), "unknown CPU")
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{model}, {os.cpu_count()} CPUs, {sys.platform}, Python {sys.version.split()[0]}, load {load}"


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def peak_mb() -> float:
    """The most memory that this process ever held, in MB; on Linux since it was started, not since its parent was."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def built(name: str) -> Path:
    """Compile `native/NAME.c` for this interpreter into a shared library, once for each content."""
    source = NATIVE / f"{name}.c"
    digest = hashlib.sha256(source.read_bytes() + sys.version.encode()).hexdigest()[:16]
    library = Path(tempfile.gettempdir()) / f"optap-bench-{digest}" / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not library.exists():
        _compile(source, library)
    return library


def native(name: str) -> ModuleType:
    """Compile `native/NAME.c` as `built` does, and import it."""
    library = built(name)
    spec = importlib.util.spec_from_file_location(name, library)
    if spec is None or spec.loader is None:
        raise ImportError(f"{library} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compile(source: Path, built: Path) -> None:
    built.parent.mkdir(parents=True, exist_ok=True)
    partial = built.with_suffix(f".{os.getpid()}")
    include = f"-I{sysconfig.get_path('include')}"
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    command = ["cc", "-O2", "-shared", "-fPIC", "-pthread", include, str(source), "-o", str(partial), *undefined]
    subprocess.run(command, check=True)
    partial.rename(built)
