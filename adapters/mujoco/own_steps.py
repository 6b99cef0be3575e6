"""MuJoCo's own steps within one step of the scene, as the coupling takes them.

δθ̃ is the whole displacement of the k steps: of a hinge or slide the change of its position, of a ball or the rotation
of a free joint the rotation vector of Rᵗᵀ R, in the axes of the body at the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco import prediction
from ipc_articulation.adapters.mujoco.contacts import ContactsOff
from ipc_articulation.adapters.mujoco.equalities import add_equalities, springs_and_damping
from ipc_articulation.adapters.mujoco.kinematics import JointMap, displacement, undo_later_joints
from ipc_articulation.adapters.mujoco.read_step import StepArrays, read_step
from ipc_articulation.adapters.mujoco.response import Response, Step, response, stiffness_and_damping
from ipc_articulation.adapters.mujoco.restraints import limit_and_friction, restraints

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Restraints


@dataclass(frozen=True)
class OwnSteps:
    """The steps of MuJoCo in one step of the scene, for F degrees of freedom."""

    dt: float  # of all steps together [s]
    mass: Array  # (F, F) M̂
    delta_theta_tilde: Array  # (F,) δθ̃ [rad or m]
    link_poses: Array  # (n, 4, 4) at the beginning
    restraints: Restraints | None
    response: Response | None  # None: of a single step
    path: tuple[tuple[Array, Array], ...]  # velocities (nv,) by which each single step moved, and its controls (nu,)
    ties: Array | float = 0.0  # (F, F) share of the equalities in M̂ of a single step

    def velocity_gain(self, delta_theta: Array) -> Array:
        """What velocities gain if the joints move by δθ (F,) in place of δθ̃: V S⁻¹ (δθ - δθ̃), (F,)."""
        correction = delta_theta - self.delta_theta_tilde
        if self.response is None:
            return correction / self.dt
        return self.response.V @ (self.mass @ correction) / self.dt**2


def take_steps(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    scratch: mujoco.MjData,
    still: mujoco.MjData,
    contacts: ContactsOff,
    joints: JointMap,
    k: int,
) -> OwnSteps:
    """Let MuJoCo take k steps from `data` on `scratch`, without contacts that are IPC's; `data` does not change.

    Args:
        model: The model.
        data: The state.
        scratch: Has the state of the end afterwards.
        still: A further state, which changes if there are several steps.
        contacts: Those that are IPC's.
        joints: The coupled joints.
        k: Number of steps.

    Raises:
        AdapterError: A control is not finite or too large, a step is unstable, the limits of a joint are no interval,
            or k steps are too many (see `response`).
    """
    h, dofs, read = float(model.opt.timestep), joints.dofs, StepArrays.empty(k, joints)
    prediction.begin_steps(model, data, scratch)
    prediction.take_step(model, scratch, contacts)
    own = read_single(model, data, scratch, joints, 0, read)
    if k == 1:
        return own
    poses, held = own.link_poses, own.restraints
    K, C = stiffness_and_damping(model, data, still, dofs)
    if scratch.ne:
        K, C = (a + b for a, b in zip((K, C), springs_and_damping(model, scratch, joints), strict=True))
    forces, path = [], own.path
    for j in range(k):
        if j:
            prediction.take_step(model, scratch, contacts)
            _read_mass(model, scratch, joints, j, read)
            path += ((scratch.qvel.copy(), scratch.ctrl.copy()),)
        if held is not None:
            forces.append(limit_and_friction(model, scratch, joints, held.rows))
    moved = displacement(model, joints, data.qpos, scratch.qpos, read.moved.sum(axis=0))
    answer = response(Step(read.mass.mean(axis=0), K, C, h), k, data.qvel[dofs], moved)
    mass = (k * h) ** 2 * np.linalg.inv(answer.S)
    means = held and _with_means(held, np.array(forces))
    return OwnSteps(k * h, 0.5 * (mass + mass.T), moved, poses, means, answer, path)


def read_single(
    model: mujoco.MjModel, data: mujoco.MjData, scratch: mujoco.MjData, joints: JointMap, state: int, into: StepArrays
) -> OwnSteps:
    """The single step from `data` that MuJoCo has taken on `scratch`, in the arrays of one of several states."""
    ties = _read_mass(model, scratch, joints, state, into)
    mass, moved, poses = (array[state] for array in into)
    undo_later_joints(model, scratch, joints, data.qpos, poses)
    held = restraints(model, data, scratch, joints)
    path = ((scratch.qvel.copy(), scratch.ctrl.copy()),)
    return OwnSteps(float(model.opt.timestep), mass, moved, poses, held, None, path, ties)


def _read_mass(
    model: mujoco.MjModel, scratch: mujoco.MjData, joints: JointMap, state: int, into: StepArrays
) -> Array | float:
    """Read a single step, with the equalities in M̂; returns their share."""
    read_step(model, scratch, joints, state, into)
    if not scratch.ne:
        return 0.0
    mass = into.mass[state]
    without = mass.copy()
    add_equalities(model, scratch, joints, mass)
    return mass - without


def _with_means(held: Restraints, forces: Array) -> Restraints:
    """The restraints of k steps: those of the first one, with the means of their forces as displacements weigh them.

    A force fⱼ in step j = 0 … k-1 moves a mass m by h² (k-j) fⱼ/m: the mean is Σ (k-j) fⱼ / Σ (k-j).

    Args:
        held: Of the first step.
        forces: Of limits and of dry friction in each step, on freedoms and rows, (k, 2, F + r) [N·m or N].
    """
    weights = np.arange(len(forces), 0, -1.0)
    limit_force, friction_force = np.tensordot(weights / weights.sum(), forces, 1)
    return replace(held, limit_force=limit_force, friction_force=friction_force)
