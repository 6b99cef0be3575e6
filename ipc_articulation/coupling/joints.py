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
from ipc_articulation.frontend.articulations import BOUNDED_SPRINGS, create_rows
from ipc_articulation.frontend.joint_geometry import joint_geometry


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
        mesh = _joint_mesh(name, [joints[k] for k in chosen], bodies, [strength[k] for k in chosen])
        slot, _ = scene.objects().create(f"{name} joints").geometries().create(mesh)
        places |= {k: (slot, row) for row, k in enumerate(chosen)}
    return [places[k] for k in range(len(joints))]


def place_articulation(
    scene: uipc.Scene,
    joints: Sequence[CoupledJoint],
    places: Sequence[tuple[Any, int]],
    restrained: bool = False,
    row_count: int = 0,
) -> tuple[Any, Any]:
    """Create the object that carries the external articulation over some joints; without joints it is empty.

    Args:
        scene: The scene.
        joints: The joints of the articulation.
        places: Geometry slot and row of each; more may follow.
        restrained: Whether the articulation has bounded springs.
        row_count: Number of rows with bounded springs besides the freedoms.

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
    if restrained:
        constraint["joint"].create(BOUNDED_SPRINGS, np.zeros((4, 4)))
        if row_count:
            create_rows(constraint, row_count, len(freedoms))
    slot, _ = carrier.geometries().create(constraint)
    return carrier, slot


def _joint_mesh(kind: str, joints: list[CoupledJoint], bodies: PlacedBodies, strength: list[float]) -> Any:
    return joint_geometry(
        kind,
        [joint.anchor for joint in joints],
        [(bodies.world if joint.parent < 0 else bodies.links[joint.parent], 0) for joint in joints],
        [(bodies.links[joint.child], 0) for joint in joints],
        strength,
        axes=[joint.axis for joint in joints],
        second_axes=[joint.second_axis for joint in joints],
        pitches=[joint.pitch for joint in joints],
    )
