"""Marks that explain a picture: names of bodies, joints and overlaps, axes of joints, frames of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ipc_articulation.arrays import Array

MarkKind = Literal["body", "joint", "overlap"]

MIDDLE = 0.5  # of a picture's width, for the bodies: names are at both sides
AXIS, OVERLAP, FRAME = "#1f5fd0", "#d02020", ("#d05050", "#40a040", "#5080e0")
COLOURS: dict[MarkKind, str] = {"body": "#20242a", "joint": AXIS, "overlap": OVERLAP}


@dataclass(frozen=True)
class Name:
    """A text that belongs to a point."""

    text: str
    point: Array  # (3,) [m] in the world
    kind: MarkKind


@dataclass(frozen=True)
class Marks:
    """All marks of a picture."""

    names: tuple[Name, ...]
    axes: Array  # (k, 2, 3) beginning and end of each joint's axis [m]
    frames: Array  # (n, 4, 4) of links, in the world
    size: float  # length of a frame's axes [m]
