"""Dump files: the state after one step, written so that a file is complete or does not exist.

A file is one readable line, then an npz archive:  `ipc_articulation dump 8 sha256 <digest of the archive>`.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.errors import DumpError

_MAGIC = b"ipc_articulation dump "
_VERSION = b"8"
_NAME = re.compile(r"frame_(\d+)\.dump")


@dataclass(frozen=True)
class Dump:
    """Content of one file."""

    frame: int
    scene: dict[str, Any]  # describes the scene, see `scene_description`
    arrays: dict[str, NDArray[Any]]


def dump_path(folder: Path, frame: int) -> Path:
    """Where the dump of a frame is."""
    return folder / f"frame_{frame:06d}.dump"


def folder_of_dumps(folder: Path) -> str:
    """What messages call the folder."""
    return f"{folder}, the folder of dumps,"


def dumped_frames(folder: Path) -> list[int]:
    """The frames that have a dump, ascending; empty if the folder does not exist.

    Raises:
        DumpError: A file is in its place, or it cannot be read; names it.
    """
    try:
        found = map(_NAME.fullmatch, os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DumpError(f"{folder_of_dumps(folder)} cannot be read: {error.strerror}") from error
    return sorted(int(match[1]) for match in found if match)


def write_dump(folder: Path, dump: Dump) -> Path:
    """Write a dump under a temporary name, flush it to disk and rename it: no reader sees an incomplete file.

    Raises:
        OSError: It cannot be written; nothing of it is left.
    """
    archive = io.BytesIO()
    described = json.dumps({"frame": dump.frame, "scene": dump.scene})
    arrays: dict[str, Any] = {"description": np.array(described), **dump.arrays}
    np.savez(archive, **arrays)
    content = archive.getvalue()
    folder.mkdir(parents=True, exist_ok=True)
    path = dump_path(folder, dump.frame)
    part = path.with_suffix(".part")
    try:
        with part.open("wb") as file:
            file.write(_first_line(content) + content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(folder)
    return path


def read_dump(path: Path) -> Dump:
    """Read a dump.

    Raises:
        DumpError: The file is missing, not a dump, truncated, damaged, or has the name of another; names it.
    """
    try:
        line, _, content = path.read_bytes().partition(b"\n")
    except OSError as error:
        raise DumpError(f"dump {path} cannot be read: {error.strerror or error}") from error
    if not line.startswith(_MAGIC):
        raise DumpError(f"{path} is not a dump of this engine: it does not begin with '{_MAGIC.decode().strip()}'")
    version = line.removeprefix(_MAGIC).partition(b" ")[0]
    if version not in (_VERSION, b""):
        found, ours = version.decode(errors="replace"), _VERSION.decode()
        raise DumpError(f"dump {path} is of version {found}; this engine reads {ours}")
    if _first_line(content) != line + b"\n":
        raise DumpError(f"dump {path} is damaged or truncated: its content does not have the checksum that it names")
    with np.load(io.BytesIO(content)) as archive:
        arrays = dict(archive)
    description = json.loads(str(arrays.pop("description")))
    if dump_path(path.parent, description["frame"]) != path:
        raise DumpError(f"dump {path} has the name of another: it holds frame {description['frame']}")
    return Dump(description["frame"], description["scene"], arrays)


def _first_line(content: bytes) -> bytes:
    return b"%s%s sha256 %s\n" % (_MAGIC, _VERSION, hashlib.sha256(content).hexdigest().encode())


def _sync_folder(folder: Path) -> None:
    """Flush a new name to disk; Windows does this automatically, and cannot open folders."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
