"""Python functions that a scene file names: `file.py:function` beside it, or `package.module:function` installed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

from ipc_articulation.naming import suggest

_FORM = "'folder/file.py:function' of the scene file's folder, or 'package.module:function' of an installed package"
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class Entry:
    """Where a function is: in a file, or else in a module."""

    file: Path | None
    module: str
    function: str


def check_entry(text: str, folder: Path | None) -> Entry:
    """Find where a function is; nothing is imported or run.

    Args:
        text: As in the scene file.
        folder: That of the scene file.

    Raises:
        ValueError: The text has another form, the file does not exist or is outside the folder, the package is not
            installed.
    """
    source, colon, function = text.rpartition(":")
    if not colon or not function.isidentifier():
        raise ValueError(f"a Python function is given as {_FORM}; got '{text}'")
    if source.endswith(".py"):
        return Entry(_file(source, folder or Path()), "", function)
    if not _MODULE.fullmatch(source):
        raise ValueError(f"'{source}' is no module; a Python function is given as {_FORM}")
    installed = packages_distributions()
    package = source.partition(".")[0]
    if package not in installed:
        near = suggest(package, [name for name in installed if name.isidentifier() and name[0] == package[0]])
        raise ValueError(
            f"'{package}' is no installed package{near}; a file is given with its ending: '{package}.py:...'"
        )
    return Entry(None, source, function)


def _file(source: str, folder: Path) -> Path:
    """The file, which must be inside the folder, links followed."""
    root = folder.resolve()
    path = (root / source).resolve()
    if Path(source).is_absolute() or ".." in Path(source).parts or not path.is_relative_to(root):
        raise ValueError(f"'{source}' is outside the scene file's folder {root}; only files inside it are run")
    if not path.is_file():
        raise ValueError(f"no such file: '{source}' (looked at {path})")
    return path
