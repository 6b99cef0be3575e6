"""Poses in URDF's form."""

from __future__ import annotations

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.coordinates import unit_quaternion
from ipc_articulation.dynamics.reading.node import XmlNode


def origin_of(node: XmlNode) -> Array:
    """The pose in the `<origin>` of an element, (4, 4); the identity if it has none.

    `xyz` is the position [m]; the rotation is `rpy` [rad], Rz(yaw) Ry(pitch) Rx(roll), or the quaternion `quat_xyzw`
    of URDF 1.1.

    Raises:
        ModelError: Wrong numbers, or both rotations.
    """
    origin = node.child("origin")
    if origin is None:
        return np.eye(4)
    origin.allow(("xyz", "rpy", "quat_xyzw"))
    return spatial.pose(_rotation(origin), origin.numbers("xyz", 3, np.zeros(3)))


def _rotation(origin: XmlNode) -> Array:
    if not origin.has("quat_xyzw"):
        roll, pitch, yaw = origin.numbers("rpy", 3, np.zeros(3))
        x, y, z = np.eye(3)
        return spatial.rotation_about(z, yaw) @ spatial.rotation_about(y, pitch) @ spatial.rotation_about(x, roll)
    if origin.has("rpy"):
        raise origin.error("<origin> has both rpy and quat_xyzw; give one of them")
    quaternion = np.roll(origin.numbers("quat_xyzw", 4), 1)
    return spatial.rotation_from_quaternion(unit_quaternion(quaternion, f"{origin.place}: quat_xyzw"))
