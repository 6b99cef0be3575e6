"""Between a free joint's qpos and qvel and affine coordinates.

MuJoCo's free joint: qpos = (p, quaternion), qvel = (ṗ in the world frame, ω in the body's frame).
"""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import Array

from ipc_articulation import affine


def read(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> tuple[Array, Array]:
    """Coordinates q (12,) and velocity q̇ (12,) of a free body's frame."""
    qpos, qvel = _addresses(model, body)
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, data.qpos[qpos + 3 : qpos + 7])
    q = np.concatenate([data.qpos[qpos : qpos + 3], R])
    omega = R.reshape(3, 3) @ data.qvel[qvel + 3 : qvel + 6]
    return q, affine.qdot_from_twist(q, data.qvel[qvel : qvel + 3], omega)


def write(model: mujoco.MjModel, data: mujoco.MjData, body: int, q: Array, qdot: Array) -> None:
    """Set qpos and qvel of a free body from a rigid pose q (12,) and its velocity q̇ (12,)."""
    qpos, qvel = _addresses(model, body)
    v, omega = affine.twist_from_qdot(q, qdot)
    data.qpos[qpos : qpos + 3] = q[:3]
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(q[3:]))
    data.qpos[qpos + 3 : qpos + 7] = quat
    data.qvel[qvel : qvel + 3] = v
    data.qvel[qvel + 3 : qvel + 6] = affine.linear_part(q).T @ omega


def _addresses(model: mujoco.MjModel, body: int) -> tuple[int, int]:
    joint = model.body_jntadr[body]
    return int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
