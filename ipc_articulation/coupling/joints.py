"""Puts the joints of a robot, and the constraint over all of them, into a libuipc scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import uipc
from uipc.constitution import (
    AffineBodyPrismaticJoint,
    AffineBodyRevoluteJoint,
    ExternalArticulationConstraint,
)

from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.coupling.bodies import PlacedBodies
from ipc_articulation.coupling.stiffness import AXIS_LENGTH

_CONSTITUTIONS = {"revolute": AffineBodyRevoluteJoint, "prismatic": AffineBodyPrismaticJoint}


def place_joints(
    scene: uipc.Scene, joints: Sequence[CoupledJoint], bodies: PlacedBodies, strength: Sequence[float]
) -> list[tuple[Any, int]]:
    """Create one line mesh for all revolute and one for all prismatic joints.

    Its edges, of 0.2 m about the anchors, are the axes. They carry no surface label: they touch nothing.

    Args:
        scene: The scene that holds the bodies.
        joints: The m joints.
        bodies: Slots of their bodies.
        strength: (m,) strength_ratio of each.

    Returns:
        Geometry slot and edge of each joint, in the order given.
    """
    places: dict[int, tuple[Any, int]] = {}
    for kind, constitution in _CONSTITUTIONS.items():
        chosen = [k for k, joint in enumerate(joints) if joint.kind == kind]
        if not chosen:
            continue
        mesh = _joint_mesh(constitution(), [joints[k] for k in chosen], bodies, [strength[k] for k in chosen])
        slot, _ = scene.objects().create(f"{kind} joints").geometries().create(mesh)
        places |= {k: (slot, edge) for edge, k in enumerate(chosen)}
    return [places[k] for k in range(len(joints))]


def place_articulation(scene: uipc.Scene, places: Sequence[tuple[Any, int]]) -> tuple[Any, Any]:
    """Create the object that carries the external articulation over some joints; without joints it is empty.

    Returns:
        The object and its geometry slot, None without joints.
    """
    carrier = scene.objects().create("articulation")
    if not places:
        return carrier, None
    slots, edges = zip(*places, strict=True)
    constraint = ExternalArticulationConstraint().create_geometry(list(slots), np.array(edges, dtype=np.int32))
    constraint.meta().create("name", "articulation")
    slot, _ = carrier.geometries().create(constraint)
    return carrier, slot


def _joint_mesh(constitution: Any, joints: list[CoupledJoint], bodies: PlacedBodies, strength: list[float]) -> Any:
    anchors = np.array([joint.anchor for joint in joints])
    half_axes = 0.5 * AXIS_LENGTH * np.array([joint.axis for joint in joints])
    first_instance = np.zeros(len(joints), dtype=np.int32)
    return constitution.create_geometry(
        anchors - half_axes,
        anchors + half_axes,
        [bodies.world if joint.parent < 0 else bodies.links[joint.parent] for joint in joints],
        first_instance,
        [bodies.links[joint.child] for joint in joints],
        first_instance,
        np.array(strength),
    )
