"""Kinematic paths between links, through joints of one degree of freedom.

With P_k the pose of joint k at zero, in the moved frame of the joint above it, E_k its screw, and P the link's pose in
the last frame, the link's pose in the first frame of the path is

    H(q) = P_1 E_1(q_1) ⋯ P_n E_n(q_n) P,     E x = x + sin θ a~ x + (1 - cos θ) a~² x + d a

with the axis a, θ = turn q and d = slide q. Vectors are multiplied by one factor after another, with operations that
exist for numbers, complex numbers and CasADi's symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints.elements import Screw
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD, PlacedJoint
from ipc_articulation.dynamics.reading.tree import joints_below
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

Values = Mapping[str, Any]  # positions of joints by name: numbers or symbols
Vector = NDArray[Any]  # numbers or symbols


@dataclass(frozen=True)
class PathJoint:
    """A joint of a path."""

    name: str
    pose: Array  # (4, 4) P_k
    screw: Screw


@dataclass(frozen=True)
class JointPath:
    """A path from a link to one of its descendants."""

    joints: tuple[PathJoint, ...]  # from the first to the last
    end: Array  # (4, 4) P

    def point(self, q: Values, x: ArrayLike) -> Vector:
        """Position of a point of the link: (3,) in the link's frame -> (3,) in the first frame of the path."""
        p = _placed(self.end, np.asarray(x))
        for joint in reversed(self.joints):
            p = _placed(joint.pose, _moved(joint.screw, q[joint.name], p))
        return p

    def direction_in_link(self, q: Values, d: Vector) -> Vector:
        """The components of a vector in the link's axes: (3,) in the axes of the path's first frame -> (3,)."""
        for joint in self.joints:
            d = _turned(joint.screw, -q[joint.name], joint.pose[:3, :3].T @ d)
        return self.end[:3, :3].T @ d

    def point_in_link(self, q: Mapping[str, float], x: ArrayLike) -> Array:
        """The inverse of `point`, for numbers."""
        H = np.eye(4)
        for joint in self.joints:
            H = H @ joint.pose @ joint.screw.pose(np.array([q[joint.name]]))
        return (spatial.inverse(H @ self.end) @ np.append(np.asarray(x, dtype=float), 1.0))[:3]


def _placed(pose: Array, x: Vector) -> Vector:
    return pose[:3, :3] @ x + pose[:3, 3]


def _moved(screw: Screw, q: Any, x: Vector) -> Vector:
    x = _turned(screw, q, x)
    return x + _scaled(screw.slide * q, screw.axis) if screw.slide else x


def _turned(screw: Screw, q: Any, x: Vector) -> Vector:
    if not screw.turn:
        return x
    a, angle = spatial.skew(screw.axis), screw.turn * q
    return x + _scaled(np.sin(angle), a @ x) + _scaled(1.0 - np.cos(angle), a @ (a @ x))


def _scaled(s: Any, x: Iterable[Any]) -> Vector:
    """The product s x, component by component, because a symbol times an array would be a CasADi matrix."""
    return np.array([s * component for component in x])


def paths_between(mechanism: Mechanism, first: str, second: str, where: str) -> tuple[JointPath, JointPath]:
    """The paths to two links from their nearest common ancestor.

    Args:
        mechanism: A tree.
        first: A link or «world».
        second: A link or «world».
        where: Beginning of messages.

    Raises:
        ModelError: A link is unknown, a joint between them does not have one degree of freedom, or no joint moves.
    """
    above = {joint.child: joint for joint in mechanism.joints}
    to_first, to_second = (_from_world(name, above, where) for name in (first, second))
    while to_first and to_second and to_first[0] is to_second[0]:
        del to_first[0], to_second[0]
    paths = _path(to_first, where), _path(to_second, where)
    if not any(path.joints for path in paths):
        raise ModelError(f"{where}: links '{first}' and '{second}' do not move relative to each other; leave it out")
    return paths


def _from_world(link: str, above: dict[str, PlacedJoint], where: str) -> list[PlacedJoint]:
    """All joints from the world to a link."""
    if link != WORLD and link not in above:
        raise ModelError(f"{where}: unknown link '{link}'{suggest(link, above, 'links')}")
    return list(joints_below(link, above))[::-1]


def _path(joints: list[PlacedJoint], where: str) -> JointPath:
    moving, pose = [], np.eye(4)
    for placed in joints:
        pose = pose @ np.asarray(placed.origin, dtype=float)
        if placed.joint.ndof:
            moving.append(PathJoint(placed.name, pose, _screw(placed, where)))
            pose = np.eye(4)
        pose = pose @ np.asarray(placed.child_origin, dtype=float)
    return JointPath(tuple(moving), pose)


def _screw(placed: PlacedJoint, where: str) -> Screw:
    elements = placed.joint.elements
    if len(elements) == 1 and isinstance(elements[0], Screw):
        return elements[0]
    kind = f"a {type(placed.joint).__name__} with {placed.joint.ndof} degrees of freedom"
    raise ModelError(f"{where}: goes through joint '{placed.name}', {kind}; joints of a loop have one")
