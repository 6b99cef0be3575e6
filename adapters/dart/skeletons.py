"""DART's skeletons of mechanisms: the robot as our own reader understands it, with its repairs.

DART's own reader of URDF files leaves capsules out, refuses joints without limits, and takes limits of zero as locks.
Shapes are no part of a skeleton: DART makes those of meshes in its own readers only (see `around.Around`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dartpy
import numpy as np
from ipc_articulation.adapters.dart.coordinates import isometry

from ipc_articulation.dynamics.joints import (
    FixedJoint,
    FloatingJoint,
    Joint,
    PlanarJoint,
    RevoluteJoint,
    SphericalJoint,
)
from ipc_articulation.dynamics.joints.elements import Screw
from ipc_articulation.dynamics.model import Mechanism, PlacedJoint
from ipc_articulation.dynamics.model.order import ordered_joints
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.errors import UnsupportedError

_MASS = 1e-15  # [kg] of links without mass, which DART's bodies must have
_SIZE = 1e-3  # [m] their radius of gyration
_KINDS: dict[type[Joint], str] = {
    FixedJoint: "Weld",
    FloatingJoint: "Free",
    SphericalJoint: "Ball",
    PlanarJoint: "Planar",
}


def make_skeleton(mechanism: Mechanism, file: Path) -> Any:
    """The skeleton of a tree; the file is for messages.

    Raises:
        UnsupportedError: A joint has a spring or a rotor, or follows another one.
    """
    skeleton = dartpy.dynamics.Skeleton(mechanism.name)
    links = {link.name: link for link in mechanism.links}
    bodies: dict[str, Any] = {}
    for joint in ordered_joints(mechanism.links, mechanism.joints, (), None, str(file)):
        _refuse_additions(joint, file)
        bodies[joint.child] = _add(skeleton, bodies.get(joint.parent), joint, links[joint.child])
    skeleton.enableSelfCollisionCheck()
    return skeleton


def _refuse_additions(joint: PlacedJoint, file: Path) -> None:
    for name in ("stiffness", "rotor_inertia"):
        if np.any(getattr(joint, name)):
            raise UnsupportedError(
                f"{file}: joint '{joint.name}' has {name}, which DART does not have; leave it out, also in the "
                "scene ('armature' is a rotor's), or use adapter native"
            )
    if joint.mimic is not None:
        raise UnsupportedError(
            f"{file}: joint '{joint.name}' mimics joint '{joint.mimic.joint}', and DART's motors for that push "
            "the follower without a reaction on the leader; use adapter mujoco, native or pinocchio"
        )


def _add(skeleton: Any, parent: Any, placed: PlacedJoint, link: Link) -> Any:
    """Add a link with the joint that carries it to a body; None: to the world."""
    turns = isinstance(placed.joint, RevoluteJoint)
    kind = _KINDS.get(type(placed.joint), "Revolute" if turns else "Prismatic")
    make = getattr(skeleton, f"create{kind}JointAndBodyNodePair")
    joint, body = make() if parent is None else make(parent)
    joint.setName(placed.name)
    body.setName(link.name)
    axes = [np.array(element.axis) for element in placed.joint.elements if isinstance(element, Screw)]
    if kind == "Planar":
        joint.setArbitraryPlane(*axes[:2])
    elif axes:
        joint.setAxis(*axes)
    joint.setTransformFromParentBodyNode(isometry(np.asarray(placed.origin)))
    joint.setLimitEnforcement(True)
    _set(joint, placed)
    mass = link.mass or _MASS
    moments = np.asarray(link.inertia) if link.mass else _MASS * _SIZE**2 * np.eye(3)
    body.setInertia(dartpy.dynamics.Inertia(mass, np.asarray(link.centre, dtype=float), moments))
    return body


def _set(joint: Any, placed: PlacedJoint) -> None:
    """Give a joint the limits, friction and damping of the mechanism; rates have no limits."""
    for k, name in enumerate(placed.dof_names):
        lower, upper, effort, friction, damping = (
            float(np.broadcast_to(getattr(placed, name), placed.joint.ndof)[k])
            for name in ("lower", "upper", "effort", "friction", "damping")
        )
        freedom = joint.getSkeleton().getDof(joint.getIndexInSkeleton(k))
        freedom.setName(name)
        freedom.setPositionLimits(lower, upper)
        freedom.setForceLimits(-effort, effort)
        freedom.setCoulombFriction(friction)
        freedom.setDampingCoefficient(damping)
