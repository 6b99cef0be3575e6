"""Parts of a mechanism: links, the joints that place them, and frames on them. They are plain data, and editable."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.joints import Joint
from ipc_articulation.dynamics.model.shapes import Shape

Meeting = tuple[tuple[str, ArrayLike], tuple[str, ArrayLike]]  # two links, each with its point; the points coincide

WORLD = "world"
EARTH = (0.0, 0.0, -9.81)  # [m/s²]


@dataclass
class Link:
    """A rigid body."""

    name: str
    mass: float = 0.0  # [kg]
    centre: ArrayLike = (0.0, 0.0, 0.0)  # (3,) centre of mass in the link's frame [m]
    inertia: ArrayLike = field(default_factory=lambda: np.zeros((3, 3)))  # (3, 3) about the centre [kg·m²], link's axes
    collision: tuple[Shape, ...] = ()
    visual: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """A joint whose position is `multiplier` times that of another joint plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class PlacedJoint:
    """A joint between two links.

    The child's pose in the parent is origin · H(q) · child_origin. A property of the degrees of freedom is one number
    for all of them, or (ndof,).
    """

    name: str
    joint: Joint
    parent: str
    child: str
    origin: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) joint frame in the parent's frame
    child_origin: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) child's frame in the moved joint frame
    damping: ArrayLike = 0.0  # [N·m·s/rad or N·s/m]
    stiffness: ArrayLike = 0.0  # [N·m/rad or N/m]
    spring_mount: ArrayLike | None = None  # (nq,) position at rest; None: neutral
    rotor_inertia: ArrayLike = 0.0  # reflected: that of the rotor times gear ratio squared [kg·m² or kg]
    friction: ArrayLike = 0.0  # Coulomb friction [N·m or N]
    lower: ArrayLike = -np.inf  # (ndof,) [rad or m]
    upper: ArrayLike = np.inf
    effort: ArrayLike = np.inf  # largest actuator force [N·m or N]
    velocity: ArrayLike = np.inf  # largest rate [rad/s or m/s]
    mimic: Mimic | None = None


@dataclass
class FixedFrame:
    """A frame fixed to a link."""

    name: str
    link: str
    pose: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) in the link's frame
