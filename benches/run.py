"""Run benchmarks and print their table: `python benches/run.py [--quick] [NAME ...]`."""

from __future__ import annotations

import argparse
import importlib

from harness import Scale, machine, table

NAMES = ("event", "delivery", "throughput", "columns", "wakeup", "graph", "launch", "imports", "memory")


def main() -> None:
    """Run what the command line names, or everything."""
    parser = argparse.ArgumentParser(description="Benchmarks of optap against rivals and floors, in turns.")
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="just enough to see that each one runs")
    arguments = parser.parse_args()
    for name in arguments.names or NAMES:
        print(f"## {name}\n\n{machine()}\n", flush=True)
        print(table(importlib.import_module(name).run(Scale(arguments.quick))), flush=True)
        print()


if __name__ == "__main__":
    main()
