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
from ipc_articulation.adapters.dart.tree import MASSLESS

from ipc_articulation.dynamics.joints.elements import Element, Screw
from ipc_articulation.dynamics.model import Mechanism, PlacedJoint
from ipc_articulation.dynamics.model.order import ordered_joints
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.errors import UnsupportedError

_SIZE = 1e-3  # [m] radius of gyration of links without mass


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


def _add(skeleton: Any, body: Any, placed: PlacedJoint, link: Link) -> Any:
    """Add a link to a body, None for the world, with a joint for each element of the joint that carries it."""
    elements = placed.joint.elements
    free = len(elements) == 2
    place = isometry(np.asarray(placed.origin))
    for k, element in enumerate([None] if free or not elements else elements):
        kind = ("Free" if free else "Weld") if element is None else _kind(element)
        make = getattr(skeleton, f"create{kind}JointAndBodyNodePair")
        joint, body = make() if body is None else make(body)
        joint.setName(placed.name if free or not isinstance(element, Screw) else placed.dof_names[k])
        body.setName(f"{link.name}/{k + 1}")
        body.setInertia(dartpy.dynamics.Inertia(MASSLESS, np.zeros(3), MASSLESS * _SIZE**2 * np.eye(3)))
        joint.setTransformFromParentBodyNode(place)
        place = isometry(np.eye(4))
        if isinstance(element, Screw):
            joint.setAxis(np.array(element.axis))
        _set(joint, placed, k)
    body.setName(link.name)
    if link.mass:
        centre, moments = np.array(link.centre, float), np.array(link.inertia, float)
        body.setInertia(dartpy.dynamics.Inertia(link.mass, centre, moments))
    return body


def _kind(element: Element) -> str:
    if not isinstance(element, Screw):
        return "Ball"
    return "Revolute" if element.turn else "Prismatic"


def _set(joint: Any, placed: PlacedJoint, first: int) -> None:
    """Give a joint of DART the limits, friction and damping of freedoms of a joint; rates have no limits."""
    joint.setLimitEnforcement(True)
    for k in range(joint.getNumDofs()):
        lower, upper, effort, friction, damping = (
            float(np.broadcast_to(getattr(placed, name), placed.joint.ndof)[first + k])
            for name in ("lower", "upper", "effort", "friction", "damping")
        )
        joint.setPositionLowerLimit(k, lower)
        joint.setPositionUpperLimit(k, upper)
        joint.setForceLowerLimit(k, -effort)
        joint.setForceUpperLimit(k, effort)
        joint.setCoulombFriction(k, friction)
        joint.setDampingCoefficient(k, damping)
