"""Every example in a docstring, and every one in a page, runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import optap
import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^(?P<indent>[ ]*)```python[ ]*(?P<tag>[^\n]*)\n(?P<code>.*?)^[ ]*```[ ]*$", re.M | re.S)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def module_names() -> list[str]:
    found = (info.name for info in pkgutil.walk_packages(optap.__path__, "optap."))
    return ["optap", *(name for name in found if not name.endswith("__main__"))]


def pages() -> list[Path]:
    return [page for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))] if page.exists()]


def blocks(page: Path) -> Iterator[tuple[int, str]]:
    """Line and code of each block that is to run."""
    text = page.read_text()
    for match in BLOCK.finditer(text):
        if "notest" in match["tag"]:
            continue
        indent = len(match["indent"])
        code = "\n".join(line[indent:] for line in match["code"].splitlines())
        yield text.count("\n", 0, match.start("code")) + 1, code


@pytest.mark.parametrize("name", module_names())
def test_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    told: list[str] = []
    for case in finder.find(module, name):
        runner.run(case, out=told.append)
    assert not runner.failures, "".join(told)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_run_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for line, code in blocks(page):
        if code.lstrip().startswith(">>>"):
            run_session(code, namespace, page, line)
        else:
            tree = ast.increment_lineno(ast.parse(code, str(page)), line - 1)
            exec(compile(tree, str(page), "exec"), namespace)


def run_session(code: str, namespace: dict[str, object], page: Path, line: int) -> None:
    """Runs an interactive session, with the names of the blocks before it."""
    case = doctest.DocTestParser().get_doctest(code + "\n", namespace, page.name, str(page), line - 1)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    told: list[str] = []
    runner.run(case, out=told.append, clear_globs=False)
    namespace.update(case.globs)
    assert not runner.failures, "".join(told)
