"""Bases that float: a body with a free joint that carries further joints, and which a scene may fix or set free."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import mujoco

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import free_name

ROOT = "root"  # name of a free joint that a scene adds
_FREE = mujoco.mjtJoint.mjJNT_FREE
_BODY = mujoco.mjtObj.mjOBJ_BODY


def settle_bases(
    spec: mujoco.MjSpec, base: str | None, pose: Array | None, ignored: Collection[str], file: str
) -> None:
    """Place the floating base, and fix floating bases to the world or let the base of a file float.

    Where a free joint comes or goes, keyframes are removed, because their length would be wrong; with a joint that goes
    its actuators and sensors are.

    Args:
        spec: The model; every joint has a name.
        base: «fixed», «free», or None: as in the file.
        pose: Of the only floating base, (4, 4); None: where the file places it.
        ignored: Names of bodies that are left out; their bases stay as they are.
        file: For the message.

    Raises:
        AdapterError: There is a pose, and not exactly one base floats; or `base` is «free», and the file has not
            exactly one body with joints on the world.
    """
    joints = list(_floating(spec, ignored))
    if base == "free" and not joints:
        joints = [_set_free(spec, ignored, file)]
    if pose is not None and len(joints) != 1:
        raise AdapterError(
            f"{file}: {len(joints) or 'no'} bases float, and 'base_pose' under 'robot' is that of the only one; "
            "'pose' moves the whole content of the file"
        )
    if not joints:
        return
    if pose is not None:
        put(joints[0].parent, pose)
        joints[0].parent.set_frame(spec.worldbody.add_frame())
    if base != "fixed":
        return
    names = {joint.name for joint in joints}
    gone = [actuator for actuator in spec.actuators if actuator.target in names]
    gone += [sensor for sensor in spec.sensors if sensor.objname in names]
    for element in [*gone, *spec.keys, *joints]:
        spec.delete(element)


def _set_free(spec: mujoco.MjSpec, ignored: Collection[str], file: str) -> mujoco.MjsJoint:
    """Give the only body of the world that carries joints, or the only body, a free joint."""
    bodies = [body for body in spec.worldbody.bodies if body.name not in ignored]
    carriers = [body for body in bodies if any(below.joints for below in body.find_all(_BODY))] or bodies
    if len(carriers) != 1 or carriers[0].joints:
        names = ", ".join(f"'{body.name}'" for body in carriers)
        raise AdapterError(
            f"{file}: 'base: free' sets free the one body on the world that carries all joints and has none itself; "
            f"the bodies on the world are {names or 'none'}"
        )
    for key in spec.keys:
        spec.delete(key)
    return carriers[0].add_freejoint(name=free_name(ROOT, [joint.name for joint in spec.joints].__contains__))


def put(body: mujoco.MjsBody, pose: Array) -> None:
    """Give a body of the world a pose, (4, 4), instead of its own."""
    body.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    body.pos, body.quat = pose[:3, 3], spatial.quaternion_from_rotation(pose[:3, :3])


def _floating(spec: mujoco.MjSpec, ignored: Collection[str]) -> Iterator[mujoco.MjsJoint]:
    for body in spec.worldbody.bodies:
        free = [joint for joint in body.joints if joint.type == _FREE]
        below = body.find_all(_BODY)
        if free and any(other.joints for other in below) and not {body.name, *(o.name for o in below)} & set(ignored):
            yield free[0]
