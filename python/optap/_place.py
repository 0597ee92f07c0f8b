"""Where something was opened, for a warning that comes when it is lost."""

from __future__ import annotations

import sys
import warnings
from typing import NamedTuple, Self

__all__ = ("Place",)


class Place(NamedTuple):
    """A line of a source file."""

    filename: str
    lineno: int

    @classmethod
    def of_caller(cls) -> Self:
        """The line that called the function that calls this."""
        frame = sys._getframe(2)
        return cls(frame.f_code.co_filename, frame.f_lineno)

    def warn_unclosed(self, what: str, source: object) -> None:
        """Tell that `what`, opened here, was never closed."""
        warnings.warn_explicit(f"{what} was never closed", ResourceWarning, self.filename, self.lineno, source=source)
