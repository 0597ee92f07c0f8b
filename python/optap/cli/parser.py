"""The grammar of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn, get_args

from optap._closest import closest
from optap.cli.completion import SHELLS, completion
from optap.cli.diff import diff
from optap.cli.doctor import doctor
from optap.cli.exec import exec_script
from optap.cli.export import export_inputs
from optap.cli.failure import USAGE, tell
from optap.cli.run import run
from optap.cli.stats import stats
from optap.cli.summary import JSON_KEYS
from optap.summary import By, Sort
from optap.targets import FORMATS

__all__ = ("make_parser",)

_MOST_DIGITS = 18

_EXAMPLES = """\
examples:
  optap run model.onnx                          run it once, on inputs made from its own shapes
  optap run model.onnx --repeat 200 --trace trace.json
  optap stats PROF_000001_x --by type           where the time of a profile went
  optap diff before/ after/ --fail-above 5%     what became slower
  optap exec infer.py                           run a pyACL script without an NPU
  optap export PROF_000001_x -o trace.pftrace   turn a profile into a trace, tables, Parquet, ...
  optap doctor                                  what was found, and what runs where
"""

_RUN_EXAMPLES = f"""\
examples:
  optap run model.onnx --repeat 100 --concurrency 4
  optap run model.onnx --input image=cat.npy --json summary.json
  optap run model.onnx --shape image=8x3x224x224 --trace trace.json
  optap run model.onnx --json - | jq '.operators[:3]'
  optap run model.onnx --repeat 50 --profile profiles

exit codes: 0 all went well, 1 the run failed, 2 what was given cannot be used,
130 Ctrl-C (the summary of what was seen is printed)

{JSON_KEYS}
"""

_STATS_EXAMPLES = """\
examples:
  optap stats PROF_000001_20260101000000000_x
  optap stats profiles/ --by step
  optap stats profiles/ --by type --sort p99 --limit 5
  optap stats profiles/ --by name --csv > operators.csv
  optap stats profiles/ --json | jq '.rows[:3]'

On a terminal, names are cut so that the table fits, and 30 rows are shown; elsewhere all is told in full.
All times in CSV and JSON are nanoseconds; quantiles are off by at most 0.8 %.

exit codes: 0 all went well, 1 nothing can be read, 2 there is no such input
"""

_DIFF_EXAMPLES = """\
examples:
  optap diff before/ after/
  optap diff before/ after/ --by type --all
  optap diff main/ branch/ --fail-above 5%      for CI: 1 where anything is clearly slower by more
  optap diff before/ after/ --json | jq '.changes[] | select(.verdict == "slower")'

An input is a profile or a folder of several. Each operator's median is told, its change, what that comes to in
all, the probability p of such a difference by chance (Mann-Whitney on medians of at most 32 blocks, adjusted
for the number of operators after Holm), and the verdict: slower or faster where p is below 0.05 and the change
not below --min-change; unclear where p is not; new and gone where it ran on one side only.

exit codes: 0 all went well, 1 something is slower than --fail-above allows, or nothing can be read,
2 there is no such input
"""

_DOCTOR_EXAMPLES = """\
examples:
  optap doctor
  ASCEND_HOME_PATH=/usr/local/Ascend/ascend-toolkit/latest optap doctor

exit codes: 0 all that is in use works, 1 a check failed
"""

_EXEC_EXAMPLES = """\
examples:
  optap exec infer.py                           import acl is the embedded runtime, for this run
  OPTAP_DEVICES=3 optap exec infer.py --images images/
  OPTAP_FAULTS=conv1@2:error OPTAP_LOG=info optap exec infer.py

exit codes: those of the script; 1 it raised, 2 there is no such script
"""

_EXPORT_EXAMPLES = """\
examples:
  optap export PROF_000001_x -o trace.pftrace   open it in https://ui.perfetto.dev
  optap export PROF_000001_x --to csv -o out    out/op_summary.csv, out/op_statistic.csv, ...
  optap export profiles/ -o ops.parquet         all PROF_* directories in a folder
  optap export PROF_* --to parquet -o lake      adds lake/date=YYYY-MM-DD/host=NAME/....parquet
  optap export ops.parquet --to prof -o .       a PROF_* directory, which msprof parses

exit codes: 0 all went well, 1 an input cannot be read or the output cannot be written,
2 what was given cannot be used, 130 Ctrl-C; the output is complete, or not there
"""

_COMPLETION_EXAMPLES = """\
examples:
  eval "$(optap completion bash)"               in ~/.bashrc
  eval "$(optap completion zsh)"                in ~/.zshrc, after compinit
  optap completion fish | source                in ~/.config/fish/config.fish
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say it in one line, with what a misspelt word was probably meant to be."""
        told, _, _ = message.partition(", maybe you meant")  # Python 3.14 asks, too
        misspelt = re.search(r"invalid choice: '([^']*)'|unrecognized arguments: (-[^\s=]*)", told)
        hint = closest(misspelt[1] or misspelt[2], _words(self)) if misspelt else ""
        tell(f"{told}{hint} (see {self.prog} --help)")
        raise SystemExit(USAGE)


def _words(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Options and choices of the parser, and of those below."""
    for action in parser._actions:
        yield from action.option_strings
        yield from map(str, action.choices or ())
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _words(command)


def make_parser() -> argparse.ArgumentParser:
    """The parser; what it parses has the function to call as `command`."""
    parser = _Parser(
        prog="optap",
        description="Tap the stream of operators that a model executes.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"optap {version('optap')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_run(_command(commands, "run", "run a model and tell where its time goes", _RUN_EXAMPLES))
    _add_stats(_command(commands, "stats", "tell where the time of a profile went", _STATS_EXAMPLES))
    _add_diff(_command(commands, "diff", "tell which operators became slower or faster", _DIFF_EXAMPLES))
    _add_exec(_command(commands, "exec", "run a pyACL script without an NPU", _EXEC_EXAMPLES))
    _add_export(_command(commands, "export", "turn what was recorded into files that others open", _EXPORT_EXAMPLES))
    _command(commands, "doctor", "tell what was found, and what runs where", _DOCTOR_EXAMPLES).set_defaults(
        command=doctor
    )
    _add_completion(
        _command(commands, "completion", "print what a shell sources to complete optap", _COMPLETION_EXAMPLES)
    )
    return parser


def _command(
    commands: argparse._SubParsersAction[_Parser], name: str, what: str, epilog: str
) -> argparse.ArgumentParser:
    description = f"{what[0].upper()}{what[1:]}."
    formatter = argparse.RawDescriptionHelpFormatter
    return commands.add_parser(name, help=what, description=description, epilog=epilog, formatter_class=formatter)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=run)
    parser.add_argument("model", metavar="MODEL.onnx", type=Path, help="the model")
    parser.add_argument(
        "--input", metavar="NAME=FILE.npy", action="append", default=[], help="an input, as numpy.save wrote it"
    )
    parser.add_argument(
        "--shape", metavar="NAME=SIZES", action="append", default=[],
        help="the shape of an input that is made, such as 1x3x224x224 or scalar; open dimensions are 1 without it",
    )  # fmt: skip
    parser.add_argument("--repeat", metavar="N", type=_count, default=1, help="how many runs (default: 1)")
    parser.add_argument("--concurrency", metavar="N", type=_count, default=1, help="runs at a time (default: 1)")
    parser.add_argument("--device", metavar="ID", type=_id, default=0, help="device to run on (default: 0)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the summary as JSON; - for standard output")
    parser.add_argument("--trace", metavar="FILE", type=Path, help="write a trace that https://ui.perfetto.dev opens")
    parser.add_argument("--profile", metavar="DIR", type=Path, help="write a PROF_* directory there, for msprof")


def _add_stats(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=stats)
    parser.add_argument("inputs", metavar="INPUT", nargs="+", type=Path, help="a profile, or a folder of several")
    parser.add_argument("--by", choices=get_args(By), default="name", help="what makes a row (default: name)")
    parser.add_argument(
        "--sort", choices=get_args(Sort), help="the greatest first (default: total; name, by step)"
    )  # fmt: skip
    parser.add_argument("--limit", metavar="N", type=_id, help="rows shown at most; 0 for all")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print JSON, all rows")
    how.add_argument("--csv", action="store_true", help="print CSV, all rows")


def _add_diff(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=diff)
    parser.add_argument("before", metavar="BEFORE", type=Path, help="a profile, or a folder of several")
    parser.add_argument("after", metavar="AFTER", type=Path, help="the same of what is compared with it")
    parser.add_argument(
        "--by", choices=("name", "type"), default="name", help="compare operators or types (default: name)"
    )
    parser.add_argument(
        "--min-change", metavar="PART", type=_part, default=0.01, help="smaller changes are none (default: 1%%)"
    )
    parser.add_argument(
        "--fail-above", metavar="PART", type=_part, help="exit with 1 if anything is clearly slower by more"
    )
    parser.add_argument("--all", action="store_true", help="show also what is the same or unclear")
    parser.add_argument("--limit", metavar="N", type=_id, help="rows shown at most; 0 for all")
    parser.add_argument("--json", action="store_true", help="print JSON, all operators")


def _add_exec(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=exec_script)
    parser.add_argument("script", metavar="SCRIPT.py", type=Path, help="the script")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="the script's own arguments")


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=export_inputs)
    parser.add_argument(
        "inputs", metavar="INPUT", nargs="+", type=Path,
        help="a PROF_* directory, a database or table of msprof, a file of optap, or a folder of them",
    )  # fmt: skip
    parser.add_argument("--to", choices=FORMATS, help="the format (default: what the name of the output says)")
    parser.add_argument("-o", "--output", metavar="PATH", type=Path, required=True, help="the file or folder to write")
    parser.add_argument("--force", action="store_true", help="replace the output if it exists")


def _add_completion(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=completion)
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def _part(text: str) -> float:
    """A part as a percentage or a number: 5% and 0.05 are the same."""
    try:
        part = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        part = -1.0
    if not 0 <= part < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no part such as 5% or 0.05")
    return part


def _id(text: str) -> int:
    return _whole(text, 0)


def _count(text: str) -> int:
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    is_whole = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if not is_whole or int(text) < least:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no whole number from {least} up, of at most {_MOST_DIGITS} digits"
        )
    return int(text)
