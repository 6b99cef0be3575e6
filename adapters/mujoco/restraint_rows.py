"""Rows of the coupled joints' freedoms that MuJoCo limits or brakes: lengths of tendons, and angles of ball joints.

A tendon of length L moves by δL = J δθ with J = ∂L/∂θ (`ten_J`); it has limits and dry friction. A rotation vector
φ = |φ| a of a ball joint changes its size by aᵀ δθ to first order; its angle |φ| has an upper limit (MuJoCo's source,
`mj_instantiateLimit`). A row of MuJoCo's constraints on R has the Jacobian ±R, and so gives R the force f (±R)·R / R·R.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.dynamics.reading.mujoco.names import name_of


class Rows(NamedTuple):
    """The r rows at a state: those of all tendons, then those of the ball joints."""

    R: Array  # (r, nv)
    value: Array  # (r,) length or angle [m, rad, or the unit of a fixed tendon]
    low: Array  # (r,) lower limit, infinite where there is none
    high: Array  # (r,) upper limit
    friction: Array  # (r,) largest dry friction [N, or N·m by the tendon's unit]


def row_names(model: mujoco.MjModel, joints: JointMap) -> tuple[str, ...]:
    """Names of the rows, for messages."""
    tendons = (f"tendon '{name_of(model, 'tendon', tendon)}'" for tendon in range(model.ntendon))
    return (*tendons, *(f"ball joint '{name_of(model, 'joint', joint)}'" for joint in joints.balls))


def rows_at(model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap) -> Rows:
    """The rows at the positions of `data`, whose tendons `scratch` has, with the model's limits and friction.

    Rows that move none of the coupled joints have neither.
    """
    R, value = _tendon_jacobian(model, scratch), scratch.ten_length
    low = np.where(model.tendon_limited, model.tendon_range[:, 0], -np.inf)
    high = np.where(model.tendon_limited, model.tendon_range[:, 1], np.inf)
    friction = model.tendon_frictionloss.copy()
    if of_balls := list(joints.balls):
        turned = [_rotation(model, data, joint) for joint in of_balls]
        R = np.concatenate([R, [row for row, _ in turned]])
        value = np.concatenate([value, [angle for _, angle in turned]])
        low = np.concatenate([low, np.full(len(of_balls), -np.inf)])
        limited = model.jnt_limited[of_balls] != 0
        high = np.concatenate([high, np.where(limited, model.jnt_range[of_balls].max(axis=1), np.inf)])
        friction = np.concatenate([friction, np.zeros(len(of_balls))])
    idle = ~R[:, joints.dofs].any(axis=1)
    low[idle], high[idle], friction[idle] = -np.inf, np.inf, 0.0
    return Rows(R, value, low, high, friction)


def forces(R: Array, which: Bools, rows: Ints, J: Array, f: Array) -> Array:
    """Forces on the rows R (r, nv) of MuJoCo's constraints, (r,).

    Args:
        R: The rows.
        which: The constraints that act on them, a mask (c,).
        rows: The row on which each of these acts.
        J: `efc_J`, (c, nv).
        f: `efc_force`, (c,).
    """
    own, total = R[rows], np.zeros(len(R))
    square = np.einsum("ci,ci->c", own, own)
    along = np.einsum("ci,ci->c", J[which], own)
    np.add.at(total, rows, np.divide(f[which] * along, square, out=np.zeros(len(rows)), where=square > 0.0))
    return total


def _rotation(model: mujoco.MjModel, data: mujoco.MjData, joint: int) -> tuple[Array, float]:
    """The row (nv,) of a ball joint's angle, and the angle [rad]; no rotation is about x, as in MuJoCo."""
    row, phi, quat = np.zeros(model.nv), np.zeros(3), np.zeros(4)
    first, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    quat[:] = data.qpos[first : first + 4]
    mujoco.mju_normalize4(quat)
    mujoco.mju_quat2Vel(phi, quat, 1.0)
    angle = mujoco.mju_normalize3(phi)
    row[dof : dof + 3] = phi
    return row, angle


def _tendon_jacobian(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """∂L/∂θ of all tendons, (ntendon, nv)."""
    pattern = model if hasattr(model, "ten_J_rownnz") else data  # MuJoCo 3: in the state, and not where it is dense
    if pattern is data and not mujoco.mj_isSparse(model):
        return data.ten_J.reshape(model.ntendon, model.nv).copy()
    J = np.zeros((model.ntendon, model.nv))
    if model.ntendon:
        mujoco.mju_sparse2dense(J, data.ten_J, pattern.ten_J_rownnz, pattern.ten_J_rowadr, pattern.ten_J_colind)
    return J
