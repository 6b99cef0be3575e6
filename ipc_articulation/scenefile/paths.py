"""Files named in a scene file: beside it, or inside an installed robot package (`package://name/path`)."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

PACKAGE = "package://"


def find_file(name: str, folder: Path) -> Path:
    """The file that a scene file means.

    Args:
        name: Absolute, relative to `folder`, or `package://name/path`.
        folder: Where the scene file lies.

    Raises:
        FileNotFoundError: With every place that was looked at.
    """
    in_package = name.startswith(PACKAGE)
    candidates = [root / name.removeprefix(PACKAGE) for root in (package_folders() if in_package else [folder])]
    for path in candidates:
        if is_file(path):
            return path.resolve()
    places = ", ".join(str(path) for path in candidates)
    hint = "; robots come with: pip install 'ipc_articulation[robots]'" if in_package else ""
    raise FileNotFoundError(f"no such file: '{name}' (looked at {places}){hint}")


def is_file(path: Path) -> bool:
    """Whether the file exists; False for names that no file can have."""
    try:
        return path.is_file()
    except OSError:  # too long
        return False


def package_folders() -> list[Path]:
    """Folders that robot packages are installed to, those of ROS_PACKAGE_PATH first."""
    ros = [Path(entry) for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if entry]
    prefixes = [Path(sysconfig.get_path("purelib")) / "cmeel.prefix", Path(sys.prefix)]
    return [*ros, *(prefix / "share" for prefix in prefixes)]
