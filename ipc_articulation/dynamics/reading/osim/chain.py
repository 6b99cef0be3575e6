"""OpenSim's joints as chains of joints with one degree of freedom, and clusters of those with common coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import FixedJoint
from ipc_articulation.dynamics.loops.coordinate_functions import CoordinateFunctions, Function
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.connected import connected
from ipc_articulation.dynamics.reading.osim.axes import Axis
from ipc_articulation.dynamics.reading.osim.coordinates import Coordinate, Coupler
from ipc_articulation.dynamics.reading.osim.document import JointElement
from ipc_articulation.dynamics.reading.osim.functions import IDENTITY, Constant, composed, minus_identity
from ipc_articulation.naming import free_name


@dataclass(frozen=True)
class MovingJoint:
    """A joint of the mechanism, q = f(y), with y an independent coordinate."""

    joint: str
    function: Function
    coordinate: str


def of_independent(axis: Axis, couplings: Mapping[str, Coupler]) -> Axis:
    """An axis as a function of an independent coordinate."""
    coupling = couplings.get(axis.coordinate)
    if coupling is None:
        return axis
    function = composed(axis.function, coupling.function)
    coordinate = "" if isinstance(function, Constant) else coupling.independent
    return replace(axis, function=function, coordinate=coordinate)


def add_joint_chain(
    mechanism: Mechanism, joint: JointElement, axes: list[Axis], coordinates: Mapping[str, Coordinate]
) -> list[MovingJoint]:
    """Add the chain of joints for one of OpenSim's joints, and massless links between them.

    Constant parts of the motion become part of the joints' origins. A joint whose position is a coordinate gets the
    coordinate's name and limits; the others are called «joint/axis», and the links between them «body/axis». A joint
    that does not move keeps its name.

    Args:
        mechanism: The mechanism.
        joint: The joint.
        axes: Its axes as functions of independent coordinates, in the order in which they move the child.
        coordinates: The independent coordinates by name.

    Returns:
        The moving joints.
    """
    for name in [c.name for c in coordinates.values() if c.joint == joint.name]:
        axes = _with_own_joint(name, axes)
    steps, tail = _steps(axes, joint.parent_pose)
    child_origin = tail @ spatial.inverse(joint.child_pose)
    if not steps:
        mechanism.add_joint(joint.name, FixedJoint(), joint.parent, joint.child, origin=child_origin)
    parent = joint.parent
    moving: list[MovingJoint] = []
    for number, (origin, axis) in enumerate(steps, start=1):
        name, limits = _name(axis, joint, coordinates, taken=[one.joint for one in moving])
        links = [link.name for link in mechanism.links]
        child, end = free_name(f"{joint.child}/{axis.name}", links.__contains__), np.eye(4)
        if number == len(steps):
            child, end = joint.child, child_origin
        else:
            mechanism.add_link(child)
        mechanism.add_joint(name, axis.joint(), parent, child, origin=origin, child_origin=end, **limits)
        moving.append(MovingJoint(name, axis.function, axis.coordinate))
        parent = child
    return moving


def _with_own_joint(coordinate: str, axes: list[Axis]) -> list[Axis]:
    """Axes of which one is a coordinate y itself, the joint of its limits and drives: f = y + (f - y)."""
    own = [axis for axis in axes if axis.coordinate == coordinate]
    if any(axis.without_offset()[1].function == IDENTITY for axis in own):
        return axes
    at = axes.index(own[0])
    itself, rest = replace(own[0], function=IDENTITY), replace(own[0], function=minus_identity(own[0].function))
    return [*axes[:at], itself, rest, *axes[at + 1 :]]


def _steps(axes: list[Axis], frame: Array) -> tuple[list[tuple[Array, Axis]], Array]:
    """The moving axes, each with its origin in the moved frame of the axis before, and the pose after the last one."""
    steps = []
    for axis in axes:
        before, rest = axis.without_offset()
        frame = frame @ before
        if rest.coordinate:
            steps.append((frame, rest))
            frame = np.eye(4)
    return steps, frame


def _name(
    axis: Axis, joint: JointElement, coordinates: Mapping[str, Coordinate], taken: list[str]
) -> tuple[str, dict[str, float]]:
    """The name of an axis' joint, and its limits."""
    coordinate = coordinates[axis.coordinate]
    if axis.function == IDENTITY and coordinate.joint == joint.name and coordinate.name not in taken:
        return coordinate.name, {"lower": coordinate.lower, "upper": coordinate.upper}
    return free_name(f"{joint.name}/{axis.name}", taken.__contains__), {}


@dataclass(frozen=True)
class Cluster:
    """Joints whose positions are functions of fewer coordinates, or of coordinates with other names."""

    joints: tuple[str, ...]  # joints of the mechanism, (n,)
    coordinates: tuple[str, ...]  # independent coordinates, (m,)
    constraint: CoordinateFunctions  # positions of the joints as functions of the coordinates


def clusters_of(groups: Iterable[list[MovingJoint]], order: Sequence[str]) -> tuple[Cluster, ...]:
    """The clusters of a mechanism.

    The joints in the chain of one OpenSim joint belong together, and so do the chains with a common coordinate. They
    make a cluster unless the position of each joint is a coordinate of its own.

    Args:
        groups: The chain of joints of each OpenSim joint.
        order: All independent coordinates.
    """
    merged = connected(groups, lambda joints: [one.coordinate for one in joints])
    clusters = [[one for joints in group for one in joints] for group in merged]
    return tuple(_cluster(joints, order) for joints in clusters if not _independent(joints))


def _independent(joints: list[MovingJoint]) -> bool:
    count = Counter(one.coordinate for one in joints)
    return all(one.function == IDENTITY and count[one.coordinate] == 1 for one in joints)


def _cluster(joints: list[MovingJoint], order: Sequence[str]) -> Cluster:
    coordinates = sorted({one.coordinate for one in joints}, key=list(order).index)
    of = [coordinates.index(one.coordinate) for one in joints]
    constraint = CoordinateFunctions([one.function for one in joints], of, coordinates)
    return Cluster(tuple(one.joint for one in joints), tuple(coordinates), constraint)
