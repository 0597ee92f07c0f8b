"""The tables of `docs/errors.md`, made from what they describe. `python docs/tables.py` writes them anew."""

import inspect
from collections.abc import Iterator
from pathlib import Path

from optap import _core, errors

PAGE = Path(__file__).with_name("errors.md")


def exceptions() -> Iterator[str]:
    """Each exception, what else it is, and what it says."""
    yield "| exception | is also | when |\n|---|---|---|"
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        others = ", ".join(f"`{base.__name__}`" for base in kind.__bases__ if base is not Exception)
        yield f"| `{name}` | {others} | {(inspect.getdoc(kind) or '').splitlines()[0]} |"


def codes() -> Iterator[str]:
    """Each code of the runtime."""
    yield "| code | name | exception | meaning |\n|---|---|---|---|"
    for code, name, exception, message in _core.error_codes():
        yield f"| {code} | `{name}` | `{exception}` | {message} |"


def fill(page: str) -> str:
    """The page with each table, between its marks, as it should be."""
    for make in (exceptions, codes):
        begin, end = f"<!-- {make.__name__}: docs/tables.py -->\n\n", "\n\n<!-- end -->"
        before, rest = page.split(begin)
        _, after = rest.split(end, 1)
        page = before + begin + "\n".join(make()) + end + after
    return page


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text("utf-8")), "utf-8")
