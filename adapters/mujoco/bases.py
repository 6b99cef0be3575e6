"""Bases that float in an MJCF file: a body with a free joint that carries further joints."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import mujoco

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.errors import AdapterError, UnsupportedError

_FREE = mujoco.mjtJoint.mjJNT_FREE


def settle_bases(
    spec: mujoco.MjSpec, base: str | None, pose: Array | None, ignored: Collection[str], file: str
) -> None:
    """Fix floating bases to the world, by removing their free joints.

    Actuators and sensors of these joints, and keyframes, whose length would be wrong, are removed too.

    Args:
        spec: The model; every joint has a name.
        base: «fixed», or None where the scene says nothing of it.
        pose: Where the only base is fixed, (4, 4); None: where the file places it.
        ignored: Names of bodies that are left out; their bases stay as they are.
        file: For the message.

    Raises:
        AdapterError: There is a pose, and not exactly one base floats.
        UnsupportedError: A base floats and `base` is None.
    """
    joints = list(_floating(spec, ignored))
    if pose is not None and len(joints) != 1:
        raise AdapterError(
            f"{file}: {len(joints) or 'no'} bases float, and 'base_pose' under 'robot' is that of the only one; "
            "'pose' moves the whole content of the file"
        )
    if not joints:
        return
    if base is None:
        raise UnsupportedError(
            f"{file}: body '{joints[0].parent.name}' floats and carries joints: floating bases are not supported yet; "
            "'base: fixed' under 'robot' fixes it to the world where it is"
        )
    if pose is not None:
        _put(spec, joints[0].parent, pose)
    names = {joint.name for joint in joints}
    gone = [actuator for actuator in spec.actuators if actuator.target in names]
    gone += [sensor for sensor in spec.sensors if sensor.objname in names]
    for element in [*gone, *spec.keys, *joints]:
        spec.delete(element)


def _put(spec: mujoco.MjSpec, body: mujoco.MjsBody, pose: Array) -> None:
    """Give a body of the world a pose, (4, 4), instead of its own."""
    body.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    body.pos, body.quat = pose[:3, 3], spatial.quaternion_from_rotation(pose[:3, :3])
    body.set_frame(spec.worldbody.add_frame())


def _floating(spec: mujoco.MjSpec, ignored: Collection[str]) -> Iterator[mujoco.MjsJoint]:
    for body in spec.worldbody.bodies:
        free = [joint for joint in body.joints if joint.type == _FREE]
        below = _below(body)
        if free and any(other.joints for other in below) and not {body.name, *(o.name for o in below)} & set(ignored):
            yield free[0]


def _below(body: mujoco.MjsBody) -> list[mujoco.MjsBody]:
    return [found for child in body.bodies for found in (child, *_below(child))]
