"""Robots that every engine can build: each is one description, a tuple of parts in the order of their joints."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ipc_articulation import spatial

DT = 0.005  # [s]
GRAVITY = np.array([0.3, -0.2, -9.81])  # [m/s²], along no axis
UNITS = {"revolute": 1, "prismatic": 1, "spherical": 3, "free": 6}  # freedoms of each kind
X, Y, Z = map(tuple, np.eye(3))


@dataclass(frozen=True)
class Part:
    """A link that is a box about its centre of mass, with the joint that moves it."""

    name: str
    parent: int  # -1 for the world
    kind: str
    origin: np.ndarray  # (4, 4) of the link at rest in the parent's frame; the joint is at the link's origin
    axis: tuple[float, float, float] = Z  # of a revolute or prismatic joint, in the link's frame
    mass: float = 1.0
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float] = (0.02, 0.03, 0.04)  # about the centre, along the link's axes
    size: tuple[float, float, float] = (0.1, 0.1, 0.1)
    damping: float = 0.0

    @property
    def joint(self) -> str:
        return f"to {self.name}"


@dataclass(frozen=True)
class Robot:
    """Parts, and a position and velocities to start from; spherical and free joints start from their origin."""

    parts: tuple[Part, ...]
    theta: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of the revolute and prismatic joints
    speed: float = 1.0  # scale of the velocities

    @property
    def rates(self) -> np.ndarray:
        """θ̇ of all freedoms: of a free joint the world velocity of its origin, and the turn in its own axes."""
        return self.speed * np.random.default_rng(1).normal(size=sum(UNITS[part.kind] for part in self.parts))

    @property
    def single(self) -> np.ndarray:
        """Which freedoms are those of revolute and prismatic joints, (m,)."""
        return np.concatenate([np.full(UNITS[part.kind], UNITS[part.kind] == 1) for part in self.parts])


def at(*position: float, turn: float = 0.0) -> np.ndarray:
    """A pose, perhaps turned about an oblique axis."""
    return spatial.pose(spatial.rotation_about(np.array([0.48, 0.6, 0.64]), turn), position)


ROBOTS = {
    "double pendulum": Robot(
        (
            Part("upper", -1, "revolute", at(0, 0, 1), Y, 1.5, (0.25, 0, 0), size=(0.4, 0.05, 0.05), damping=0.1),
            Part("lower", 0, "revolute", at(0.5, 0, 0, turn=0.4), Y, 1.0, (0.2, 0, 0.01), size=(0.3, 0.04, 0.04)),
        ),
        np.array([0.3, -0.2]),
    ),
    "arm with a slide": Robot(
        (
            Part("turret", -1, "revolute", at(0.1, 0.2, 0.3), (0.0, 0.6, 0.8), 2.0, (0, 0, 0.1), damping=0.5),
            Part("boom", 0, "prismatic", at(0.2, 0, 0.1, turn=0.3), X, 1.0, (0.2, 0, 0), size=(0.3, 0.05, 0.05)),
            Part("hand", 1, "revolute", at(0.4, 0, 0), Y, 0.5, (0.1, 0, 0), size=(0.15, 0.08, 0.03), damping=0.05),
        ),
        np.array([0.4, 0.05, -0.3]),
    ),
    "two legs on a floating base": Robot(
        (
            Part("trunk", -1, "free", at(0, 0, 1), mass=3.0, centre=(0.02, 0, 0.01), size=(0.3, 0.2, 0.1)),
            Part("left", 0, "revolute", at(0, 0.16, -0.1), Y, 0.6, (0, 0, -0.15), size=(0.05, 0.05, 0.2), damping=0.1),
            Part("left foot", 1, "prismatic", at(0, 0, -0.3), Z, 0.3, (0, 0, -0.1), size=(0.08, 0.05, 0.1)),
            Part("right", 0, "revolute", at(0, -0.16, -0.1), Y, 0.6, (0, 0, -0.15), size=(0.05, 0.05, 0.2)),
            Part("right foot", 3, "prismatic", at(0, 0, -0.3), Z, 0.3, (0, 0, -0.1), size=(0.08, 0.05, 0.1)),
        ),
        np.array([0.2, 0.01, -0.3, -0.02]),
    ),
    "arm of balls": Robot(
        (
            Part("upper", -1, "spherical", at(0, 0, 1), centre=(0.02, 0, -0.2), size=(0.05, 0.05, 0.3), damping=0.2),
            Part("lower", 0, "spherical", at(0, 0, -0.5, turn=0.5), centre=(0, 0.01, -0.2), size=(0.05, 0.04, 0.3)),
        ),
    ),
}
