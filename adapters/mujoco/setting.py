"""States that are set between steps: positions and velocities of the coupled joints, and what follows from them."""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap, displaced, home_positions

from ipc_articulation import affine
from ipc_articulation.arrays import Array

_BALL = int(mujoco.mjtJoint.mjJNT_BALL)
_HINGE, _SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


def limits(model: mujoco.MjModel, joints: JointMap) -> Array:
    """Lowest and highest position of each degree of freedom, (F, 2) [rad or m]; balls and free joints have none."""
    result = np.tile([-np.inf, np.inf], (model.nv, 1))
    for joint in joints.ids:
        if model.jnt_limited[joint] and model.jnt_type[joint] in (_HINGE, _SLIDE):
            result[model.jnt_dofadr[joint]] = model.jnt_range[joint]
    return result[joints.dofs]


def write_joints(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap, theta: Array, theta_dot: Array) -> None:
    """Set positions θ and velocities θ̇ of the coupled joints, (F,) each, in `qpos` and `qvel`."""
    at = displaced(model, joints, home_positions(model), theta)
    data.qpos[joints.qpos] = at[joints.qpos]
    data.qvel[joints.dofs] = theta_dot


def link_rates(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap, poses: Array) -> Array:
    """Rates of the links' poses.

    MuJoCo's `cdof` are the joints' screws S_j = (axis, velocity of the point c, the tree's centre of mass), in world
    axes. A body has the twist Σ S_j q̇_j over all joints up to its last; a link between two joints of one body does not
    have the later ones. Its origin p has the velocity v_c + ω × (p - c).

    Args:
        model: The model.
        data: State whose velocities are up to date: `mj_fwdPosition` and `mj_fwdVelocity`.
        joints: The m joints.
        poses: Of their links, (m, 4, 4).

    Returns:
        (m, 4, 4).
    """
    twists = data.cvel[joints.bodies].copy()
    for i, later in enumerate(joints.later):
        for j in later:
            first = model.jnt_dofadr[j]
            dofs = range(first, first + (3 if model.jnt_type[j] == _BALL else 1))
            for dof in dofs:
                twists[i] -= data.cdof[dof] * data.qvel[dof]
    omega, v_c = twists[:, :3], twists[:, 3:]
    c = data.subtree_com[model.body_rootid[joints.bodies]]
    v = v_c + np.cross(omega, poses[:, :3, 3] - c)
    return affine.transform_rate_from_qdot(affine.qdot_from_twist(affine.q_from_transform(poses), v, omega))
