"""Between MuJoCo's states and those of the mechanism that `mechanism_from_mujoco` makes.

Positions are the same numbers. Velocities are those of the same dofs in the same order, but MuJoCo gives the angular
velocity of ball and free joints in the axes of the child, and we give it in the axes of the parent. With R(q) the
rotation of such a joint, from its quaternion,

    v = T(q) qvel,   T = diag(…, R(q) on the three rotations of a ball or free joint, 1 on all else, …)

T is orthogonal, so forces, with τᵀ v = fᵀ qvel, follow the same map: τ = T⁻ᵀ f = T f. So do accelerations, because
d/dt (R ω) = R (ω̇ + ω × ω) = R ω̇ for the ω of the child's axes. Matrices follow it twice: M = T M_mujoco Tᵀ.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation import spatial
from ipc_articulation.errors import StateError

Array = NDArray[np.float64]


def velocity_map(model: mujoco.MjModel, qpos: ArrayLike) -> Array:
    """T(q), orthogonal: (..., nq) -> (..., nv, nv).

    Raises:
        StateError: A wrong number of coordinates, or a quaternion that is zero.
    """
    qpos = _coordinates("qpos", qpos, model.nq)
    T = np.zeros((*qpos.shape[:-1], model.nv, model.nv)) + np.eye(model.nv)
    for q, dof in _rotations(model):
        quaternion = qpos[..., q : q + 4]
        if not quaternion.any(axis=-1).all():
            raise StateError(f"qpos {q} to {q + 3} are a quaternion and must not all be zero")
        T[..., dof : dof + 3, dof : dof + 3] = spatial.rotation_from_quaternion(quaternion)
    return T


def velocity_from_mujoco(model: mujoco.MjModel, qpos: ArrayLike, qvel: ArrayLike) -> Array:
    """Our velocities, v = T(q) qvel: (..., nq), (..., nv) -> (..., nv).

    Args:
        model: The model.
        qpos: Positions, (..., nq).
        qvel: MuJoCo's velocities, (..., nv), or accelerations, or forces: the map is the same.

    Raises:
        StateError: A wrong number of coordinates, or a quaternion that is zero.
    """
    return _product(velocity_map(model, qpos), _coordinates("qvel", qvel, model.nv))


def velocity_to_mujoco(model: mujoco.MjModel, qpos: ArrayLike, v: ArrayLike) -> Array:
    """MuJoCo's velocities, qvel = T(q)ᵀ v; shapes and errors as in `velocity_from_mujoco`."""
    return _product(np.swapaxes(velocity_map(model, qpos), -1, -2), _coordinates("v", v, model.nv))


acceleration_from_mujoco = force_from_mujoco = velocity_from_mujoco
acceleration_to_mujoco = force_to_mujoco = velocity_to_mujoco


def _rotations(model: mujoco.MjModel) -> list[tuple[int, int]]:
    """Addresses of each quaternion in qpos and of its angular velocity in qvel."""
    before = {
        mujoco.mjtJoint.mjJNT_BALL: 0,
        mujoco.mjtJoint.mjJNT_FREE: 3,
    }  # coordinates of a joint before its rotation
    kinds = [mujoco.mjtJoint(kind) for kind in model.jnt_type]
    return [
        (int(model.jnt_qposadr[j]) + before[kind], int(model.jnt_dofadr[j]) + before[kind])
        for j, kind in enumerate(kinds)
        if kind in before
    ]


def _product(T: Array, x: Array) -> Array:
    return (T @ x[..., None])[..., 0]


def _coordinates(what: str, value: ArrayLike, count: int) -> Array:
    x = np.asarray(value, dtype=float)
    if x.shape[-1:] != (count,):
        raise StateError(f"{what} must have {count} numbers along its last axis; its shape is {x.shape}")
    return x
