"""Colours of bodies: by what moves them, or each link its own."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import Literal

from ipc_articulation.arrays import Colour
from ipc_articulation.recording import Surface

By = Literal["role", "link"]
PictureBy = Literal["role", "link", "strain"]  # strain: of soft bodies; others by role


def of_bodies(by: PictureBy) -> By:
    """What colours of rigid bodies show where they show this in all."""
    return "role" if by == "strain" else by


ROLES = {"link": "#ffffff", "free": "#f0a050", "fixed": "#8fa3bd"}
FORCE, SOFT = "#d0265c", "#7fc0a2"
# Each of the second ten is as far as it can be (in CIE Lab) from those before it and from other colours of pictures.
# fmt: off
_CURVES = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#7f7f7f", "#1b3a6b",
    "#0000ff", "#ff1eff", "#004b1e", "#5a00a5", "#ff001e", "#966900", "#961e00", "#96c387", "#0069ff", "#ff9678",
)
_LINKS = (
    "#4e9ac7", "#e8c547", "#6bb26b", "#b58bd6", "#e28c8c", "#57c0b4", "#c9a27e", "#8d99e0", "#b5cc5a", "#d884bb",
    "#87781e", "#00f0c3", "#c35a3c", "#d24b78", "#f0d2ff", "#787869", "#87e1ff", "#d2e1a5", "#0f8769", "#5a871e",
)
# fmt: on


def colours(surfaces: Iterable[Surface], by: By = "role") -> dict[str, str]:
    """A colour "#rrggbb" for each body, by name; links take turns in a row of twenty where each has its own."""
    own = cycle(_LINKS)
    return {body.name: next(own) if by == "link" and body.role == "link" else ROLES[body.role] for body in surfaces}


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of "#rrggbb", 0 to 255."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def hexadecimal(colour: Colour) -> str:
    """The colour "#rrggbb" of red, green and blue from 0 to 1."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour[:3])


def joint_colours(count: int) -> list[str]:
    """A colour for each joint's curve, the same in every plot; twenty take turns."""
    return [_CURVES[k % len(_CURVES)] for k in range(count)]
