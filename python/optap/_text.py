"""Values as text."""

from __future__ import annotations

__all__ = ("duration", "printable")

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))


def duration(ns: float) -> str:
    """A duration in the unit that suits it.

    >>> duration(950), duration(12_345), duration(4_560_000)
    ('950 ns', '12.3 µs', '4.56 ms')
    """
    for unit_ns, unit in _UNITS:
        if ns >= unit_ns:
            value = ns / unit_ns
            return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{ns:.0f} ns"


def printable(text: str) -> str:
    r"""`text` without what a terminal would obey or refuse.

    >>> printable("conv\x1b[2J\udcff")
    'conv\\x1b[2J\\udcff'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
