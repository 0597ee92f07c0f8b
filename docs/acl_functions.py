"""The table of `docs/acl.md`, made from the code. `python docs/acl_functions.py` writes it anew."""

from collections.abc import Iterator
from pathlib import Path

from optap import _core

PAGE = Path(__file__).with_name("acl.md")
BEGIN, END = "<!-- functions: docs/acl_functions.py -->\n\n", "\n\n<!-- end -->"


def rows() -> Iterator[str]:
    """Each function, by name, and how it compares with pyACL's."""
    yield "| function | status | what differs |\n|---|---|---|"
    for name, status, note in sorted(_core.acl.functions()):
        yield f"| `{name}` | {status} | {note} |"


def fill(page: str) -> str:
    """The page with its table as it should be."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END, 1)
    return before + BEGIN + "\n".join(rows()) + END + after


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text("utf-8")), "utf-8")
