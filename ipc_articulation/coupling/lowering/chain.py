"""The chain of libuipc's joints that stands for a ball joint or a free joint.

A ball joint between a parent P and a child C becomes libuipc's own ball joint, which holds the anchor and is in no
articulation, and a ghost G: a body without inertia and surface that has in each step the attitude which is predicted
for the child. Three revolute joints between G and C, without a penalty, measure the twists ψ of C from it (see
`twists`): they are near zero whatever the attitude, and never singular. The ghost of a joint on the world is pulled to
its attitude by a soft transform, which also holds it at a place that nothing depends on; that of a joint on a moving
link is held by the twists of three more revolute joints between P and G, which are singular at half a turn.

A free joint on the world has besides G a ghost B, which does not turn and is pinned to the child's origin. Three
prismatic joints between the world and B measure the displacement.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint, CoupledRobot
from ipc_articulation.coupling.kinds import kind_of
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.spatial import pose

KEPT = ("revolute", "prismatic")  # which every engine of libuipc has in an articulation
LOWERED = ("spherical", "free")


@dataclass(frozen=True)
class Ghost:
    """A ghost body, at the moment of coupling."""

    body: CoupledBody
    pulled: bool  # whether a soft transform gives it its attitude; otherwise joints of the articulation do
    pinned: bool = True  # whether a joint holds its place; otherwise the soft transform does


@dataclass(frozen=True)
class Chain:
    """What stands for a joint; ghosts count as links that come after the robot's own."""

    joint: CoupledJoint
    first: int  # its first freedom in M̂
    ghosts: tuple[Ghost, ...]  # G, B
    first_ghost: int  # number of G as a link
    measures: tuple[CoupledJoint, ...]  # one for each freedom, in their order
    holds: tuple[CoupledJoint, ...]  # that hold G at a moving parent
    pins: tuple[CoupledJoint, ...]  # ball joints, in no articulation
    child_in_parent: Array  # (3, 3) the child's attitude in the parent's frame at the moment of coupling

    @property
    def turning(self) -> slice:
        """The freedoms of its rotation."""
        last = self.first + len(self.measures)
        return slice(last - 3, last)

    @property
    def sliding(self) -> slice:
        """The freedoms of its translation, none of a ball joint."""
        return slice(self.first, self.first + len(self.measures) - 3)

    def ghost_poses(self, child: Array) -> tuple[Array, ...]:
        """Poses (4, 4) of the ghosts where the child's is `child` (4, 4)."""
        return (child, pose(None, child[:3, 3]))[: len(self.ghosts)]


def require_lowerable(robot: CoupledRobot) -> None:
    """Refuse joints that have no chain here.

    Raises:
        UnsupportedError: There is one; names it, its kind, and what to do.
    """
    kinds = (KEPT + LOWERED, KEPT, (*KEPT, "fixed", "spherical"))
    lists = (robot.joints, robot.tied_joints, robot.passive_joints)
    for joint, fine in [(joint, fine) for joints, fine in zip(lists, kinds, strict=True) for joint in joints]:
        if joint.kind not in fine:
            raise UnsupportedError(
                f"joint '{joint.name}': {joint.kind} joints are not lowered to joints of libuipc's own engines, only "
                "spherical and free ones; use Engine('cpu') and couple(..., joints='own')"
            )
        if joint.kind == "free" and joint.parent >= 0:
            raise UnsupportedError(
                f"joint '{joint.name}': a free joint is lowered only where its parent is the world, and this one is on "
                f"link '{robot.links[joint.parent].name}'; use Engine('cpu') and couple(..., joints='own')"
            )


def chains_of(robot: CoupledRobot) -> tuple[Chain, ...]:
    """The chains of a robot's ball and free joints."""
    chains: list[Chain] = []
    first, ghosts = 0, len(robot.links)
    for joint in robot.joints:
        if joint.kind in LOWERED:
            chains.append(_chain(robot, joint, first, ghosts))
            ghosts += len(chains[-1].ghosts)
        first += kind_of(joint).freedoms
    return tuple(chains)


def _chain(robot: CoupledRobot, joint: CoupledJoint, first: int, number: int) -> Chain:
    child, on_world, is_free = robot.links[joint.child].pose, joint.parent < 0, joint.kind == "free"
    parent = np.eye(3) if on_world else robot.links[joint.parent].pose[:3, :3]
    G = Ghost(CoupledBody(f"{joint.name}, attitude", child), pulled=on_world, pinned=not on_world)
    B = Ghost(CoupledBody(f"{joint.name}, place", pose(None, child[:3, 3])), pulled=True)
    attitude = replace(joint, kind="revolute", parent=number)
    place = replace(joint, kind="prismatic", child=number + 1, anchor=child[:3, 3])
    pin = replace(joint, kind="spherical")
    ghost_pin = replace(pin, name=f"{joint.name}, pin")
    pins = (replace(ghost_pin, parent=number + 1, anchor=child[:3, 3]),) if is_free else (pin,)
    turns = _along(attitude, child[:3, :3], ("rx", "ry", "rz"))
    return Chain(
        joint,
        first,
        (G, B) if is_free else (G,),
        number,
        (*_along(place, np.eye(3), ("x", "y", "z")), *turns) if is_free else turns,
        () if on_world else _along(replace(joint, kind="revolute", child=number), child[:3, :3], ("hx", "hy", "hz")),
        pins if on_world else (*pins, replace(ghost_pin, child=number)),
        parent.T @ child[:3, :3],
    )


def _along(joint: CoupledJoint, axes: Array, labels: tuple[str, ...]) -> tuple[CoupledJoint, ...]:
    """A joint about or along each column of `axes` (3, 3)."""
    return tuple(replace(joint, name=f"{joint.name}/{label}", axis=axes[:, k]) for k, label in enumerate(labels))
