"""Creation of a robot's joints, and of the constraint over all of them, in a libuipc scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import uipc
from uipc.constitution import ExternalArticulationConstraint

from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.coupling.bodies import PlacedBodies
from ipc_articulation.coupling.kinds import kind_of
from ipc_articulation.coupling.stiffness import AXIS_LENGTH
from ipc_articulation.frontend.joint_kinds import BY_NAME, JointKind


def place_joints(
    scene: uipc.Scene, joints: Sequence[CoupledJoint], bodies: PlacedBodies, strength: Sequence[float]
) -> list[tuple[Any, int]]:
    """Create one geometry for all joints of a kind.

    An axis is an edge of 0.2 m about the joint's anchor. Joints carry no surface label: they touch nothing.

    Args:
        scene: The scene that holds the bodies.
        joints: The m joints.
        bodies: Slots of their bodies.
        strength: (m,) strength_ratio of each.

    Returns:
        Geometry slot and row of each joint, in the order given.

    Raises:
        ArticulationError: A joint's kind is unknown; names the joint.
    """
    places: dict[int, tuple[Any, int]] = {}
    names = [kind_of(joint).name for joint in joints]
    for name in dict.fromkeys(names):
        chosen = [k for k in range(len(joints)) if names[k] == name]
        mesh = _joint_mesh(BY_NAME[name], [joints[k] for k in chosen], bodies, [strength[k] for k in chosen])
        slot, _ = scene.objects().create(f"{name} joints").geometries().create(mesh)
        places |= {k: (slot, row) for row, k in enumerate(chosen)}
    return [places[k] for k in range(len(joints))]


def place_articulation(
    scene: uipc.Scene, joints: Sequence[CoupledJoint], places: Sequence[tuple[Any, int]]
) -> tuple[Any, Any]:
    """Create the object that carries the external articulation over some joints; without joints it is empty.

    Args:
        scene: The scene.
        joints: The joints of the articulation.
        places: Geometry slot and row of each; more may follow.

    Returns:
        The object and its geometry slot, None without joints.
    """
    carrier = scene.objects().create("articulation")
    freedoms = [place for joint, place in zip(joints, places, strict=False) for _ in kind_of(joint).units]
    if not freedoms:
        return carrier, None
    slots, rows = zip(*freedoms, strict=True)
    constraint = ExternalArticulationConstraint().create_geometry(list(slots), np.array(rows, dtype=np.int32))
    constraint.meta().create("name", "articulation")
    slot, _ = carrier.geometries().create(constraint)
    return carrier, slot


def _joint_mesh(kind: JointKind, joints: list[CoupledJoint], bodies: PlacedBodies, strength: list[float]) -> Any:
    anchors = np.array([joint.anchor for joint in joints])
    half_axes = 0.5 * AXIS_LENGTH * np.array([joint.axis for joint in joints])
    points = (anchors - half_axes, anchors + half_axes) if kind.has_axis else (anchors,)
    first_instance = np.zeros(len(joints), dtype=np.int32)
    return kind.constitution()().create_geometry(
        *points,
        [bodies.world if joint.parent < 0 else bodies.links[joint.parent] for joint in joints],
        first_instance,
        [bodies.links[joint.child] for joint in joints],
        first_instance,
        np.array(strength),
    )
