"""Limits and dry friction of single freedoms, and what MuJoCo's constraints do on them, in compiled loops."""

from __future__ import annotations

import mujoco

from ipc_articulation.dynamics.kernels.kernel import kernel

LIMIT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
FRICTION = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)


@kernel
def put_forces(kind, owner, force, J, types, dofs, forces):
    """Forces of limits and of dry friction on freedoms.

    Args:
        kind: Of each constraint, `mjtConstraint`, (r,).
        owner: Its joint or degree of freedom, (r,).
        force: (r,).
        J: (r, nv).
        types: MuJoCo's jnt_type. Limits of ball joints act on rows, see `restraint_rows`.
        dofs: The F degrees of freedom.
        forces: The result, (2, F) [N·m or N].
    """
    forces[:] = 0.0
    for row in range(len(kind)):
        if kind[row] == FRICTION:
            _add(forces[1], force[row], J[row], dofs)
        elif kind[row] == LIMIT and types[owner[row]] != _BALL:
            _add(forces[0], force[row], J[row], dofs)


@kernel
def _add(total, force, J, dofs):
    for i in range(len(dofs)):
        total[i] += force * J[dofs[i]]
