"""Passive properties and limits of a MuJoCo joint, as a mechanism's joint holds them."""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.flags import enabled
from numpy.typing import ArrayLike


def joint_properties(model: mujoco.MjModel, joint: int, nq: int, ndof: int) -> dict[str, ArrayLike]:
    """Fields of `PlacedJoint`, in MuJoCo's units, which are ours; what the model disables is zero or no limit.

    Args:
        model: The model, past `refuse_unsupported`.
        joint: Number of the joint.
        nq: Its number of position coordinates.
        ndof: Its number of degrees of freedom.

    Returns:
        damping, rotor_inertia, friction (ndof,); stiffness, lower, upper, effort (); spring_mount (nq,).
    """
    q, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    dofs = slice(dof, dof + ndof)
    limited = model.jnt_limited[joint] and enabled(model, "LIMIT", "CONSTRAINT")
    lower, upper = model.jnt_range[joint] if limited else (-np.inf, np.inf)
    return {
        "damping": model.dof_damping[dofs] * enabled(model, "DAMPER"),
        "stiffness": model.jnt_stiffness[joint] * enabled(model, "SPRING"),
        "spring_mount": model.qpos_spring[q : q + nq].copy(),
        "rotor_inertia": model.dof_armature[dofs].copy(),
        "friction": model.dof_frictionloss[dofs] * enabled(model, "FRICTIONLOSS", "CONSTRAINT"),
        "lower": lower,
        "upper": upper,
        "effort": model.jnt_actfrcrange[joint, 1] if model.jnt_actfrclimited[joint] else np.inf,
    }
