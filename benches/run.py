"""Run benchmarks and print their tables: `python benches/run.py [--quick | --save] [NAME ...]`."""

from __future__ import annotations

import argparse
import importlib
import platform
import re
from pathlib import Path

from harness import Scale, machine, table

NAMES = (
    "event",
    "delivery",
    "throughput",
    "columns",
    "wakeup",
    "graph",
    "launch",
    "imports",
    "memory",
    "acl",
    "export",
    "summary",
    "annotate",
    "session",
)
README = Path(__file__).parent / "README.md"


def section(name: str, scale: Scale) -> str:
    """A benchmark's table under its heading."""
    module = importlib.import_module(name)
    at_start = machine()
    return f"## {name}, Python {platform.python_version()}\n\n{at_start}\n\n{table(module.run(scale))}\n"


def save(told: str) -> None:
    """Put a section into the README, in place of the one with the same heading."""
    heading = told.splitlines()[0]
    text = README.read_text()
    kept = re.sub(rf"^{re.escape(heading)}\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    README.write_text(f"{kept.rstrip()}\n\n{told}")


def main() -> None:
    """Run what the command line names, or everything."""
    parser = argparse.ArgumentParser(description="Benchmarks of optap against rivals and floors, in turns.")
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="NAME", help=", ".join(NAMES))
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="just enough to see that each one runs")
    how.add_argument("--save", action="store_true", help="put the tables into README.md")
    arguments = parser.parse_args()
    for name in arguments.names or NAMES:
        told = section(name, Scale(arguments.quick))
        print(told, flush=True)
        if arguments.save:
            save(told)


if __name__ == "__main__":
    main()
