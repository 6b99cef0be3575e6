"""The floor of a robot's own file, and how far the robot must rise above it or above a ground of the scene."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.checking.start import Start, Thing, touching
from ipc_articulation.coupling.adapter import CoupledJoint, HalfPlane

UPRIGHT = 0.9  # cosine of the steepest floor
CLEARANCE = 2.0  # of the lowest point above the floor, in d̂


class Floor(NamedTuple):
    """A half-plane or a broad body under the robot."""

    thing: HalfPlane | Thing
    height: float  # against gravity [m]


class Rise(NamedTuple):
    """How far a joint must move so that the links that it carries are clear of the floor."""

    joint: str
    change: float  # [m]


def up_of(gravity: Sequence[float]) -> Array:
    """The direction against gravity, (3,); z without gravity."""
    length = float(np.linalg.norm(gravity))
    return -np.asarray(gravity) / length if length else np.array([0.0, 0.0, 1.0])


def own_floor(start: Start, up: Array) -> Floor | None:
    """The highest floor of the robot's file: a half-plane, or a static body that is broader than all that moves."""
    floors = [Floor(plane, float(plane.point @ up)) for plane in start.robot.planes if plane.normal @ up > UPRIGHT]
    floors += [Floor(thing, _top(thing, up)) for thing in start.things if _is_broad(thing, start, up)]
    return max(floors, key=lambda floor: floor.height, default=None)


def missing_height(things: Iterable[Thing], height: float, up: Array, d_hat: float) -> float:
    """How far some things must rise so that none is lower than the clearance above a height, in whole mm [m]."""
    lowest = min((float((thing.vertices @ up).min()) for thing in things), default=math.inf)
    return _whole(height + CLEARANCE * d_hat - lowest)


def rises(start: Start, floor: Floor, up: Array, d_hat: float) -> Iterator[Rise]:
    """Vertical slides, nearest to the world, that bring links out of a floor which they may touch."""
    names = [link.name for link in start.robot.links]
    things = {thing.name: thing for thing in start.things}
    for joint in start.robot.joints:
        along = float(joint.axis @ up)
        if joint.kind != "prismatic" or abs(along) < UPRIGHT:
            continue
        carried = [things[names[link]] for link in _carried(start.robot.joints, joint) if names[link] in things]
        touched = [thing for thing in carried if touching(start, thing, floor.thing)]
        needed = missing_height(touched, floor.height, up, d_hat)
        if needed > 0.0:
            yield Rise(joint.name, needed / along)
            return


def _whole(length: float) -> float:
    """A length, rounded up to millimetres; zero if it is not positive."""
    return math.ceil(round(1e3 * length, 6)) / 1e3 if 0.0 < length < math.inf else 0.0


def _carried(joints: Sequence[CoupledJoint], first: CoupledJoint) -> set[int]:
    """Links that a joint carries, its own among them; parents come before their children."""
    carried = {first.child}
    for joint in joints:
        if joint.parent in carried:
            carried.add(joint.child)
    return carried


def _is_broad(thing: Thing, start: Start, up: Array) -> bool:
    """Whether a static body lies under all that moves, reaches farther in all horizontal directions, and is no base."""
    moving = [other for other in start.things if not other.static]
    if not thing.static or not moving or not all(touching(start, thing, other) for other in moving):
        return False
    points, across = np.vstack([other.vertices for other in moving]), np.eye(3)[np.abs(up) < 0.5]
    low, high = (thing.vertices @ across.T).min(axis=0), (thing.vertices @ across.T).max(axis=0)
    lies_under = ((low <= (points @ across.T).min(axis=0)) & ((points @ across.T).max(axis=0) <= high)).all()
    return bool(lies_under) and _top(thing, up) < float((points @ up).mean())


def _top(thing: Thing, up: Array) -> float:
    return float((thing.vertices @ up).max())
