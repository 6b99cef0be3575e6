"""Installed robot packages: files named `package://name/path`, and where packages are."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import TypeVar

from ipc_articulation.errors import ModelError

Name = TypeVar("Name")

PACKAGE = "package://"
_AS_PATH = str(Path(PACKAGE)) + os.sep


def find_file(name: str, folder: Path) -> Path:
    """The file that a name means.

    Args:
        name: Absolute, relative to `folder`, or `package://name/path`.
        folder: Where relative names begin.

    Raises:
        FileNotFoundError: There is none; the message has every place that was looked at.
    """
    in_package = name.startswith(PACKAGE)
    candidates = [root / name.removeprefix(PACKAGE) for root in (package_folders() if in_package else [folder])]
    for path in candidates:
        if is_file(path):
            return path.resolve()
    places = ", ".join(str(path) for path in candidates)
    hint = "; robots come with: pip install 'ipc_articulation[robots]'" if in_package else ""
    raise FileNotFoundError(f"no such file: '{name}' (looked at {places}){hint}")


def unpacked(name: Name) -> Name | Path:
    """The file that `package://name/path` means, also as a Path, which has one slash less; other arguments as they are.

    Raises:
        ModelError: No package has the file.
    """
    text = str(name).replace(_AS_PATH, PACKAGE, 1) if isinstance(name, Path) else name
    if not isinstance(text, str) or not text.startswith(PACKAGE):
        return name
    try:
        return find_file(text, Path())
    except FileNotFoundError as error:
        raise ModelError(str(error)) from error


def is_file(path: Path) -> bool:
    """Whether the file exists; False for names that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long or has a null character, an unreadable folder
        return False


def package_folders() -> list[Path]:
    """Folders in which packages are: those of ROS_PACKAGE_PATH first, then those of installed robot packages."""
    ros = [Path(entry) for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if entry]
    prefixes = [Path(sysconfig.get_path("purelib")) / "cmeel.prefix", Path(sys.prefix)]
    return [*ros, *(prefix / "share" for prefix in prefixes)]
