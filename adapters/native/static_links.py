"""Links that are fixed to the world, each as a static body of its own.

A model makes one body of all of them. As separate bodies, they can be touched by the robot, except for the links
between the robot and the world.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from ipc_articulation.adapters.native.shapes import surface

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.coupling.solids import Facets
from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.dynamics.model import Mechanism, PlacedJoint
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.dynamics.reading.tree import joints_below


def static_names(mechanism: Mechanism) -> frozenset[str]:
    """The links fixed to the world."""
    return frozenset(static_poses(mechanism))


@dataclass(frozen=True)
class StaticLinks:
    """The links fixed to the world that have shapes, at their poses."""

    links: dict[str, tuple[Array, tuple[Shape, ...], tuple[Shape, ...]]]  # pose (4, 4), collision and visual, by name

    @staticmethod
    def of(mechanism: Mechanism) -> StaticLinks:
        """Those of a mechanism."""
        poses = static_poses(mechanism)
        links = (link for link in mechanism.links if link.name in poses and (link.collision or link.visual))
        return StaticLinks({link.name: (poses[link.name], link.collision, link.visual) for link in links})

    def bodies(self, facets: Facets) -> tuple[CoupledBody, ...]:
        """As bodies.

        Raises:
            MeshError: No shape of a link has a volume; or repairs are refused, and a mesh is open or cannot be read.
        """
        bodies = (
            CoupledBody(name, pose, surface(collision, name, facets), friction=FRICTION, visual=visual)
            for name, (pose, collision, visual) in self.links.items()
        )
        return tuple(body for body in bodies if body.mesh is not None or body.visual)


def carried_by_static(mechanism: Mechanism, static: Collection[str]) -> frozenset[frozenset[str]]:
    """Pairs of names: every moving link with each of some static ones that is on its chain down to the world.

    A floating joint carries nothing.
    """
    above = {joint.child: joint for joint in mechanism.joints}
    return frozenset(
        frozenset({joint.child, holding.parent})
        for joint in mechanism.joints
        if joint.joint.ndof
        for holding in takewhile(_holds, joints_below(joint.child, above))
        if holding.parent in static
    )


def _holds(joint: PlacedJoint) -> bool:
    return not isinstance(joint.joint, FloatingJoint)


def take_off_static_shapes(mechanism: Mechanism) -> None:
    """Leave the links fixed to the world without shapes."""
    static = static_poses(mechanism)
    for link in mechanism.links:
        if link.name in static:
            link.collision = link.visual = ()


def static_poses(mechanism: Mechanism) -> dict[str, Array]:
    """Poses (4, 4) of the links fixed to the world, by name."""
    poses, waiting = {WORLD: np.eye(4)}, [joint for joint in mechanism.joints if not joint.joint.ndof]
    while ready := [joint for joint in waiting if joint.parent in poses]:
        for joint in ready:
            poses[joint.child] = poses[joint.parent] @ np.asarray(joint.origin) @ np.asarray(joint.child_origin)
        waiting = [joint for joint in waiting if joint.child not in poses]
    del poses[WORLD]
    return poses
