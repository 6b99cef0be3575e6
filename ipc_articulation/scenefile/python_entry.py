"""Python functions that a scene file names: `file.py:function` beside it, or `package.module:function` installed."""

from __future__ import annotations

import re
import sys
import sysconfig
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

from ipc_articulation.packages import is_file

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
    package = source.partition(".")[0]
    if not _is_installed(package):
        raise ValueError(f"'{package}' is no installed package; a file is given with its ending: '{package}.py:...'")
    return Entry(None, source, function)


def _is_installed(package: str) -> bool:
    """Whether a package was installed by a distribution; not Python's own packages, nor those of the current folder."""
    spec = None if package in sys.stdlib_module_names else find_spec(package)
    if spec is None:
        return False
    sites = [Path(sysconfig.get_path(key)).resolve() for key in ("purelib", "platlib")]
    found = [Path(place).resolve() for place in (spec.origin, *(spec.submodule_search_locations or ())) if place]
    inside = any(place.is_relative_to(site) for place in found for site in sites)
    return inside or package in packages_distributions()  # the latter, which is slow, knows what is installed to edit


def _file(source: str, folder: Path) -> Path:
    """The file, which must be inside the folder, links followed."""
    root = folder.resolve()
    path = (root / source).resolve()
    if Path(source).is_absolute() or ".." in Path(source).parts or not path.is_relative_to(root):
        raise ValueError(f"'{source}' is outside the scene file's folder {root}; only files inside it are run")
    if not is_file(path):
        raise ValueError(f"no such file: '{source}' (looked at {path})")
    return path
