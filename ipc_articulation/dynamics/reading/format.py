"""Which format a robot's file has: its outermost element decides, then its suffix."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

Format = Literal["urdf", "mjcf", "osim"]

ELEMENTS: dict[str, Format] = {"robot": "urdf", "mujoco": "mjcf", "OpenSimDocument": "osim"}
_FRAGMENT = "mujocoinclude"
SUFFIXES: dict[str, Format] = {".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".osim": "osim"}
_BEGINNING = 1 << 16  # bytes in which the outermost element begins, unless comments are longer
_NO_ELEMENTS = re.compile(r"<!--.*?(-->|\Z)|<[?!].*?(>|\Z)", re.DOTALL)
_ELEMENT = re.compile(r"<\s*([A-Za-z_][\w.-]*)")


def robot_format(file: Path) -> Format:
    """The format of a robot's file; a file that is not there has that of its suffix.

    Raises:
        ModelError: It is no robot's file, or a part that other files include; the message says what would be one.
    """
    element = _ELEMENT.search(_NO_ELEMENTS.sub("", _beginning(file)))
    if element and (found := ELEMENTS.get(element.group(1))):
        return found
    if element and element.group(1) == _FRAGMENT:
        raise ModelError(
            f"{file}: no robot of its own: <{_FRAGMENT}> is a part that other MJCF files include; give one of those"
        )
    if found := SUFFIXES.get(file.suffix.lower()):
        return found
    raise ModelError(
        f"{file}: no robot's file: it contains neither <robot> (URDF) nor <mujoco> (MJCF) nor <OpenSimDocument>, and "
        f"does not end in one of these{suggest(file.suffix, SUFFIXES)}"
    )


def _beginning(file: Path) -> str:
    if not file.is_file():
        return ""
    with file.open("rb") as stream:
        return stream.read(_BEGINNING).decode("utf-8", errors="replace")
