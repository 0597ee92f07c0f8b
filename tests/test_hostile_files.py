"""Whatever the bytes of a file are: a table with what is readable, or an `OSError`."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import optap
import pytest
from files import batch, records
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = {"parquet": "x.parquet", "arrow": "x.arrow", "msprof-db": "x.db", "chrome": "x.json", "csv": "x.csv"}
COUNT = 300


def sound(to: str) -> bytes:
    given = batch(records(COUNT, op_id=np.arange(COUNT) % 3), ["conv", "\udcff"], gap=3)
    with TemporaryDirectory() as folder:
        return optap.export(given, Path(folder) / NAMES[to], to).path.read_bytes()


SOUND = {to: sound(to) for to in NAMES}

changes = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(["set", "insert", "remove", "cut"]),
        st.binary(min_size=1, max_size=16),
    ),
    min_size=1,
    max_size=5,
)


def changed(content: bytes, changes: list[tuple[float, str, bytes]]) -> bytes:
    for place, how, piece in changes:
        at = int(place * len(content))
        rest = {"set": at + len(piece), "insert": at, "remove": at + len(piece)}.get(how, len(content))
        content = content[:at] + (piece if how in {"set", "insert"} else b"") + content[rest:]
    return content


@pytest.mark.parametrize("to", NAMES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(changes=changes)
def test_a_changed_file_is_read_or_refused(to: str, changes: list[tuple[float, str, bytes]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / NAMES[to]
        path.write_bytes(changed(SOUND[to], changes))
        try:
            table = optap.read(path)
        except OSError:
            return
        assert len(list(table)) == len(table) <= 10 * COUNT


@pytest.mark.parametrize("to", NAMES)
def test_an_unchanged_file_is_read(to: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / NAMES[to]
        path.write_bytes(SOUND[to])
        assert len(optap.read(path)) == COUNT
