"""Positions and velocities of a robot's joints from what users give: arrays, or values by names of joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.coupling.kinds import freedom_names, kind_of
from ipc_articulation.errors import StateError
from ipc_articulation.naming import suggest

JointValues = ArrayLike | Mapping[str, ArrayLike]

RIGID = 1e-6  # by which a rotation matrix may differ from one, as people type them
LARGEST = 1e6  # [rad, m, rad/s or m/s]: beyond it doubles are 1e-10 apart, and surfaces lose their gaps in rounding


def joint_positions(joints: Sequence[CoupledJoint], given: JointValues, present: Array, asker: str) -> Array:
    """Positions θ of m freedoms, (m,) [rad or m].

    Args:
        joints: The robot's joints.
        given: An array (m,), or by name of a joint, or of one of its freedoms: a number, an array over its freedoms,
            the pose (4, 4) in the world of a free joint, or the rotation (3, 3) of a spherical one.
        present: The positions of joints that a mapping does not name, (m,).
        asker: Beginning of messages.

    Raises:
        StateError: An unknown name, a wrong shape, a number that is not finite or too large, a pose that is not rigid;
            names the joint.
    """
    return _values(joints, given, present, f"{asker}: theta", _position)


def joint_velocities(joints: Sequence[CoupledJoint], given: JointValues, asker: str) -> Array:
    """Velocities θ̇ of m freedoms, (m,) [rad/s or m/s]: an array, or by name; joints that are not named are at rest.

    Raises:
        StateError: As for `joint_positions`.
    """
    return _values(joints, given, np.zeros(len(freedom_names(joints))), f"{asker}: theta_dot", _plain)


def _values(
    joints: Sequence[CoupledJoint],
    given: JointValues,
    otherwise: Array,
    asker: str,
    read: Callable[[CoupledJoint, Any, str], Array],
) -> Array:
    names = freedom_names(joints)
    if not isinstance(given, Mapping):
        return _array(given, len(names), asker, "", names)
    places = _places(joints)
    values = otherwise.copy()
    for name, value in given.items():
        owner = f"{asker} of joint '{name}'"
        if name in places:
            joint, freedoms = places[name]
            values[freedoms] = read(joint, value, owner)
        elif name in names:
            values[names.index(name)] = _array(value, 1, owner, "")[0]
        else:
            raise StateError(f"{asker}: unknown joint '{name}'{suggest(name, {*places, *names})}")
    return values


def _places(joints: Sequence[CoupledJoint]) -> dict[str, tuple[CoupledJoint, slice]]:
    """Each joint, and where its freedoms are, by its name."""
    ends = accumulate(kind_of(joint).freedoms for joint in joints)
    return {
        joint.name: (joint, slice(end - kind_of(joint).freedoms, end)) for joint, end in zip(joints, ends, strict=True)
    }


def _plain(joint: CoupledJoint, value: Any, owner: str) -> Array:
    return _array(value, kind_of(joint).freedoms, owner, "")


def _position(joint: CoupledJoint, value: Any, owner: str) -> Array:
    """Position of one joint; a pose of a free joint becomes (p, log R), a rotation of a spherical one log R."""
    if joint.kind == "free" and np.shape(value) == (4, 4):
        H = rigid_pose(value, owner)
        return np.concatenate([H[:3, 3], _log(H[:3, :3])])
    if joint.kind == "spherical" and np.shape(value) == (3, 3):
        return _log(rigid_pose(spatial.pose(np.asarray(value, dtype=float)), owner)[:3, :3])
    others = {"free": ", or a pose (4, 4)", "spherical": ", or a rotation (3, 3)"}
    return _array(value, kind_of(joint).freedoms, owner, others.get(joint.kind, ""))


def _log(R: Array) -> Array:
    return spatial.quaternion_log(spatial.quaternion_from_rotation(R))


def rigid_pose(value: Any, owner: str) -> Array:
    """A pose (4, 4) that is rigid to `RIGID`; its rotation becomes the nearest one.

    Raises:
        StateError: It is none.
    """
    H = numbers(value, (4, 4), owner, "a pose (4, 4)")
    R = H[:3, :3]
    if np.abs(R.T @ R - np.eye(3)).max() > RIGID or np.linalg.det(R) < 0.0 or np.any(H[3] != (0.0, 0.0, 0.0, 1.0)):
        raise StateError(f"{owner} is not rigid: it must be [R p; 0 0 0 1] with a rotation R")
    U, _, Vt = np.linalg.svd(R)
    return spatial.pose(U @ Vt, H[:3, 3])


def _array(value: Any, count: int, owner: str, also: str, names: Sequence[str] = ()) -> Array:
    """Numbers of freedoms, (count,); a single one may be given without brackets."""
    listed = f" ({', '.join(names)})" if names else ""
    wanted = f"{count} number{'' if count == 1 else 's'}{listed}{also}"
    return numbers([value] if count == 1 and np.ndim(value) == 0 else value, (count,), owner, wanted, names)


def numbers(value: Any, shape: tuple[int, ...], owner: str, wanted: str, names: Sequence[str] = ()) -> Array:
    """An array of numbers of a shape, of at most `LARGEST` in size.

    Args:
        value: Anything.
        shape: The shape.
        owner: What the value is, for messages.
        wanted: What it must be.
        names: Of joints, one for each entry.

    Raises:
        StateError: It is none; the message has the shape, or the first number out of range and its joint.
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise StateError(f"{owner} is a {type(value).__name__}, must be {wanted}") from None
    if array.shape != shape:
        raise StateError(f"{owner} has shape {array.shape}, must be {wanted}")
    bad = np.flatnonzero(~(np.abs(array) <= LARGEST))
    if len(bad):
        of_joint = f" of joint '{names[bad[0]]}'" if len(names) else ""
        raise StateError(
            f"{owner}{of_joint} has the value {array.flat[bad[0]]}, must be finite, from {-LARGEST:g} to {LARGEST:g}"
        )
    return array
