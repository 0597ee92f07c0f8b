"""The pages say what the code says."""

from __future__ import annotations

import argparse
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from optap.cli.parser import make_parser

DOCS = Path(__file__).parents[2] / "docs"


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield name
                yield from options(command)
        yield from action.option_strings


def test_the_tables_of_errors_are_those_of_the_code() -> None:
    tables = runpy.run_path(str(DOCS / "tables.py"))
    page = tables["PAGE"].read_text("utf-8")
    assert tables["fill"](page) == page, "run `python docs/tables.py`"
    assert page.count("\n| 507") > 10


@pytest.mark.parametrize("option", sorted(set(options(make_parser())) - {"-h", "--help"}))
def test_the_page_of_the_command_line_has_every_option(option: str) -> None:
    assert option in (DOCS / "cli.md").read_text("utf-8")


@pytest.mark.parametrize("variable", ["OPTAP_DEVICES", "OPTAP_WORKERS", "OPTAP_PLANS", "OPTAP_CONTEXT_CALLS"])
def test_the_page_of_platforms_has_every_variable(variable: str) -> None:
    read = [path for path in (DOCS.parent / "rust").rglob("src/**/*.rs") if variable in path.read_text("utf-8")]
    assert read, f"nothing reads {variable}"
    assert variable in (DOCS / "platforms.md").read_text("utf-8")
