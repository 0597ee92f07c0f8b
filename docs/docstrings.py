"""For the pages of the API: the native module's types stand in its stub, its docstrings in the built module."""

from typing import Any

import griffe
from optap import _core

NATIVE = f"{_core.__name__}."


class NativeDocstrings(griffe.Extension):
    """Gives each member of the stub the docstring of the member that it describes."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Look the member up in the built module."""
        if obj.path.startswith(NATIVE):
            member: object = _core
            for name in obj.path.removeprefix(NATIVE).split("."):
                member = getattr(member, name, None)
            if member is not None and member.__doc__:
                obj.docstring = griffe.Docstring(member.__doc__, parent=obj)
