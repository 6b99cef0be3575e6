"""The files that determine a scene: the scene file, what it includes, and every file that it or a setting names.

They are identified by the SHA-256 of their content. A sweep with changed files would mix runs of different scenes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ipc_articulation.errors import SweepError
from ipc_articulation.packages import find_file
from ipc_articulation.scenefile.document import Document


class Contents:
    """Checksums of a scene's files, and which files have changed since.

    Args:
        document: The scene file as `read_scene` gives it.
        settings: Every value that a run puts in the place of the file's; some of them may name files too.
    """

    def __init__(self, document: Document, settings: Mapping[str, Any]) -> None:
        folder = document.file.resolve().parent
        read = (path.resolve() for path in document.files)
        files = {*read, *_named(document.data, folder), *_named(settings, folder)}
        self._stamps = {path: _stamp(path) for path in sorted(files)}
        self.digests = {_shown(path, folder): _digest(path) for path in self._stamps}

    @property
    def digest(self) -> str:
        """SHA-256 of all files together, independent of their paths."""
        return hashlib.sha256("".join(sorted(self.digests.values())).encode()).hexdigest()

    def require_unchanged(self) -> None:
        """Check that no file has changed since this object was made.

        Raises:
            SweepError: One has changed.
        """
        for path, stamp in self._stamps.items():
            if _stamp(path) != stamp:
                raise SweepError(f"{path} has changed since this sweep began; earlier runs are kept")


def _named(value: Any, folder: Path) -> Iterator[Path]:
    """Every file that a text anywhere in a value names, also as `FILE.py:FUNCTION`."""
    if isinstance(value, str):
        for name in (value, value.rpartition(":")[0]):
            with suppress(OSError, ValueError):  # most texts name no file
                yield find_file(name, getattr(value, "folder", folder))
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _named(part, folder)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _named(part, folder)


def _shown(path: Path, folder: Path) -> str:
    """Relative to the scene file's folder where it lies in it, so that a folder that is moved stays the same scene."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _stamp(path: Path) -> tuple[int, int] | None:
    """Time of the last change and size; None where the file is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
