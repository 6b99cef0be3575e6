"""What is drawn of a body: its visual surfaces, its collision surface, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arguments import shown
from ipc_articulation.arrays import Array
from ipc_articulation.errors import ViewingError
from ipc_articulation.naming import suggest
from ipc_articulation.recording import Surface
from ipc_articulation.viewing.palette import By, hexadecimal

Show = Literal["visual", "collision", "both"]  # visual: of bodies without visual surfaces, the collision surface

SHOWS: tuple[Show, ...] = get_args(Show)
_PLAIN = 1000  # triangles of a visual surface; one with more has too many edges for lines
_VEIL = 0.35  # opacity of a collision surface that is drawn around visual ones


@dataclass(frozen=True)
class DrawnMesh:
    """A surface of one colour."""

    vertices: Array  # (V, 3) [m] in the body's frame
    faces: NDArray[np.int32]  # (F, 3)
    colour: str  # "#rrggbb"
    opacity: float = 1.0
    has_lines: bool = True  # along its sharp edges


def drawn_meshes(surface: Surface, show: Show, by: By, colour: str) -> list[DrawnMesh]:
    """The surfaces that are drawn of a body.

    Args:
        surface: The body.
        show: Which of its surfaces.
        by: Meaning of its colour; visual surfaces have their own unless each link has one.
        colour: The body's colour "#rrggbb", for the collision surface and for visual ones without their own.
    """
    shows_visual = bool(surface.visual) and show != "collision"
    meshes = []
    if len(surface.faces) and not (shows_visual and show == "visual"):
        meshes.append(DrawnMesh(surface.vertices, surface.faces, colour, _VEIL if shows_visual else 1.0))
    for visual in surface.visual if shows_visual else ():
        shade = hexadecimal(visual.colour) if visual.colour and by == "role" else colour
        opacity = 1.0 if visual.colour is None else visual.colour[3]
        meshes.append(DrawnMesh(visual.vertices, visual.faces, shade, opacity, len(visual.faces) <= _PLAIN))
    return meshes


def require_show(show: str) -> None:
    """Check the name of a choice.

    Raises:
        ViewingError: It is none of `SHOWS`.
    """
    if not isinstance(show, str) or show not in SHOWS:
        raise ViewingError(f"show must be one of {', '.join(SHOWS)}, is {shown(show)}{suggest(str(show), SHOWS)}")
