"""P8: names of any text and any length."""

from __future__ import annotations

import optap
import pytest
from optap.testing import ScriptedModel
from support import play, until_names_are

pytestmark = pytest.mark.anyio

LENGTHS = (64, 65, 66, 254, 255, 274, 275, 276, 10_000)
LONG = "n" * 300

NAMES = [
    "",
    *(f"{length}:".ljust(length, "x") for length in LENGTHS),
    "a" * 64 + "中文算子",
    "a" * 274 + "中文算子",
    "🙂 op 🙃",
    b"invalid \xff byte".decode("utf-8", "surrogateescape"),
    'quote " backslash \\ newline \n end',
    "control \x01 and nul \x00 end",
    LONG + "one",
    LONG + "two",
]


@pytest.fixture(params=["names", "types"])
def which(request: pytest.FixtureRequest) -> str:
    return request.param


def scripted(which: str) -> ScriptedModel:
    types = NAMES if which == "types" else ["Scripted"]
    return ScriptedModel(count=len(NAMES), names=NAMES, types=types)


def label(op: optap.Op, which: str) -> str:
    return op.name if which == "names" else op.type


async def test_each_read_gives_the_same_text(which: str) -> None:
    async with scripted(which) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        seen = [await ops.receive() for _ in NAMES]
        for _ in range(2):
            assert [label(op, which) for op in seen] == NAMES


async def test_a_batch_gives_the_same_text(which: str) -> None:
    async with scripted(which) as model, optap.subscribe(model) as ops:
        await play(model, ops)
        batch = await ops.receive_batch(len(NAMES))
        assert [label(op, which) for op in batch] == NAMES
        texts = batch.names if which == "names" else batch.types
        assert [texts[op_id] for op_id in batch.array["op_id"].tolist()] == NAMES


async def test_each_run_gives_the_same_text(which: str) -> None:
    async with scripted(which) as model, optap.subscribe(model) as ops:
        for _ in range(3):
            await play(model, ops)
            assert [label(await ops.receive(), which) for _ in NAMES] == NAMES


async def test_a_tuple_gives_the_same_text() -> None:
    async with scripted("types") as model, optap.subscribe(model, fields=["name", "type"]) as ops:
        await play(model, ops)
        assert [await ops.receive() for _ in NAMES] == [(name, name) for name in NAMES]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
async def test_a_filter_finds_each_by_its_name(name: str) -> None:
    async with scripted("names") as model, optap.subscribe(model, where=optap.where(name=name)) as ops:
        await play(model, ops)
        assert ops.statistics().produced == 1
        assert (await ops.receive()).name == name


async def test_names_that_nobody_read_go_with_their_model() -> None:
    before = optap._core.name_table()[0]
    for number in range(50):
        async with (
            ScriptedModel(count=1, names=[f"fresh {number}"]) as model,
            optap.subscribe(model) as ops,
        ):
            await play(model, ops)
        del model, ops
    await until_names_are(before)
