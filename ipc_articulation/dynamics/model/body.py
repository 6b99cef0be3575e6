"""The rigid bodies of a robot."""

from __future__ import annotations

from dataclasses import dataclass

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import Joint
from ipc_articulation.dynamics.model.shapes import Shape


@dataclass(frozen=True)
class Body:
    """A rigid body of one or more links."""

    name: str  # name of the link that its joint moves
    joint_name: str
    joint: Joint
    parent: int  # body, or -1
    links: tuple[str, ...]  # names of the links joined rigidly
    mass: float  # [kg]
    centre: Array  # (3,) centre of mass in the body's frame [m]
    inertia: Array  # (3, 3) about the centre [kg·m²]
    collision: tuple[Shape, ...]  # placed in the body's frame
    visual: tuple[Shape, ...]
