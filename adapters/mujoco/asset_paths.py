"""Where MuJoCo looks for the files that a model names, and where else they may be."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ipc_articulation.adapters.mujoco.parts import Parts, exists

from ipc_articulation.dynamics.reading.readable import KINDS, Readable

_ABOVE = 4  # folders above the model's in which the path of a missing file is tried
_MOST = 20_000  # entries of the model's folder among which a missing file is searched


@dataclass(frozen=True)
class AssetPaths:
    """The folders of a model."""

    parts: Parts  # the files of the model
    readable: Readable
    strip: bool  # folders in the model's paths are ignored

    @property
    def model(self) -> Path:
        """The model's own file."""
        return self.parts.model

    @property
    def home(self) -> Path:
        """Where relative paths begin."""
        return self.readable.folder

    def place(self, tag: str, element: Any) -> str:
        """The file and the line of an asset, or of another element."""
        files = [getattr(element, "file", ""), *getattr(element, "cubefiles", ())]
        return self.parts.place(tag, element.name, [file for file in files if file])

    def expected(self, name: str, asset_folder: str) -> Path | None:
        """The file where MuJoCo looks for it; None if there is none, or none that may be read."""
        tail = Path(name.replace("\\", "/")) if not self.strip else Path(Path(name.replace("\\", "/")).name)
        file = self.home / asset_folder.replace("\\", "/") / tail
        return (
            file if self.readable.allows(file, Path(name).is_absolute() or Path(asset_folder).is_absolute()) else None
        )

    def fault(self, name: str) -> str:
        """Why there is no file of a name, for messages."""
        home = self.home / name.replace("\\", "/")
        outside = "may not be read: it is no file, or outside the folders of the model and of package_dirs"
        return outside if exists(home) else "not found"

    def elsewhere(self, name: str) -> Path | None:
        """The file in a folder above or below the model's, found by the end of its path."""
        parts = [part for part in re.split(r"[/\\]+", name) if part not in ("", ".", "..") and ":" not in part]
        tails = [Path(*parts[i:]) for i in range(len(parts))]
        home = self.home.resolve()
        above = [home, *list(home.parents)[:_ABOVE]]
        candidates = (folder / tail for tail in tails[:-1] or tails for folder in above)
        found = next((file for file in candidates if self.readable.allows(file)), None)
        if found is not None or not parts:
            return found
        below = [file for file in _files(home) if file.name == parts[-1] and self.readable.allows(file)]
        return min(below, key=lambda file: (len(file.parts), file), default=None)


def _files(folder: Path) -> Iterator[Path]:
    """Files of known kinds below a folder, the first of many."""
    entries = ((Path(place), name) for place, _, names in os.walk(folder) for name in names)
    return (place / name for place, name in islice(entries, _MOST) if Path(name).suffix.lower() in KINDS)
