"""The links of a DART world: its bodies whose joints move, each with those welded to it.

The frame of a link is that of its body. The order of joints and of their freedoms is that of the skeletons and their
bodies. Bodies that are welded to the world, and those of immobile skeletons, are static.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dartpy
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.errors import UnsupportedError

KINDS = {
    "RevoluteJoint": "revolute",
    "PrismaticJoint": "prismatic",
    "ScrewJoint": "helical",
    "UniversalJoint": "universal",
    "BallJoint": "spherical",
    "PlanarJoint": "planar",
    "FreeJoint": "free",
}
MASSLESS = 1e-15  # [kg] in place of zero, which DART's bodies cannot have
_TURN = 2.0 * np.pi  # DART's pitch of a screw is a slide per turn


@dataclass(frozen=True)
class Link:
    """A body with a joint that moves."""

    name: str
    joint_name: str
    body: Any  # BodyNode
    kind: str
    parent: int  # link, or -1 for the world
    dofs: tuple[int, ...]  # of its joint, in the order of DART, counted over all skeletons
    group: tuple[Any, ...]  # the body, and those welded to it

    @property
    def joint(self) -> Any:
        """The joint above the body."""
        return self.body.getParentJoint()

    def pose(self) -> Array:
        """The pose at the world's present state, (4, 4)."""
        return pose_of(self.body)


@dataclass(frozen=True)
class Tree:
    """The links and the static bodies of a world."""

    links: tuple[Link, ...]
    static: dict[str, Any]  # bodies by name
    ndofs: int

    def poses(self) -> Array:
        """Poses of the links, (n, 4, 4)."""
        return np.array([link.pose() for link in self.links]).reshape(-1, 4, 4)

    def joints(self) -> tuple[CoupledJoint, ...]:
        """The joints at the world's present state."""
        return tuple(self._joint(number, link) for number, link in enumerate(self.links))

    def base(self, link: Link) -> Array:
        """Pose of a link's parent, (4, 4); the identity for the world."""
        return np.eye(4) if link.parent < 0 else self.links[link.parent].pose()

    def _joint(self, number: int, link: Link) -> CoupledJoint:
        joint, parent = link.joint, link.body.getParentBodyNode()
        after = link.pose() @ joint.getTransformFromChildBodyNode().matrix()
        before = joint.getTransformFromParentBodyNode().matrix()
        before = before if parent is None else pose_of(parent) @ before
        common = (link.joint_name, link.kind, link.parent, number, after[:3, 3].copy())
        match link.kind:
            case "revolute" | "prismatic":
                return CoupledJoint(*common, axis=after[:3, :3] @ joint.getAxis())
            case "helical":
                return CoupledJoint(*common, axis=after[:3, :3] @ joint.getAxis(), pitch=joint.getPitch() / _TURN)
            case "universal":
                axes = before[:3, :3] @ joint.getAxis1(), after[:3, :3] @ joint.getAxis2()
            case "planar":
                R = before[:3, :3]
                axes = R @ joint.getRotationalAxis(), R @ joint.getTranslationalAxis1()
            case _:
                return CoupledJoint(*common)
        return CoupledJoint(*common, axis=axes[0], second_axis=axes[1])


def make_tree(world: Any) -> Tree:
    """The links of all skeletons of a world.

    Raises:
        UnsupportedError: A joint is of a kind that the articulation does not have, or moves as it is told.
    """
    links: list[Link] = []
    static: dict[str, Any] = {}
    first, several = 0, world.getNumSkeletons() > 1
    for number in range(world.getNumSkeletons()):
        skeleton = world.getSkeleton(number)
        prefix = f"{skeleton.getName()}/" if several else ""
        static |= {f"{prefix}{body.getName()}": body for body in _static(skeleton)}
        if skeleton.isMobile():
            links += _links(skeleton, prefix, first, len(links))
            first += skeleton.getNumDofs()
    return Tree(tuple(links), static, first)


def pose_of(body: Any) -> Array:
    """The pose of a body at its world's present state, (4, 4)."""
    return np.array(body.getWorldTransform().matrix())


def _links(skeleton: Any, prefix: str, first: int, before: int) -> list[Link]:
    moving = [body for body in _bodies(skeleton) if body.getParentJoint().getNumDofs()]
    numbers = {body.getIndexInSkeleton(): before + k for k, body in enumerate(moving)}
    found = []
    for body in moving:
        joint, above = body.getParentJoint(), _carrier(body.getParentBodyNode())
        found.append(
            Link(
                name=f"{prefix}{body.getName()}",
                joint_name=f"{prefix}{joint.getName()}",
                body=body,
                kind=_kind(joint, f"joint '{prefix}{joint.getName()}'"),
                parent=-1 if above is None else numbers[above.getIndexInSkeleton()],
                dofs=tuple(first + joint.getIndexInSkeleton(k) for k in range(joint.getNumDofs())),
                group=tuple(other for other in _bodies(skeleton) if _same(_carrier(other), body)),
            )
        )
    return found


def _kind(joint: Any, owner: str) -> str:
    kind = joint.getType()
    if kind not in KINDS:
        known = ", ".join(name.removesuffix("Joint") for name in KINDS)
        kind = kind.removesuffix("Joint")
        raise UnsupportedError(f"{owner} is of kind {kind}; those that can be coupled: {known}, Weld")
    if joint.isKinematic():
        actuator = str(joint.getActuatorType()).rpartition(".")[2]
        raise UnsupportedError(
            f"{owner} has an actuator of type {actuator}, which contact cannot resist; give it FORCE, PASSIVE or SERVO"
        )
    if joint.getActuatorType() == dartpy.dynamics.ActuatorType.MIMIC:
        raise UnsupportedError(
            f"{owner} has an actuator of type MIMIC, which pushes it without a reaction on its leader; adapters "
            "mujoco, native and pinocchio have exact mimic joints"
        )
    return KINDS[kind]


def _static(skeleton: Any) -> Iterator[Any]:
    """Bodies of a skeleton that never move."""
    return (body for body in _bodies(skeleton) if not skeleton.isMobile() or _carrier(body) is None)


def _bodies(skeleton: Any) -> list[Any]:
    return [skeleton.getBodyNode(number) for number in range(skeleton.getNumBodyNodes())]


def _carrier(body: Any) -> Any:
    """The body to which a body is welded, itself if its joint moves; None for the world."""
    while body is not None and not body.getParentJoint().getNumDofs():
        body = body.getParentBodyNode()
    return body


def _same(body: Any, other: Any) -> bool:
    return body is not None and body.getIndexInSkeleton() == other.getIndexInSkeleton()
