"""Forces of MuJoCo's own constraints in the coupled step, in the rows of `efc_force` that the end of the step has.

The generalised force of all constraints and of contact is Q = Q̃ + M̂ (δθ - δθ̃)/dt², with Q̃ that of MuJoCo's own step:
whatever moves the joints by δθ in place of δθ̃. Of it limits have L and dry friction F (see `coupling.restraints`), and
contact its own; equalities have what is left. Their rows change from MuJoCo's own step as little as that allows.
"""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap
from ipc_articulation.adapters.mujoco.restraints import constraint_rows

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import StepForces

_Kind = mujoco.mjtConstraint
_EQUALITY = int(_Kind.mjCNSTR_EQUALITY)
_OF_FREEDOMS = int(_Kind.mjCNSTR_FRICTION_DOF), int(_Kind.mjCNSTR_LIMIT_JOINT)
_OF_TENDONS = int(_Kind.mjCNSTR_FRICTION_TENDON), int(_Kind.mjCNSTR_LIMIT_TENDON)
_LIMITS = _OF_FREEDOMS[1], _OF_TENDONS[1]


def put_constraint_forces(
    model: mujoco.MjModel, states: tuple[mujoco.MjData, mujoco.MjData], joints: JointMap, rows: Array, felt: StepForces
) -> None:
    """Write the forces of limits, dry friction and equalities of the coupled joints into `efc_force`.

    Args:
        model: The model.
        states: The state at the end of the step, with its constraints and `qfrc_constraint` of the step; and that
            on which MuJoCo took its own.
        joints: The coupled joints, of m freedoms.
        rows: R of `Restraints`, (r, m).
        felt: The forces of the step.
    """
    data, scratch = states
    if not data.nefc:
        return
    at_end = constraint_rows(model, data)
    C = np.concatenate([np.eye(len(joints.dofs)), rows])
    J = at_end.J[:, joints.dofs]
    for k, (kind, number) in enumerate(zip(at_end.kind.tolist(), at_end.id.tolist(), strict=True)):
        if J[k].any() and 0 <= (place := _place(model, joints, kind, number)) < len(C):
            sign = np.sign(J[k] @ C[place])
            force = sign * (felt.limit_force if kind in _LIMITS else felt.friction_force)[place]
            data.efc_force[k] = max(force, 0.0) if kind in _LIMITS else force
    ties = np.flatnonzero((at_end.kind == _EQUALITY) & J.any(axis=1))
    if len(ties):
        left = data.qfrc_constraint[joints.dofs] - felt.contact_force - C.T @ (felt.limit_force + felt.friction_force)
        own = _own_forces(model, scratch, joints, len(ties))
        data.efc_force[ties] = own + np.linalg.lstsq(J[ties].T, left - J[ties].T @ own, rcond=None)[0]


def _own_forces(model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap, count: int) -> Array:
    """Forces of the equalities of coupled joints in MuJoCo's own step, (count,); zero if there were others."""
    rows = constraint_rows(model, scratch)
    ties: Ints = np.flatnonzero((rows.kind == _EQUALITY) & rows.J[:, joints.dofs].any(axis=1))
    return rows.force[ties] if len(ties) == count else np.zeros(count)


def _place(model: mujoco.MjModel, joints: JointMap, kind: int, number: int) -> int:
    """Place of a constraint among freedoms, tendons and ball joints; -1 for others."""
    if kind in _OF_TENDONS:
        return len(joints.dofs) + number
    if kind not in _OF_FREEDOMS:
        return -1
    if kind in _LIMITS and number in joints.balls:
        return len(joints.dofs) + int(model.ntendon) + joints.balls.index(number)
    return int(joints.place[model.jnt_dofadr[number] if kind in _LIMITS else number])
