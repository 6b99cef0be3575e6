"""Limits and dry friction of single freedoms, and what MuJoCo's constraints do on them, in compiled loops."""

from __future__ import annotations

import mujoco
import numpy as np

from ipc_articulation.dynamics.kernels.kernel import kernel

LIMIT = int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
FRICTION = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)


@kernel
def put_bounds(tables, joints, qpos, has_limits, has_friction, bounds):
    """Displacements at which freedoms meet their lower and upper limits, and their dry friction, (3, F).

    Args:
        tables: `JointMap.owners`, `single` and `dofs`.
        joints: MuJoCo's jnt_limited, jnt_range, jnt_qposadr and dof_frictionloss.
        qpos: Positions, (nq,).
        has_limits: Whether limits are in force.
        has_friction: Whether dry friction is in force.
        bounds: The result; limits are those of hinges and slides, infinite for others.

    Returns:
        The first joint whose limits are no interval, or -1.
    """
    owners, single, dofs = tables
    limited, ends, address, friction = joints
    bad = -1
    for i in range(len(dofs)):
        j = owners[i]
        bounds[0, i], bounds[1, i] = -np.inf, np.inf
        bounds[2, i] = friction[dofs[i]] if has_friction else 0.0
        if limited[j] and has_limits:
            if not ends[j, 0] <= ends[j, 1] and bad < 0:
                bad = j
            if single[i]:
                at = qpos[address[j]]
                bounds[0, i], bounds[1, i] = ends[j, 0] - at, ends[j, 1] - at
    return bad


@kernel
def any_bound(lower, upper, friction):
    """Whether there is a limit or dry friction."""
    found = False
    for i in range(len(lower)):
        found |= lower[i] > -np.inf or upper[i] < np.inf or friction[i] != 0.0
    return found


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
