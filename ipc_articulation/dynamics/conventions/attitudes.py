"""Other representations of rotations, and of their angular velocities."""

from __future__ import annotations

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.conventions.convention import Attitude, Axes
from ipc_articulation.dynamics.joints.elements import Screw
from ipc_articulation.dynamics.joints.joint import Joint
from ipc_articulation.dynamics.joints.kinds import RzRyRxJoint, X, Y, Z
from ipc_articulation.errors import StateError

SINGULAR = 1e-9  # |cos| of the middle angle


class _RzRxRyJoint(Joint):
    """H = Rot(z, q₁) Rot(x, q₂) Rot(y, q₃)."""

    elements = (Screw(Z), Screw(X), Screw(Y))


_ANGLES: dict[Attitude, Joint] = {Attitude.ZYX: RzRyRxJoint(), Attitude.ZXY: _RzRxRyJoint()}


def size(attitude: Attitude) -> int:
    """How many numbers represent a rotation; for MATRIX they include the position."""
    return {Attitude.WXYZ: 4, Attitude.XYZW: 4, Attitude.MATRIX: 16}.get(attitude, 3)


def write(attitude: Attitude, quaternion: Array) -> Array:
    """Another representation of a unit quaternion (w, x, y, z); angles about the middle axis lie within ±π/2."""
    if attitude is Attitude.WXYZ:
        return quaternion
    if attitude is Attitude.XYZW:
        return quaternion[[1, 2, 3, 0]]
    if attitude is Attitude.VECTOR:
        return spatial.quaternion_log(quaternion)
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(quaternion, scalar_first=True).as_euler(attitude.name)


def read(attitude: Attitude, numbers: Array) -> Array:
    """The unit quaternion (w, x, y, z)."""
    if attitude is Attitude.WXYZ:
        return numbers
    if attitude is Attitude.XYZW:
        return numbers[[3, 0, 1, 2]]
    if attitude is Attitude.VECTOR:
        return spatial.quaternion_exp(numbers)
    return spatial.quaternion_from_rotation(_ANGLES[attitude].pose_at(numbers)[:3, :3])


def angular_map(attitude: Attitude, axes: Axes, quaternion: Array, omega: Array) -> tuple[Array, Array]:
    """The map from ω to another representation u of the angular velocity, and its rate.

    With R the rotation and ω in the parent's axes, u is ω itself, Rᵀ ω, or the rates X⁻¹ Rᵀ ω, where Rᵀ ω = X(angles)
    rates.

    Args:
        attitude: The representation of the rotation; it matters for rates.
        axes: The axes of u.
        quaternion: Of the rotation, (4,).
        omega: ω, (3,) [rad/s].

    Returns:
        T (3, 3) with u = T ω, and dT/dt ω (3,): zero but for rates, because d/dt (Rᵀ ω) = Rᵀ ω̇.

    Raises:
        StateError: The angles are singular.
    """
    if axes is Axes.PARENT:
        return np.eye(3), np.zeros(3)
    Rt = spatial.rotation_from_quaternion(quaternion).T
    if axes is Axes.CHILD:
        return Rt, np.zeros(3)
    joint, angles = _ANGLES[attitude], write(attitude, quaternion)
    if abs(np.cos(angles[1])) < SINGULAR:
        raise StateError(f"the angles {attitude.name} are singular where the middle one is ±π/2; it is {angles[1]:.9g}")
    X_inverse = np.linalg.inv(joint.subspace(angles)[:3])
    T = X_inverse @ Rt
    return T, -X_inverse @ joint.subspace_rate(angles, T @ omega)[:3] @ T @ omega
