"""For the pages of the API: the native module's types stand in its stub, its docstrings in the built module."""

from functools import reduce
from typing import Any

import griffe
from optap import _core

NATIVE = f"{_core.__name__}."


class NativeDocstrings(griffe.Extension):
    """Gives each member of the stub the docstring of the member that it describes."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Look the member up in the built module."""
        if obj.path.startswith(NATIVE):
            member = reduce(
                lambda owner, name: getattr(owner, name, None), obj.path.removeprefix(NATIVE).split("."), _core
            )
            text = None if member is None else member.__doc__
            obj.docstring = griffe.Docstring(text, parent=obj) if text else obj.docstring
