"""Packages that optap uses where they are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ("need",)


def need(module: str, extra: str) -> Any:
    """The module `module`.

    Raises:
        ModuleNotFoundError: It is not installed; the text names the extra of optap that brings it.

    Examples:
        >>> need("json", "none").dumps([1])
        '[1]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        what = f"this needs {package}; install it with: pip install 'optap[{extra}]'"
        raise ModuleNotFoundError(what, name=package) from None
