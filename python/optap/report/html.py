"""The report as a file: data and page put together."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from optap._source import Source
from optap.batch import Batch

__all__ = ("HtmlFile", "write_html")

_SCRIPTS = (
    "bytes",
    "text",
    "dom",
    "colors",
    "view",
    "marks",
    "lanes",
    "timeline",
    "hand",
    "table",
    "chart",
    "head",
    "main",
)
_ESCAPED = str.maketrans({one: f"\\u{ord(one):04x}" for one in "<>&"})


def write_html(source: Source, path: str | PathLike[str], *, title: str = "", max_ops: int = 500_000) -> None:
    """Write a report that a browser opens, without a network: timeline, operators, steps and what was lost.

    All figures are of all ops. The timeline shows ranges, steps, marks and at most `max_ops` ops, the longest ones, and
    says so; the others show in it as the share of time that they took.

    The steps and ranges of a table are known ahead of its ops. Of batches, which can be read once, they are not:
    see `Summary`.

    Args:
        source: What `read` gave, or batches.
        path: The file, which is written anew. 100,000 ops take about half a megabyte.
        title: The heading; by default what the source tells of itself.
        max_ops: Ops in the timeline at most.

    Raises:
        OSError: The file cannot be written.
        ValueError: `max_ops` is below 1.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "report.html"
        ...     write_html([], path, title="Nothing yet")
        ...     "Nothing yet" in path.read_text("utf-8")
        True
    """
    if max_ops < 1:
        raise ValueError(f"max_ops={max_ops} must be 1 or more")
    report = import_module("optap.report.gather").gather(source, max_ops)
    Path(path).write_text(_page(report.told(source, title)), "utf-8")


class HtmlFile:
    """A report of batches as they come; what `optap.FileWriter` writes to.

    >>> import tempfile
    >>> file = HtmlFile(Path(tempfile.mkdtemp()) / "report.html")
    >>> file.close()
    """

    skipped = 0
    """Records left out: none, for a report tells of all."""

    def __init__(self, path: Path, max_ops: int = 500_000) -> None:
        self._path = path
        path.touch()  # to fail early where it cannot be made
        self._report = import_module("optap.report.gather").Report(max_ops)

    def write(self, batch: Batch) -> None:
        """Count the ops of `batch`."""
        self._report.add(batch)

    def close(self) -> None:
        """Write the report."""
        self._path.write_text(_page(self._report.told(())), "utf-8")

    def abort(self) -> None:
        """Nothing is held that could be given back."""


def _page(data: dict[str, Any]) -> str:
    page, dumps = Path(__file__).parent / "page", import_module("json").dumps
    parts = {
        "title": import_module("html").escape(data["title"]),
        "style": (page / "style.css").read_text("utf-8"),
        "script": "\n".join((page / f"{name}.js").read_text("utf-8") for name in _SCRIPTS),
        "data": dumps(data, separators=(",", ":")).translate(_ESCAPED),
    }
    pieces = (page / "page.html").read_text("utf-8").split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))
