"""Paths of the mesh files in a URDF file."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.request import url2pathname

from ipc_articulation.dynamics.reading.node import XmlNode

_PACKAGE = re.compile(r"package:/{2,}([^/]+)/(.+)")


@dataclass(frozen=True)
class MeshPaths:
    """A finder of `package://name/rest`, `file://` and relative paths.

    A package is a folder called `name`. The search order is `package_dirs`, the folders in ROS_PACKAGE_PATH, and the
    URDF file's parent folders; each of them may be the package or contain it.
    """

    folder: Path  # folder of the URDF file, where relative paths begin
    package_dirs: Sequence[Path] = ()

    def find(self, node: XmlNode) -> Path:
        """The file that a `<mesh>` names.

        Raises:
            ModelError: There is no such file.
        """
        name = node.text("filename")
        candidates = self._candidates(name)
        for path in candidates:
            if _is_file(path):
                return path
        hint = "; package_dirs can say where packages are" if _PACKAGE.fullmatch(name) else ""
        raise node.error(f"mesh file '{name}' not found; looked for {', '.join(map(str, candidates))}{hint}")

    def _candidates(self, name: str) -> list[Path]:
        package = _PACKAGE.fullmatch(name)
        if package:
            return [root / package[2] for root in self._roots(package[1])]
        if name.startswith("file:"):
            return [Path(url2pathname(re.sub(r"file:(//[^/]*)?", "", name, count=1)))]
        return [self.folder / name]

    def _roots(self, package: str) -> list[Path]:
        """Folders in which a package may be, in the order in which they are searched."""
        ros = [Path(entry) for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if entry]
        places = [*map(Path, self.package_dirs), *ros, self.folder, *self.folder.parents]
        return package_folders(package, places)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, an unreadable folder
        return False


def package_folders(package: str, places: Collection[Path]) -> list[Path]:
    """Possible folders of a package: places with its name, and folders of its name in the places."""
    return [place if place.name == package else place / package for place in places]
