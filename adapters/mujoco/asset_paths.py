"""Where MuJoCo looks for the files that a model names, and where else they may be."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import mujoco

_ATTACHED = re.compile(r"<model\b[^>]*\bfile\s*=\s*[\"']([^\"']+)[\"']")
_KNOWN = (".stl", ".obj", ".msh", ".dae", ".ply", ".off", ".glb", ".gltf", ".png", ".ktx", ".hf", ".skn")
_ABOVE = 4  # folders above the model's in which the path of a missing file is tried
_MOST = 20_000  # entries of the model's folder among which a missing file is searched


@dataclass(frozen=True)
class AssetPaths:
    """The folders of a model."""

    model: Path  # its file
    folders: tuple[Path, ...]  # in which relative paths begin: its own, and those of models attached to it
    allowed: tuple[Path, ...]  # of which files of any kind may be read
    strip: bool  # folders in the model's paths are ignored

    @staticmethod
    def of(spec: mujoco.MjSpec, model: Path, package_dirs: Collection[Path]) -> AssetPaths:
        """Those of a model that was read from a file."""
        home = model.parent.resolve()
        text = model.read_text(encoding="utf-8", errors="replace")
        attached = tuple((home / name).parent for name in _ATTACHED.findall(text))
        return AssetPaths(model, (home, *attached), (home, *(Path(d).resolve() for d in package_dirs)), spec.strippath)

    def expected(self, name: str, asset_folder: str) -> Path | None:
        """The file where MuJoCo looks for it; None if there is none, or none that may be read."""
        tail = Path(name.replace("\\", "/")) if not self.strip else Path(Path(name.replace("\\", "/")).name)
        candidates = (folder / asset_folder / tail for folder in self.folders)
        return next((file for file in candidates if self._readable(file)), None)

    def elsewhere(self, name: str) -> Path | None:
        """The file in a folder above or below the model's, found by the end of its path."""
        parts = [part for part in re.split(r"[/\\]+", name) if part not in ("", ".", "..") and ":" not in part]
        tails = [Path(*parts[i:]) for i in range(len(parts))]
        home = self.folders[0]
        above = [home, *list(home.parents)[:_ABOVE]]
        candidates = (folder / tail for tail in tails[:-1] or tails for folder in above)
        found = next((file for file in candidates if self._readable(file)), None)
        if found is not None or not parts:
            return found
        below = [file for file in _files(home) if file.name == parts[-1]]
        return min(below, key=lambda file: (len(file.parts), file), default=None)

    def _readable(self, file: Path) -> bool:
        """Whether there is a file, below an allowed folder or of a known kind."""
        try:
            if not file.is_file():
                return False
            real = file.resolve()
        except (OSError, ValueError):  # a name that is too long, or has a null
            return False
        return real.suffix.lower() in _KNOWN or any(real.is_relative_to(folder) for folder in self.allowed)


def _files(folder: Path) -> Iterator[Path]:
    """Files of known kinds below a folder, the first of many."""
    entries = ((Path(place), name) for place, _, names in os.walk(folder) for name in names)
    return (place / name for place, name in islice(entries, _MOST) if Path(name).suffix.lower() in _KNOWN)
