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
from ipc_articulation.adapters.mujoco.restraint_kernels import LIMIT, any_bound, put_bounds, put_forces
from ipc_articulation.adapters.mujoco.restraint_rows import forces, rows_at

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import Restraints
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import AdapterError

_TENDON_LIMIT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)
_TENDON_FRICTION = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON)
_NO_CONSTRAINT = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
_NO_LIMITS = int(mujoco.mjtDisableBit.mjDSBL_LIMIT) | _NO_CONSTRAINT
_NO_FRICTION = int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS) | _NO_CONSTRAINT


class ConstraintRows(NamedTuple):
    """MuJoCo's constraints, one row each."""

    kind: Ints  # (r,) mjtConstraint
    id: Ints  # (r,) of the joint or the degree of freedom
    force: Array  # (r,)
    J: Array  # (r, nv)


def restraints(
    model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap
) -> Restraints | None:
    """The restraints of a step from `data`, which was taken on `scratch`; None if the joints have none.

    Raises:
        AdapterError: The limits of a joint or tendon are not numbers, or upside down; names it.
    """
    own = _of_freedoms(model, data, joints)
    if model.ntendon or joints.balls:
        own = _with_rows(own, model, data, scratch, joints)
    if not any_bound(own.lower, own.upper, own.friction):
        return None
    acting = _forces(model, scratch, joints, own.R)
    return Restraints(own.lower, own.upper, acting[0], own.friction, acting[1], rows=_coupled(own.R, joints))


def _coupled(rows: Array, joints: JointMap) -> Array:
    """The columns of the coupled joints, (r, nv) -> (r, F)."""
    return rows.take(joints.dofs, axis=1) if len(rows) else np.empty((0, len(joints.dofs)))


class _Restrained(NamedTuple):
    """Limits and dry friction of freedoms, then of rows."""

    lower: Array  # (m + r,)
    upper: Array  # (m + r,)
    friction: Array  # (m + r,)
    R: Array  # (r, nv)


def _with_rows(
    own: _Restrained, model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap
) -> _Restrained:
    """Those of the freedoms with those of tendons and ball joints after them."""
    _refuse_bad_tendons(model, data)
    rows = rows_at(model, data, scratch, joints)
    off, slides = model.opt.disableflags & _NO_LIMITS, model.opt.disableflags & _NO_FRICTION
    return _Restrained(
        np.concatenate([own.lower, np.full(len(rows.R), -np.inf) if off else rows.low - rows.value]),
        np.concatenate([own.upper, np.full(len(rows.R), np.inf) if off else rows.high - rows.value]),
        np.concatenate([own.friction, 0.0 * rows.friction if slides else rows.friction]),
        rows.R,
    )


def _forces(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap, R: Array) -> Array:
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
    return _forces(model, scratch, joints, R)


def _of_freedoms(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap) -> _Restrained:
    """Displacements at which hinges and slides meet their limits, infinite for others, and dry friction."""
    bounds, off = np.empty((3, len(joints.dofs))), model.opt.disableflags
    of_joints = model.jnt_limited, model.jnt_range, model.jnt_qposadr, model.dof_frictionloss
    in_force = not off & _NO_LIMITS, not off & _NO_FRICTION
    bad = put_bounds((joints.owners, joints.single, joints.dofs), of_joints, data.qpos, *in_force, bounds)
    if bad >= 0:
        raise _bad_limits(model, data, bad)
    lower, upper, friction = bounds
    return _Restrained(lower, upper, friction, np.zeros((0, model.nv)))


def _bad_limits(model: mujoco.MjModel, data: mujoco.MjData, joint: int) -> AdapterError:
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
