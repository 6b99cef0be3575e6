"""Links that are fixed to the world, each as a static body of its own.

A model makes one body of all of them. As separate bodies, they can be touched by the robot, except for the links
between the robot and the world.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from ipc_articulation.adapters.native.shapes import surface

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.tree import joints_below


def static_names(mechanism: Mechanism) -> frozenset[str]:
    """The links fixed to the world."""
    return frozenset(_static_poses(mechanism))


def static_bodies(mechanism: Mechanism) -> tuple[CoupledBody, ...]:
    """The links fixed to the world that have shapes for contact, at their poses.

    Raises:
        MeshError: A mesh is not closed or cannot be read.
    """
    poses = _static_poses(mechanism)
    return tuple(
        CoupledBody(link.name, poses[link.name], surface(link.collision, link.name), friction=FRICTION)
        for link in mechanism.links
        if link.name in poses and link.collision
    )


def carried_by_static(mechanism: Mechanism, static: Collection[str]) -> frozenset[frozenset[str]]:
    """Pairs of names: every moving link with each of some static ones that is on its chain down to the world."""
    above = {joint.child: joint for joint in mechanism.joints}
    return frozenset(
        frozenset({joint.child, below.child})
        for joint in mechanism.joints
        if joint.joint.ndof
        for below in joints_below(joint.parent, above)
        if below.child in static
    )


def take_off_static_shapes(mechanism: Mechanism) -> None:
    """Leave the links fixed to the world without shapes for contact."""
    static = _static_poses(mechanism)
    for link in mechanism.links:
        if link.name in static:
            link.collision = ()


def _static_poses(mechanism: Mechanism) -> dict[str, Array]:
    """Poses (4, 4) in the world of the links fixed to it, by name."""
    poses, waiting = {WORLD: np.eye(4)}, [joint for joint in mechanism.joints if not joint.joint.ndof]
    while ready := [joint for joint in waiting if joint.parent in poses]:
        for joint in ready:
            poses[joint.child] = poses[joint.parent] @ np.asarray(joint.origin) @ np.asarray(joint.child_origin)
        waiting = [joint for joint in waiting if joint.child not in poses]
    del poses[WORLD]
    return poses
