"""Whole numbers as text that a page can hold: a byte plane after the other, compressed, in base64."""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ("column",)

_LEVEL = 6


def column(values: NDArray[Any]) -> dict[str, Any]:
    """`values`, none negative, as the page's `decode` takes them: `planes` bytes each, the lowest plane first.

    >>> column(np.array([1, 256]))["planes"], column(np.array([], int))["count"]
    (2, 0)
    """
    words = np.ascontiguousarray(values, "<u8")
    planes = (int(words.max()).bit_length() + 7) // 8 if len(words) else 0
    octets = words.view(np.uint8).reshape(len(words), 8)[:, :planes]
    packed = zlib.compress(np.ascontiguousarray(octets.T).tobytes(), _LEVEL)
    return {"count": len(words), "planes": planes, "base64": b64encode(packed).decode("ascii")}
