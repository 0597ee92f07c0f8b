"""Label files with Google's Magika model, and watch its operators run, live.

Run it with `make demo`. The model comes from the installed `magika` wheel; nothing else of the wheel is used.
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import anyio
import numpy as np
import optap
from optap._core import ChromeTraceWriter
from optap.cli.live import live
from optap.cli.operators import OperatorTimes
from optap.cli.table import plain_table

REPOSITORY = Path(__file__).resolve().parent.parent
TRACE = REPOSITORY / "build" / "magika_trace.json"
FILES = ("*.*", "Makefile", "LICENSE", "tools/*", "rust/**/lib.rs", "python/**/*.py", "python/optap/*.so")
ROWS = 12


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


async def watch(ops: optap.Subscription, times: OperatorTimes, trace: ChromeTraceWriter) -> None:
    """The reading side: every operator that runs arrives here, in batches, while the model goes on."""
    async for batch in ops.batches():
        times.add(batch)
        trace.write(batch)


async def label(model: optap.Model, path: Path, config: dict) -> str:
    """The serving side: one run of the model for one file."""
    outputs = await model.run(encode(await anyio.Path(path).read_bytes(), config))
    scores = outputs["target_label"][0]
    best = int(scores.argmax())
    return f"{scores[best]:7.1%}  {config['target_labels_space'][best]:<12} {path.relative_to(REPOSITORY)}"


async def main() -> None:
    folder = find_model()
    config = json.loads((folder / "config.min.json").read_text())
    paths = [path for pattern in FILES for path in sorted(REPOSITORY.glob(pattern)) if path.is_file()]
    times, trace = OperatorTimes(), ChromeTraceWriter(TRACE)
    async with optap.open_device(0) as device:
        model = await device.load_model(folder / "model.onnx", name="magika")
        async with optap.subscribe(model) as ops, anyio.create_task_group() as tasks:
            tasks.start_soon(watch, ops, times, trace)
            start = anyio.current_time()
            async with live(times, limit=ROWS) as say:
                for path in paths:
                    say(await label(model, path, config))
            seconds = anyio.current_time() - start
            await ops.aclose()
    trace.close()
    dropped = sum(ops.statistics().dropped.values())
    print(f"\n{plain_table(times.rows(), ROWS)}\n")
    print(f"{len(paths)} files, {times.records:,} records in {seconds:.1f} s", end=": ")
    print(f"{times.records / seconds:,.0f} records/s, {dropped} dropped")
    print(f"trace: {TRACE} (open it in https://ui.perfetto.dev)")


if __name__ == "__main__":
    TRACE.parent.mkdir(exist_ok=True)
    anyio.run(main)
