"""Limits and dry friction of the coupled joints in the step that MuJoCo has just taken; equalities are in M̂.

MuJoCo solves for the forces f of its constraints, one row of `efc_J` each; on the joints they are Jᵀ f (Computation,
«Constraint model»). The rows of joint limits and of dry friction act on one degree of freedom; those of tendons and
ball joints on the rows of `restraint_rows`.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.equalities import jacobian
from ipc_articulation.adapters.mujoco.kinematics import JointMap
from ipc_articulation.adapters.mujoco.restraint_kernels import LIMIT, put_forces
from ipc_articulation.adapters.mujoco.restraint_rows import forces, rows_at

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import AdapterError

_TENDON_LIMIT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)
_TENDON_FRICTION = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON)
_NO_CONSTRAINT = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
NO_LIMITS = int(mujoco.mjtDisableBit.mjDSBL_LIMIT) | _NO_CONSTRAINT
NO_FRICTION = int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS) | _NO_CONSTRAINT


class ConstraintRows(NamedTuple):
    """MuJoCo's constraints, one row each."""

    kind: Ints  # (r,) mjtConstraint
    id: Ints  # (r,) of the joint or the degree of freedom
    force: Array  # (r,)
    J: Array  # (r, nv)


def put_rows(
    model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap, bounds: Array
) -> Array:
    """Put limits and dry friction of r rows into those of freedoms and rows, (5, F + r).

    Returns:
        R, (r, nv).

    Raises:
        AdapterError: The limits of a tendon are not numbers, or upside down; names it.
    """
    _refuse_bad_tendons(model, data)
    rows, F, off = rows_at(model, data, scratch, joints), len(joints.dofs), model.opt.disableflags
    if not off & NO_LIMITS:
        bounds[0, F:], bounds[1, F:] = rows.low - rows.value, rows.high - rows.value
    if not off & NO_FRICTION:
        bounds[3, F:] = rows.friction
    return rows.R


def forces_of(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap, R: Array) -> Array:
    """Forces of limits and of dry friction on freedoms, then on rows R, (2, m + r) [N·m or N]."""
    if not scratch.nefc:
        return np.zeros((2, len(joints.dofs) + len(R)))
    rows, acting = constraint_rows(model, scratch), np.empty((2, len(joints.dofs)))
    put_forces(rows.kind, rows.id, rows.force, rows.J, model.jnt_type, joints.dofs, acting)
    return np.concatenate([acting, _on_rows(model, rows, joints, R)], axis=1) if len(R) else acting


def _on_rows(model: mujoco.MjModel, rows: ConstraintRows, joints: JointMap, R: Array) -> Array:
    """Forces of limits and of dry friction on rows R, (2, r)."""
    of_balls = list(joints.balls)
    turning = (rows.kind == LIMIT) & np.isin(rows.id, of_balls)
    place = {joint: model.ntendon + row for row, joint in enumerate(of_balls)}
    at_limit, sliding = rows.kind == _TENDON_LIMIT, rows.kind == _TENDON_FRICTION
    limits = forces(R, at_limit, rows.id[at_limit], rows.J, rows.force)
    limits += forces(R, turning, np.array([place[j] for j in rows.id[turning].tolist()], int), rows.J, rows.force)
    return np.stack([limits, forces(R, sliding, rows.id[sliding], rows.J, rows.force)])


def limit_and_friction(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap, rows: Array) -> Array:
    """Forces of limits and of dry friction in the step that was taken on `scratch`, (2, m + r) [N·m or N].

    Args:
        model: The model.
        scratch: The state after the step.
        joints: The coupled joints, of m degrees of freedom.
        rows: R of these, (r, m), on which forces of tendons and ball joints act, after those of the freedoms.
    """
    R = np.zeros((len(rows), model.nv))
    R[:, joints.dofs] = rows
    return forces_of(model, scratch, joints, R)


def bad_limits(model: mujoco.MjModel, data: mujoco.MjData, joint: int) -> AdapterError:
    """The error for limits that are no interval, as an edit may leave them; MuJoCo would take no notice of NaN."""
    low, high = model.jnt_range[joint]
    return AdapterError(
        f"joint '{name_of(model, 'joint', joint)}' has the limits {low:g} to {high:g} in the step from "
        f"t = {data.time:g} s; set jnt_range to two numbers, the lower one first"
    )


def _refuse_bad_tendons(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Refuse limits of tendons that are no interval."""
    low, high = model.tendon_range.T
    for bad in np.flatnonzero(~(low <= high) & (model.tendon_limited != 0)):
        raise AdapterError(
            f"tendon '{name_of(model, 'tendon', int(bad))}' has the limits {low[bad]:g} to {high[bad]:g} in the step "
            f"from t = {data.time:g} s; set tendon_range to two numbers, the lower one first"
        )


def constraint_rows(model: mujoco.MjModel, data: mujoco.MjData) -> ConstraintRows:
    """The constraints that a state has."""
    count = data.nefc
    of_rows = data.efc_type[:count], data.efc_id[:count], data.efc_force[:count]
    return ConstraintRows(*of_rows, jacobian(model, data, count))
