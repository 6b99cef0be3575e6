"""Paths of the mesh files in a URDF file."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.request import url2pathname

from ipc_articulation.dynamics.reading.readable import NEAR, Readable
from ipc_articulation.packages import is_file, package_folders

PACKAGE = re.compile(r"(?:package|model):/{2,}([^/]+)/(.+)")
FOR_ROBOT_FILES = ("model", "models", "robot", "robots", "urdf", "xacro")  # folders in packages
EQUAL = 100  # files of one name that are compared
ENTRIES = 20_000  # of folders that are searched for a file


@dataclass(frozen=True)
class MeshPaths:
    """A finder of `package://name/rest`, `model://name/rest`, `file://`, whole and relative paths.

    A package is a folder called `name`. The search order is `package_dirs`, the folders in ROS_PACKAGE_PATH, those of
    installed packages, and the URDF file's parent folders except the root of the file system; each of them may be the
    package or contain it. Nothing else is looked at, and `Readable` says which files there may be read.
    """

    folder: Path  # folder of the URDF file, where relative paths begin
    package_dirs: Sequence[Path] = ()
    trusted: bool = False  # whole paths may point anywhere, as in a text of the caller's own program

    def find(self, name: str) -> Path | None:
        """The file that a name means, or None."""
        whole = name.startswith("file:") or Path(name).is_absolute()
        return next((path for path in self.candidates(name) if self._readable.allows(path, whole)), None)

    def candidates(self, name: str) -> list[Path]:
        """The paths that a name can mean, in the order in which they are tried."""
        package = PACKAGE.fullmatch(name)
        if package:
            return [root / package[2] for root in _roots(package[1], self._places)]
        if name.startswith("file:"):
            return [Path(url2pathname(re.sub(r"file:(//[^/]*)?", "", name, count=1)))]
        return [self.folder / name]

    def similar(self, name: str) -> Path | None:
        """The file whose path ends most like the name, in upper or lower case; None if there is none, or several.

        It is searched in the given folders and beside the file, in a limited number of folders.
        """
        tail = _parts(re.sub(r"^\w+:/*", "", name.replace("\\", "/")))
        files = [path for path in self._files.get(tail[-1], ()) if self._readable.allows(path)]
        best = max((_common(tail, _parts(str(path))) for path in files), default=0)
        found = [path for path in files if _common(tail, _parts(str(path))) == best]
        nearest = [path for path in found if len(path.parts) == min(len(other.parts) for other in found)]
        return nearest[0] if nearest and (best > 1 or len(found) == 1) else None

    @cached_property
    def _readable(self) -> Readable:
        return Readable(self.folder, [*map(Path, self.package_dirs), *package_folders()], self.trusted)

    @cached_property
    def _places(self) -> list[Path]:
        """Folders in which packages may be, in the order in which they are searched."""
        places = [*map(Path, self.package_dirs), *package_folders(), self.folder, *self.folder.parents]
        return [place for place in dict.fromkeys(places) if place != Path(place.anchor)]

    @cached_property
    def _files(self) -> dict[str, list[Path]]:
        """Files that `similar` may find, by their names in lower case: those nearest to the URDF file first."""
        above = {self.folder, *self.folder.parents}
        given = [place for place in self._places if place not in above]
        found: dict[str, list[Path]] = {}
        for place in dict.fromkeys([*self._own, *given]):
            for path in _walk(place):
                same = found.setdefault(path.name.lower(), [])
                if len(same) < EQUAL and path not in same:
                    same.append(path)
        return found

    @cached_property
    def _own(self) -> list[Path]:
        """The file's folder and those above it to that of its package: the first with a package.xml.

        Without one it is the parent of a folder that is only for robot files, else the file's own folder.
        """
        folders = [folder for folder in [self.folder, *self.folder.parents][: NEAR + 1] if folder.parent != folder]
        plain = 1 if self.folder.name.lower() in FOR_ROBOT_FILES else 0
        package = next((i for i, folder in enumerate(folders) if is_file(folder / "package.xml")), plain)
        return folders[: package + 1]


def _roots(package: str, places: Collection[Path]) -> list[Path]:
    """Possible folders of a package: places with its name, and folders of its name in the places."""
    return [place if place.name == package else place / package for place in places]


def _walk(place: Path) -> Iterator[Path]:
    """Files below a folder, the highest first, without hidden folders and links; a limited number."""
    waiting, left = deque([place]), ENTRIES
    while waiting and left > 0:
        try:
            entries = sorted(os.scandir(waiting.popleft()), key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(entries)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                waiting.append(Path(entry.path))
            elif is_file(Path(entry.path)):  # no loop of links
                yield Path(entry.path)


def _parts(path: str) -> list[str]:
    """Names of folders and of the file in lower case, without «.» and «..»."""
    return [part.lower() for part in path.split("/") if part not in ("", ".", "..")] or [""]


def _common(tail: Sequence[str], parts: Sequence[str]) -> int:
    """The number of equal names at the end of two paths."""
    count = 0
    while count < min(len(tail), len(parts)) and tail[-1 - count] == parts[-1 - count]:
        count += 1
    return count
