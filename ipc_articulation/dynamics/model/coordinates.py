"""Properties of the joints' coordinates, in one array each for the whole model."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints.elements import Rotation
from ipc_articulation.dynamics.model.parts import PlacedJoint
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import caution


@dataclass(frozen=True)
class Coordinates:
    """One number for each velocity coordinate, (nv,), unless another shape is given."""

    damping: Array  # [N·m·s/rad or N·s/m]
    stiffness: Array  # [N·m/rad or N/m]
    rotor_inertia: Array  # [kg·m² or kg]
    friction: Array  # [N·m or N]
    lower: Array  # [rad or m]
    upper: Array
    effort: Array  # [N·m or N]
    velocity: Array  # [rad/s or m/s]
    spring_mount: Array  # (nq,) positions of springs at rest
    neutral: Array  # (nq,) position at which all joints' frames coincide


_NOT_NEGATIVE = ("damping", "stiffness", "rotor_inertia", "friction", "effort", "velocity")


def stacked(joints: list[PlacedJoint], where: str) -> Coordinates:
    """The properties of joints, in their order.

    Raises:
        ModelError: A wrong number of values, a value that is not a number or is negative, a lower limit above the
            upper, a zero quaternion.
    """
    rows = [_of_joint(joint, f"{where}: joint '{joint.name}'") for joint in joints]
    empty = np.zeros(0)
    return Coordinates(*(np.concatenate([empty, *(row[f.name] for row in rows)]) for f in fields(Coordinates)))


def _of_joint(joint: PlacedJoint, where: str) -> dict[str, Array]:
    count = joint.joint.ndof
    names = (*_NOT_NEGATIVE, "lower", "upper")
    row = {name: _one_each(getattr(joint, name), count, where, name.replace("_", " ")) for name in names}
    for name in _NOT_NEGATIVE:
        if (row[name] < 0.0).any():
            raise ModelError(f"{where}: {name.replace('_', ' ')} {row[name].min():g} is negative; give zero or more")
    if (row["lower"] > row["upper"]).any():
        raise ModelError(f"{where}: lower limit {row['lower'].tolist()} above upper limit {row['upper'].tolist()}")
    row["neutral"] = joint.joint.neutral()
    row["spring_mount"] = row["neutral"] if joint.spring_mount is None else _mount(joint, where)
    return row


def _one_each(value: ArrayLike, count: int, where: str, what: str) -> Array:
    x = np.asarray(value, dtype=float)
    if x.shape not in ((), (count,)):
        raise ModelError(f"{where}: {what} has {x.size} numbers; give one, or one for each of {count} coordinates")
    if np.isnan(x).any():
        raise ModelError(f"{where}: {what} is not a number")
    return np.broadcast_to(x, count).astype(float)


def _mount(joint: PlacedJoint, where: str) -> Array:
    mount = np.atleast_1d(np.array(joint.spring_mount, dtype=float))
    if mount.shape != (joint.joint.nq,) or not np.isfinite(mount).all():
        raise ModelError(f"{where}: spring mount {mount.tolist()} must be {joint.joint.nq} finite numbers")
    at = 0
    for element in joint.joint.elements:
        if isinstance(element, Rotation):
            mount[at : at + 4] = unit_quaternion(mount[at : at + 4], f"{where}: spring mount")
        at += element.nq
    return mount


def unit_quaternion(quaternion: Array, where: str) -> Array:
    """A quaternion scaled to length one, with a warning if its length was another.

    Raises:
        ModelError: It is zero.
    """
    length = float(np.linalg.norm(quaternion))
    if length == 0.0:
        raise ModelError(f"{where}: the quaternion is zero; give (w, x, y, z) of length one")
    if abs(length - 1.0) > 1e-3:
        caution(f"{where}: the quaternion {quaternion.tolist()} has length {length:g}; normalised")
    return quaternion / length
