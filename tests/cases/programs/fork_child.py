"""Forks while a thread reads, and tells in JSON what the parent got; see P6."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable

import anyio
import optap
from optap.testing import ScriptedModel

COUNT, BACKEND, ACTION = int(sys.argv[1]), sys.argv[2], sys.argv[3]
seen: list[int] = []


async def consume(ops: optap.Subscription) -> None:
    async for op in ops:
        seen.append(op.sequence)
        if op.sequence == COUNT - 1:
            return


def refuses(use: Callable[[], object]) -> bool:
    try:
        use()
    except optap.OptapError as error:
        return "parent process" in str(error)
    return False


def use_inherited(ops: optap.Subscription, model: ScriptedModel) -> int:
    """Every use of what the parent opened is an immediate, clear error."""
    uses = [
        lambda: next(ops),
        lambda: anyio.run(ops.receive, backend=BACKEND),
        lambda: anyio.run(ops.receive_batch, backend=BACKEND),
        lambda: anyio.run(consume, ops, backend=BACKEND),
        ops.statistics,
        model.start,
        lambda: optap.subscribe(model),
    ]
    refused = [refuses(use) for use in uses]
    ops.close()
    return 0 if all(refused) else 10 + refused.index(False)


async def run_own() -> int:
    async with ScriptedModel(count=10) as model, optap.subscribe(model) as ops:
        await model.run()
        taken = [(await ops.receive()).sequence for _ in range(10)]
    return 0 if taken == list(range(10)) else 1


def open_own(*_: object) -> int:
    return anyio.run(run_own, backend=BACKEND)


def in_child(ops: optap.Subscription, model: ScriptedModel) -> None:
    if ACTION == "inherited":
        os._exit(use_inherited(ops, model))
    if ACTION == "own":
        os._exit(open_own())
    if ACTION == "hard_exit":
        os._exit(0)
    sys.exit(0)


def wait_for(child: int, limit_s: float = 10) -> int | None:
    """The child's exit code; `None` if it hangs, and is killed."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def main() -> None:
    with ScriptedModel(count=COUNT, rate=5000) as model, optap.subscribe(model) as ops:
        reader = threading.Thread(target=lambda: anyio.run(consume, ops, backend=BACKEND))
        reader.start()
        model.start()
        while len(seen) < 1000:
            time.sleep(0.001)
        child = os.fork()
        if child == 0:
            in_child(ops, model)
        code = wait_for(child)
        reader.join(COUNT / 5000 + 30)
        told = {"child": code, "in_order": seen == list(range(COUNT)), "seen": len(seen)}
        print(json.dumps(told | ops.statistics()._asdict()))


main()
