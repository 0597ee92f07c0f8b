"""Files that appear when they are complete."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

__all__ = ("Partial",)


class Partial:
    """A file or folder beside `path`, which takes its name when it is complete.

    Raises:
        FileExistsError: `path` exists, and `overwrite` is false; also if it came to be meanwhile.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "told.txt"
        >>> partial = Partial(path, overwrite=False)
        >>> _ = partial.path.write_text("all of it")
        >>> path.exists(), partial.complete(), path.read_text()
        (False, None, 'all of it')
    """

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        self._target = path
        self._overwrite = overwrite
        if path.exists() and not overwrite:
            raise self._taken()
        self.path = path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial")
        """Where to write."""

    def complete(self) -> None:
        """Give it its name. What had that name before is gone then, and not earlier."""
        if self._overwrite:
            self._replace()
        elif self.path.is_dir():
            self._rename_folder()
        else:
            self._link()

    def discard(self) -> None:
        """Remove what there is of it."""
        if self.path.is_dir():
            import_module("shutil").rmtree(self.path)  # costs more than the rest of optap to import
        else:
            self.path.unlink(missing_ok=True)

    def _link(self) -> None:
        # A link, unlike a renaming, never takes the place of a file.
        try:
            self._target.hardlink_to(self.path)
        except FileExistsError:
            raise self._taken() from None
        except OSError:  # a file system without links
            self.path.rename(self._target)
        else:
            self.path.unlink()

    def _rename_folder(self) -> None:
        if self._target.exists():
            raise self._taken()
        self.path.rename(self._target)

    def _replace(self) -> None:
        if not (self._target.is_dir() or self.path.is_dir()) or not self._target.exists():
            self.path.replace(self._target)
            return
        old = Partial(self._target.with_name(self._target.name + ".old"), overwrite=True)
        self._target.rename(old.path)
        self.path.rename(self._target)
        old.discard()

    def _taken(self) -> FileExistsError:
        return FileExistsError(f"{self._target} exists; give another path, or say that it may be overwritten")
