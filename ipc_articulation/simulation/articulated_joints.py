"""Joints between bodies of an `adapter: none` scene, as libuipc's joint geometries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import uipc
from uipc import constitution

from ipc_articulation.frontend.attributes import writable
from ipc_articulation.frontend.callbacks import guard
from ipc_articulation.frontend.joint_kinds import BY_NAME
from ipc_articulation.scenefile import schema

LIMIT_STRENGTH = 1e3  # of a limit per mass of the joint's bodies, in libuipc's cubic energy


def add_joint(uipc_scene: Any, joint: schema.JointEntry, bodies: Mapping[str, Any], dt: float) -> Any:
    """Put a joint into the scene.

    Args:
        uipc_scene: The scene.
        joint: The joint of the scene file.
        bodies: Geometry slots by name.
        dt: Time step [s].

    Returns:
        Its geometry slot.
    """
    between = [bodies[joint.parent]], [0], [bodies[joint.child]], [0], [joint.strength_ratio]
    owner = uipc_scene.objects().create(joint.name)
    if isinstance(joint, schema.BallEntry):
        made = constitution.AffineBodySphericalJoint().create_geometry([joint.anchor], *between)
    elif isinstance(joint, schema.WeldEntry):
        made = constitution.AffineBodyFixedJoint().create_geometry(*between)
    else:
        made = _axis(joint, between)
    slot, _ = owner.geometries().create(made)
    if isinstance(joint, schema.AxisEntry) and joint.drive is not None:
        uipc_scene.animator().insert(owner, guard(_drive(joint, joint.drive, dt), uipc_scene))
    return slot


def _axis(joint: schema.AxisEntry, between: tuple[Any, ...]) -> Any:
    """A line mesh with one edge, the joint's axis about its anchor."""
    half = 0.5 * joint.length * np.array(joint.axis) / np.linalg.norm(joint.axis)
    ends = [(np.array(joint.anchor) + sign * half).reshape(1, 3) for sign in (-1.0, 1.0)]
    kind = BY_NAME[joint.type]
    mesh = kind.constitution()().create_geometry(*ends, *between)
    if joint.limits is not None:
        kind.constitution("AffineBody{}JointLimit")().apply_to(mesh, *joint.limits, LIMIT_STRENGTH)
    if joint.drive is not None:
        kind.constitution("AffineBodyDriving{}Joint")().apply_to(mesh, joint.drive.strength_ratio)
        uipc.view(mesh.edges().find("driving/is_constrained"))[:] = 1
    return mesh


def _drive(joint: schema.AxisEntry, drive: schema.DriveEntry, dt: float) -> Callable[[Any], None]:
    """An animator's callback: aim at where the drive is at the end of the step."""
    name = f"aim_{BY_NAME[joint.type].coordinate}"

    def aim(info: Any) -> None:
        reached = min(1.0, info.frame() * dt / drive.duration)
        geometry = info.geo_slots()[0].geometry()
        writable(geometry.edges().find(name))[:] = reached * drive.target

    return aim
