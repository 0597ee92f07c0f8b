"""Label files with Google's Magika model, and watch its operators run, live.

Run it with `make demo`, or with files and folders of yours. The model comes from the installed `magika` wheel; nothing
else of the wheel is used.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import anyio
import numpy as np
import optap

REPOSITORY = Path(__file__).resolve().parent.parent
TRACE = REPOSITORY / "build" / "magika_trace.json"
FILES = ("*.*", "Makefile", "LICENSE", "tools/*", "rust/**/lib.rs", "python/**/*.py", "python/optap/*.so")
ROWS = 12


class Operators:
    """What the reading side learns: how often each operator ran, and for how long."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.total_ns: Counter[tuple[str, str]] = Counter()

    def add(self, batch: optap.Batch) -> None:
        """Count the ops of `batch`."""
        for name, kind, duration_ns in batch.rows("name", "type", "duration_ns"):
            self.counts[name, kind] += 1
            self.total_ns[name, kind] += duration_ns or 0

    def table(self) -> Iterator[str]:
        """The lines of a table, the operator with the most time first."""
        all_ns = self.total_ns.total() or 1
        yield f"{'operator':<58} {'type':<12} {'count':>7} {'total':>10} {'share':>6}"
        for (name, kind), ns in self.total_ns.most_common(ROWS):
            count = self.counts[name, kind]
            yield f"{name[-58:]:<58} {kind[:12]:<12} {count:>7,} {ns / 1e6:>7.2f} ms {ns / all_ns:>6.1%}"
        if (left := len(self.counts) - ROWS) > 0:
            yield f"{left} more operators"


def find_model() -> Path:
    """The folder of the model inside the wheel, found without importing the wheel."""
    wheel = find_spec("magika")
    if wheel is None or wheel.origin is None:
        sys.exit("magika_live: no Magika model; install it with: pip install --no-deps magika")
    return Path(wheel.origin).parent / "models" / "standard_v3_3"


def encode(content: bytes, config: dict) -> np.ndarray:
    """What the model takes: the beginning and the end of a file, padded to a fixed size."""
    begin, end, padding = config["beg_size"], config["end_size"], config["padding_token"]
    tokens = np.full((1, begin + end), padding, np.int32)
    head = content[: config["block_size"]].lstrip()[:begin]
    tail = content[-config["block_size"] :].rstrip()[-end:]
    tokens[0, : len(head)] = list(head)
    tokens[0, begin + end - len(tail) :] = list(tail)
    return tokens


async def watch(ops: optap.Subscription, operators: Operators, trace: optap.ChromeTraceWriter) -> None:
    """The reading side: every operator that runs arrives here, in batches, while the model goes on."""
    async for batch in ops.batches():
        operators.add(batch)
        trace.write(batch)
        if sys.stderr.isatty():
            print(f"\r{operators.counts.total():,} operators so far ", end="\r", file=sys.stderr, flush=True)


async def label(model: optap.Model, path: Path, config: dict) -> str:
    """The serving side: one run of the model for one file."""
    outputs = await model.run(encode(await anyio.Path(path).read_bytes(), config))
    scores = outputs["target_label"][0]
    best = int(scores.argmax())
    shown = path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path
    return f"{scores[best]:7.1%}  {config['target_labels_space'][best]:<12} {shown}"


def find_files(given: Iterable[Path]) -> Iterator[Path]:
    """The files among what was given, and those in its folders."""
    for path in given:
        if not path.exists():
            sys.exit(f"magika_live: {path}: no such file or folder")
        yield from (one for one in (sorted(path.rglob("*")) if path.is_dir() else [path]) if one.is_file())


async def main(paths: list[Path], trace_path: Path) -> None:
    folder = find_model()
    config = json.loads((folder / "config.min.json").read_text())
    operators = Operators()
    async with optap.open_device(0) as device:
        model = await device.load_model(folder / "model.onnx", name="magika")
        with optap.ChromeTraceWriter(trace_path) as trace:
            async with optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
                tasks.start_soon(watch, ops, operators, trace)
                start = anyio.current_time()
                for path in paths:
                    print(await label(model, path, config), flush=True)
                seconds = anyio.current_time() - start
                await ops.aclose()
    records, dropped = operators.counts.total(), sum(ops.statistics().dropped.values())
    print("", *operators.table(), "", sep="\n")
    print(f"{len(paths)} files, {records:,} records in {seconds:.1f} s", end=": ")
    print(f"{records / max(seconds, 1e-9):,.0f} records/s, {dropped} dropped")
    print(f"trace: {trace_path} (open it in https://ui.perfetto.dev)", flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Label files with Magika, and watch its operators run, live.")
    parser.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="files and folders (default: this project)")
    parser.add_argument("--trace", metavar="FILE", type=Path, default=TRACE, help=f"the trace (default: {TRACE})")
    return parser.parse_args()


if __name__ == "__main__":
    args = parse()
    given = args.paths or (path for pattern in FILES for path in sorted(REPOSITORY.glob(pattern)) if path.is_file())
    args.trace.parent.mkdir(exist_ok=True, parents=True)
    code = 0
    try:
        anyio.run(main, list(find_files(given)), args.trace)
    except* BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left of the output has no reader
        code = 141
    except* OSError as errors:
        print(f"magika_live: {errors.exceptions[0]}", file=sys.stderr)
        code = 1
    except* KeyboardInterrupt:
        print("magika_live: interrupted", file=sys.stderr)
        code = 130
    sys.exit(code)
