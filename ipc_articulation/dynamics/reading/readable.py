"""Which files a robot's file may name: one rule for URDF and MJCF."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ipc_articulation.packages import is_file

MESHES = (".stl", ".obj", ".msh", ".dae", ".ply", ".off", ".glb", ".gltf", ".3mf", ".mtl", ".bin", ".hf", ".skn")
PICTURES = (".png", ".ktx", ".jpg", ".jpeg", ".tga", ".bmp", ".gif", ".tif", ".tiff")
MODELS = (".xml", ".mjcf", ".urdf")
KINDS = (*MESHES, *PICTURES, *MODELS)
NEAR = 3  # folders above the file's own that whole paths may point into


@dataclass(frozen=True)
class Readable:
    """The rule: a robot's file may name files of its own folder and of given folders, and parts of robots above it.

    - In its own folder and in given folders all files may be read.
    - In the folders above its own, except the root of the file system, only files of `KINDS`, by their suffix; by a
      whole path only in the `NEAR` lowest of these folders.
    - A link counts as the file that it leads to; in given folders it may lead anywhere if both suffixes are of `KINDS`.
    - Folders, pipes and devices are never read.
    """

    folder: Path  # of the robot's file
    given: Collection[Path] = ()  # folders of packages
    anywhere: bool = False  # whole paths may point anywhere, as in a text of the caller's own program

    def allows(self, path: Path, whole: bool = False) -> bool:
        """Whether there is such a file that may be read; `whole`: the robot's file names it by a whole path."""
        if not is_file(path):
            return False
        if whole and self.anywhere:
            return True
        real, above = path.resolve(), self._above[:NEAR] if whole else self._above
        if any(real.is_relative_to(folder) for folder in self._own):
            return True
        named = Path(os.path.normpath(path.absolute()))
        if not {real.suffix.lower(), named.suffix.lower()} <= set(KINDS):
            return False
        return any(real.is_relative_to(folder) for folder in above) or any(
            named.is_relative_to(folder.absolute()) for folder in self.given
        )

    @cached_property
    def _own(self) -> list[Path]:
        folders = (folder.resolve() for folder in (self.folder, *self.given))
        return [folder for folder in folders if folder.parent != folder]

    @cached_property
    def _above(self) -> list[Path]:
        return [folder for folder in self.folder.resolve().parents if folder.parent != folder]
