"""The HTML report: in a real browser, and as the data it holds."""

import base64
import json
import re
import zlib
from pathlib import Path

import anyio
import numpy as np
import optap
import pytest
from browser import Browser
from hypothesis import given
from hypothesis import strategies as st
from optap.report.columns import column
from optap.report.html import write_html
from optap.testing import ScriptedModel

NAMES = [
    "</script><script>document.title='owned'</script>",
    "quote\"'&<b>",
    "\x1b[2J\udcff\x00",
    "y" * 10_000,
    "",
    "汉",
]
TYPES = ["MatMul", "<i>Relu</i>", "Conv"]


async def _record(count, **script):
    told = []
    async with ScriptedModel(count=count, **script) as model, optap.subscribe(model, capacity=count) as ops:
        await model.run()
        while sum(map(len, told)) < count:
            told.append(await ops.receive_batch(4096))
    return told


def record(count, **script):
    return anyio.run(lambda: _record(count, **script))


def in_turn(count, first_ns=1_000_000, durations_ns=(5_000, 40_000, 900)):
    """Times of ops one after the other."""
    times_ns, at_ns = [], first_ns
    for index in range(count):
        times_ns.append((at_ns, at_ns + durations_ns[index % len(durations_ns)]))
        at_ns = times_ns[-1][1] + 100
    return times_ns


def data_of(path):
    text = path.read_text("utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def decode(told):
    octets = np.frombuffer(zlib.decompress(base64.b64decode(told["base64"])), np.uint8)
    planes = octets.reshape(told["planes"], told["count"]).astype(np.uint64)
    return [
        int(sum(int(plane[at]) << (8 * power) for power, plane in enumerate(planes))) for at in range(told["count"])
    ]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """600 ops on two streams, with hostile names, two losses and two ops without a usable time."""
    path = tmp_path_factory.mktemp("report") / "small.html"
    times_ns = [*in_turn(300), (0, 5), (9, 4)]
    batches = record(604, names=NAMES, types=TYPES, times_ns=times_ns, streams=[7, 20], gaps={100: 3, 200: 4})
    write_html(batches, path, title='</title><script>alert(1)</script> & "co"')
    return path


@pytest.fixture(scope="module")
def page(small):
    with Browser() as browser:
        browser.open(small)
        yield browser
        assert browser.errors == []


def texts(page, selector):
    return page.get(f"[...document.querySelectorAll({selector!r})].map((one) => one.textContent)")


def cards(page):
    return dict(zip(texts(page, ".card span"), texts(page, ".card b"), strict=True))


def rows(page):
    return page.get(
        "[...document.querySelectorAll('#table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


def box(page):
    told = page.get("JSON.stringify(document.getElementById('timeline').getBoundingClientRect())")
    return [json.loads(told)[name] for name in ("x", "y", "width", "height")]


def search(page, text):
    page.get(f"document.getElementById('search').value = {text!r}")
    page.get("document.getElementById('search').dispatchEvent(new Event('input'))")


def shown(page):
    return page.get("document.getElementById('window').textContent")


def test_figures_stand_in_the_head(page):
    told = cards(page)
    assert (told["operators ran"], told["streams"]) == ("604", "2")
    assert (told["lost while recording"], told["without a usable time"]) == ("7", "4")
    assert page.get("document.querySelectorAll('.card.bad').length") == 2


def test_no_name_is_taken_for_markup(page, small):
    assert page.get("document.title") == '</title><script>alert(1)</script> & "co"'
    assert page.get("document.getElementById('title').textContent") == page.get("document.title")
    assert page.get("document.scripts.length") == 2
    names = {row[0] for row in rows(page)}
    assert {NAMES[0], NAMES[1], "\\x1b[2J\\udcff\\x00", "(no name)", "汉"} <= names
    assert page.get("document.querySelectorAll('i').length") == len(rows(page)) + page.get(
        "document.querySelectorAll('#legend button').length"
    )
    assert b"\x00" not in small.read_bytes()


def test_the_table_is_sorted_by_a_click_and_filtered_by_name(page):
    totals = [row[3] for row in rows(page)]
    assert totals == sorted(totals, key=lambda text: -float(text.split()[0]) * {"ms": 1000, "µs": 1}[text.split()[1]])
    page.get("document.querySelector('#table th').click()")
    names = [row[0] for row in rows(page)]
    page.get("document.querySelector('#table th').click()")
    assert [row[0] for row in rows(page)] == names[::-1]
    search(page, "汉")
    assert [row[0] for row in rows(page)] == ["汉"]
    search(page, "")
    assert len(rows(page)) == 6


def test_each_tab_has_its_rows(page):
    assert texts(page, "#tabs button") == ["Operators", "Types", "Streams"]
    page.get("document.querySelectorAll('#tabs button')[1].click()")
    assert sorted(row[0] for row in rows(page)) == sorted(TYPES)
    page.get("document.querySelectorAll('#tabs button')[2].click()")
    assert sorted(row[0] for row in rows(page)) == ["device 0 stream 20", "device 0 stream 7"]
    page.get("document.querySelectorAll('#tabs button')[0].click()")


def test_the_wheel_zooms_a_drag_moves_and_a_double_click_fits(page):
    x, y, width, height = box(page)
    fitted = shown(page)
    for _ in range(4):
        page.wheel(x + width / 2, y + height / 2, -300)
    zoomed = shown(page)
    page.mouse("mousePressed", x + 600, y + 30, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 400, y + 30, button="left")
    page.mouse("mouseReleased", x + 400, y + 30, button="left", clickCount=1)
    page.frame()
    moved = shown(page)
    assert len({fitted, zoomed, moved}) == 3
    assert zoomed.split(", ")[1] == moved.split(", ")[1] != fitted.split(", ")[1]
    page.key("0")
    page.get("document.getElementById('fit').click()")
    page.frame()
    assert shown(page) == fitted


def test_a_hand_over_an_op_tells_its_name_and_a_click_marks_all_alike(page):
    x, y, width, height = box(page)
    found = None
    for at in range(200, int(width), 3):
        page.mouse("mouseMoved", x + at, y + height - 20)
        if not page.get("document.getElementById('tip').hidden"):
            found = at
            break
    assert found is not None
    told = page.get("document.getElementById('tip').textContent")
    assert "device 0 stream" in told
    assert "took" in told
    page.click(x + found, y + height - 20)
    assert not page.get("document.getElementById('selection').hidden")
    before = shown(page)
    page.get("document.getElementById('next').click()")
    page.frame()
    assert shown(page) != before
    page.get("document.getElementById('clear').click()")
    page.get("document.getElementById('fit').click()")
    page.frame()
    assert page.get("document.getElementById('selection').hidden")


def test_the_theme_is_that_of_the_system_until_it_is_changed(page, small):
    assert page.get("document.documentElement.dataset.theme") == "light"
    light = page.get("getComputedStyle(document.body).backgroundColor")
    page.get("document.getElementById('theme').click()")
    assert page.get("document.documentElement.dataset.theme") == "dark"
    assert page.get("getComputedStyle(document.body).backgroundColor") != light
    page.get("document.getElementById('theme').click()")
    with Browser(scheme="dark") as dark:
        dark.open(small)
        assert dark.get("document.documentElement.dataset.theme") == "dark"
        assert dark.errors == []


def test_ops_are_painted_where_they_ran(page):
    """Counts the pixels of a lane that are not those of its background."""
    script = """(() => {
      const canvas = document.getElementById('timeline');
      const row = canvas.getContext('2d').getImageData(132, canvas.height - 20, canvas.width - 132, 1).data;
      const told = new Set();
      for (let at = 0; at < row.length; at += 4) told.add(row.slice(at, at + 3).join());
      return told.size;
    })()"""
    assert page.get(script) > 2


@pytest.mark.timeout(180)
def test_a_million_ops_are_a_page_that_opens(tmp_path):
    path, count = tmp_path / "large.html", 1_000_000
    chunk = record(250_000, names=["a", "b", "c"], types=TYPES, times_ns=in_turn(250_000), streams=[0, 1])
    write_html(chunk * 4, path, title="large")
    assert path.stat().st_size < 20e6
    data = data_of(path)
    assert data["count"] == count
    assert sum(data["ops"]["counts"]) == 500_000
    with Browser() as browser:
        browser.open(path)
        assert cards(browser)["operators ran"] == "1,000,000"
        assert "500,000 shortest ones" in browser.get("document.getElementById('notes').textContent")
        for _ in range(5):
            browser.wheel(700, 400, -300)
        assert browser.errors == []


def test_no_ops_are_a_page_too(tmp_path):
    write_html([], tmp_path / "empty.html")
    with Browser() as browser:
        browser.open(tmp_path / "empty.html")
        assert cards(browser)["operators ran"] == "0"
        assert browser.errors == []


TIMES_NS = [(0, 0), (5, 0), (10, 4), (7, 7), (2**63, 2**63 + 5), (2**64 - 1, 0), (1, 2**64 - 1), (1_000, 2_500)]


def test_impossible_times_are_counted_and_extreme_ones_drawn(tmp_path):
    path = tmp_path / "times.html"
    write_html(record(len(TIMES_NS), times_ns=TIMES_NS), path, max_ops=2)
    data = data_of(path)
    assert (data["count"], data["untimed"], sum(data["ops"]["counts"])) == (8, 4, 2)
    with Browser() as browser:
        browser.open(path)
        browser.wheel(700, 400, -300)
        assert browser.errors == []


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_a_column_gives_back_its_values(values):
    assert decode(column(np.array(values, np.uint64))) == values


def test_the_timeline_keeps_the_longest_ops_and_the_time_of_the_others(tmp_path):
    path = tmp_path / "longest.html"
    times_ns = in_turn(100, durations_ns=(10, 1_000, 20, 500))
    write_html(record(1_000, times_ns=times_ns * 10, names=["a"]), path, max_ops=300)
    data = data_of(path)
    assert sorted(set(decode(data["ops"]["durations"]))) == [500, 1_000]
    (shares,) = data["density"]["lanes"].values()
    assert sum(shares) > 0
    assert data["tables"]["name"]["top"][0][4] == 1_000


def test_a_report_needs_room_for_an_op(tmp_path):
    with pytest.raises(ValueError, match="max_ops=0"):
        write_html([], tmp_path / "x.html", max_ops=0)


def test_a_path_that_cannot_be_written_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_html([], tmp_path / "missing" / "x.html")


def test_the_page_loads_nothing():
    folder = Path(optap.__file__).parent / "report" / "page"
    text = "".join(path.read_text("utf-8") for path in folder.iterdir())
    addresses = set(re.findall(r"https?://[^\s\"']+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert "default-src 'none'" in text
