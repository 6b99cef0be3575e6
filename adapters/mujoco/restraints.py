"""Limits, dry friction and equalities of the coupled joints in the step that MuJoCo has just taken.

MuJoCo solves for the forces f of its constraints, one row of `efc_J` each; on the joints they are Jᵀ f (Computation,
«Constraint model»). The rows of joint limits and of dry friction act on one degree of freedom; those of tendons and
ball joints on the rows of `restraint_rows`. An equality has one row for each number that it keeps.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap
from ipc_articulation.adapters.mujoco.restraint_rows import balls, forces, rows_at

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.coupling.adapter import Restraints
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import AdapterError

_LIMIT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
_FRICTION = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
_TENDON_LIMIT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON)
_TENDON_FRICTION = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON)
_EQUALITY = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
_SLIDE, _HINGE = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
_OFF = mujoco.mjtDisableBit


class _Rows(NamedTuple):
    """MuJoCo's constraints, one row each."""

    kind: Ints  # (r,) mjtConstraint
    id: Ints  # (r,) of the joint, the degree of freedom or the equality
    force: Array  # (r,)
    J: Array  # (r, nv)


def restraints(
    model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap
) -> Restraints | None:
    """The restraints of a step from `data`, which was taken on `scratch`; None if the joints have none.

    Raises:
        AdapterError: The limits of a joint or tendon are not numbers, or upside down; names it.
    """
    dofs = joints.dofs
    lower, upper = _ends(model, data, dofs)
    friction = _without(model, _OFF.mjDSBL_FRICTIONLOSS, model.dof_frictionloss[dofs])
    own = _Restrained(lower, upper, friction, np.zeros((0, model.nv)))
    if model.ntendon or balls(model, joints):
        own = _with_rows(own, model, data, scratch, joints)
    none = np.zeros(len(own.lower))
    if not scratch.nefc:
        given = own.lower, own.upper, none, own.friction, none
        return Restraints(*given, rows=own.R[:, dofs]) if own.is_bounded else None
    rows = _rows(model, scratch)
    of_equalities = _of_equalities(rows, dofs)
    if not (own.is_bounded or of_equalities.any()):
        return None
    limit_force, friction_force = _forces(model, rows, joints, own.R)
    return Restraints(
        lower=own.lower,
        upper=own.upper,
        limit_force=limit_force,
        friction=own.friction,
        friction_force=friction_force,
        ties=rows.J[of_equalities][:, dofs],
        tie_units=_units(model, rows.id[of_equalities]),
        rows=own.R[:, dofs],
    )


class _Restrained(NamedTuple):
    """Limits and dry friction of freedoms, then of rows."""

    lower: Array  # (m + r,)
    upper: Array  # (m + r,)
    friction: Array  # (m + r,)
    R: Array  # (r, nv)

    @property
    def is_bounded(self) -> bool:
        """Whether there is a limit or dry friction."""
        ends = min(self.upper.min(initial=np.inf), -self.lower.max(initial=-np.inf))
        return bool(ends < np.inf or self.friction.any())


def _with_rows(
    own: _Restrained, model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap
) -> _Restrained:
    """Those of the freedoms with those of tendons and ball joints after them."""
    _refuse_bad_tendons(model, data)
    rows, off = rows_at(model, data, scratch, joints), model.opt.disableflags & _OFF.mjDSBL_LIMIT
    return _Restrained(
        np.concatenate([own.lower, np.full(len(rows.R), -np.inf) if off else rows.low - rows.value]),
        np.concatenate([own.upper, np.full(len(rows.R), np.inf) if off else rows.high - rows.value]),
        np.concatenate([own.friction, _without(model, _OFF.mjDSBL_FRICTIONLOSS, rows.friction)]),
        rows.R,
    )


def _forces(model: mujoco.MjModel, rows: _Rows, joints: JointMap, R: Array) -> tuple[Array, Array]:
    """Forces of limits and of dry friction on freedoms, then on rows R, (m + r,) each [N·m or N]."""
    dofs, of_balls = joints.dofs, balls(model, joints)
    limits = rows.kind == _LIMIT
    friction = _force(rows, rows.kind == _FRICTION)[dofs]
    if not len(R):
        return _force(rows, limits)[dofs], friction
    turning = limits & np.isin(rows.id, of_balls)
    place = {joint: model.ntendon + row for row, joint in enumerate(of_balls)}
    at_limit, sliding = rows.kind == _TENDON_LIMIT, rows.kind == _TENDON_FRICTION
    on_rows = forces(R, at_limit, rows.id[at_limit], rows.J, rows.force)
    on_rows += forces(R, turning, np.array([place[j] for j in rows.id[turning].tolist()], int), rows.J, rows.force)
    return (
        np.concatenate([_force(rows, limits & ~turning)[dofs], on_rows]),
        np.concatenate([friction, forces(R, sliding, rows.id[sliding], rows.J, rows.force)]),
    )


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
    if not scratch.nefc:
        return np.zeros((2, sum(rows.shape)))
    return np.stack(_forces(model, _rows(model, scratch), joints, R))


def _ends(model: mujoco.MjModel, data: mujoco.MjData, dofs: Ints) -> tuple[Array, Array]:
    """Displacements at which hinges and slides meet their limits, infinite for others, (m,) each [rad or m]."""
    joint = model.dof_jntid[dofs]
    limited = (model.jnt_limited[joint] != 0) & (not model.opt.disableflags & _OFF.mjDSBL_LIMIT)
    _refuse_bad(model, data, joint[limited])
    plain = np.isin(model.jnt_type[joint], (_SLIDE, _HINGE)) & limited
    ends = model.jnt_range[joint].T - data.qpos[model.jnt_qposadr[joint]]
    return np.where(plain, ends[0], -np.inf), np.where(plain, ends[1], np.inf)


def _refuse_bad(model: mujoco.MjModel, data: mujoco.MjData, joints: Ints) -> None:
    """Refuse limits that are no interval, as an edit may leave them; MuJoCo would take no notice of NaN."""
    low, high = model.jnt_range[joints].T
    for bad in np.flatnonzero(~(low <= high)):
        raise AdapterError(
            f"joint '{name_of(model, 'joint', int(joints[bad]))}' has the limits {low[bad]:g} to {high[bad]:g} in the "
            f"step from t = {data.time:g} s; set jnt_range to two numbers, the lower one first"
        )


def _refuse_bad_tendons(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Refuse limits of tendons that are no interval."""
    low, high = model.tendon_range.T
    for bad in np.flatnonzero(~(low <= high) & (model.tendon_limited != 0)):
        raise AdapterError(
            f"tendon '{name_of(model, 'tendon', int(bad))}' has the limits {low[bad]:g} to {high[bad]:g} in the step "
            f"from t = {data.time:g} s; set tendon_range to two numbers, the lower one first"
        )


def _without(model: mujoco.MjModel, flag: mujoco.mjtDisableBit, values: Array) -> Array:
    """The values, or zeros where the model disables what they are of."""
    return np.zeros_like(values) if model.opt.disableflags & flag else values.copy()


def _rows(model: mujoco.MjModel, data: mujoco.MjData) -> _Rows:
    count = data.nefc
    if not mujoco.mj_isSparse(model):
        J = data.efc_J[: count * model.nv].reshape(count, model.nv)
    else:
        J = np.zeros((count, model.nv))
        mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    return _Rows(data.efc_type[:count], data.efc_id[:count], data.efc_force[:count], J)


def _force(rows: _Rows, at: Bools) -> Array:
    """Force of the rows of a mask (r,) on all degrees of freedom, (nv,) [N·m or N]."""
    return rows.J[at].T @ rows.force[at]


def _of_equalities(rows: _Rows, dofs: Ints) -> Array:
    """Which rows are equalities that involve some degrees of freedom, (r,)."""
    return (rows.kind == _EQUALITY) & rows.J[:, dofs].any(axis=1)


def _units(model: mujoco.MjModel, equalities: Ints) -> tuple[str, ...]:
    """Unit of what each row of equalities keeps; those of an equality follow each other."""
    units, place = [], 0
    for row, equality in enumerate(equalities.tolist()):
        place = place + 1 if row and equality == equalities[row - 1] else 0
        kind = model.eq_type[equality]
        turns = (kind == mujoco.mjtEq.mjEQ_WELD and place >= 3) or (
            kind == mujoco.mjtEq.mjEQ_JOINT and model.jnt_type[model.eq_obj1id[equality]] == _HINGE
        )
        units.append("rad" if turns else "m")
    return tuple(units)
