"""MuJoCo's own steps within one step of the scene, as the coupling takes them.

δθ̃ is the whole displacement of the k steps: of a hinge or slide the change of its position, of a ball or the rotation
of a free joint the rotation vector of Rᵗᵀ R, in the axes of the body at the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco import prediction
from ipc_articulation.adapters.mujoco.contacts import ContactsOff
from ipc_articulation.adapters.mujoco.equalities import add_equalities, jacobian, springs_and_damping
from ipc_articulation.adapters.mujoco.kinematics import JointMap, displacement, undo_later_joints
from ipc_articulation.adapters.mujoco.read_step import StepArrays, read_step
from ipc_articulation.adapters.mujoco.response import Response, Step, response, stiffness_and_damping
from ipc_articulation.adapters.mujoco.restraints import (
    NO_FRICTION,
    NO_LIMITS,
    bad_limits,
    forces_of,
    limit_and_friction,
    put_rows,
)

from ipc_articulation.arrays import Array


@dataclass(frozen=True)
class OwnSteps:
    """The steps of MuJoCo in one step of the scene, for F degrees of freedom."""

    dt: float  # of all steps together [s]
    mass: Array  # (F, F) M̂
    delta_theta_tilde: Array  # (F,) δθ̃ [rad or m]
    link_poses: Array  # (n, 4, 4) at the beginning
    bounds: Array  # (5, F + r) the first five of `Restraints`
    rows: Array  # (r, F) R
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
    states: tuple[mujoco.MjData, mujoco.MjData, mujoco.MjData],
    contacts: ContactsOff,
    joints: JointMap,
    views: Any,
    k: int,
) -> OwnSteps:
    """Let MuJoCo take k steps from a state, without contacts that are IPC's; it does not change.

    Args:
        model: The model.
        states: The state; a second one that has begun there (see `begin_steps`), and has the state of the end
            afterwards; and a third one, which changes.
        contacts: Those that are IPC's.
        joints: The coupled joints.
        views: `StepViews` of the first two states.
        k: Number of steps.

    Raises:
        AdapterError: A step is unstable, the limits of a joint are no interval, or k steps are too many (see
            `response`).
    """
    (data, scratch, still), dofs = states, joints.dofs
    h, read = float(model.opt.timestep), StepArrays.empty(k, model, joints)
    prediction.take_step(model, scratch, contacts)
    own = read_single(model, states[:2], joints, views, 0, read)
    if k == 1:
        return own
    K, C = stiffness_and_damping(model, data, still, dofs)
    if scratch.ne:
        K, C = (a + b for a, b in zip((K, C), springs_and_damping(model, scratch, joints), strict=True))
    forces, path = [limit_and_friction(model, scratch, joints, own.rows)], own.path
    for j in range(1, k):
        prediction.take_step(model, scratch, contacts)
        _read_mass(model, scratch, views, j, read)
        path += ((scratch.qvel.copy(), scratch.ctrl.copy()),)
        forces.append(limit_and_friction(model, scratch, joints, own.rows))
    moved = displacement(model, joints, data.qpos, scratch.qpos, read.moved.sum(axis=0))
    answer = response(Step(read.mass.mean(axis=0), K, C, h), k, data.qvel[dofs], moved)
    mass = (k * h) ** 2 * np.linalg.inv(answer.S)
    own.bounds[[2, 4]] = _mean(np.array(forces))
    return OwnSteps(k * h, 0.5 * (mass + mass.T), moved, own.link_poses, own.bounds, own.rows, answer, path)


def read_single(
    model: mujoco.MjModel,
    states: tuple[mujoco.MjData, mujoco.MjData],
    joints: JointMap,
    views: Any,
    state: int,
    into: StepArrays,
) -> OwnSteps:
    """The single step that MuJoCo has taken from a state on another one, in the arrays of one of several states.

    Raises:
        AdapterError: The limits of a joint or tendon are not numbers, or upside down; names it.
    """
    data, scratch = states
    ties, bad = _read_mass(model, scratch, views, state, into)
    if bad >= 0:
        raise bad_limits(model, data, bad)
    mass, moved, poses, bounds, rows = (
        into.mass[state],
        into.moved[state],
        into.poses[state],
        into.bounds[:, state],
        into.rows[state],
    )
    undo_later_joints(model, scratch, joints, data.qpos, poses)
    R = np.empty((0, model.nv))
    if len(rows):
        R = put_rows(model, data, scratch, joints, bounds)
        rows[:] = R[:, joints.dofs]
    if scratch.nefc:
        bounds[2], bounds[4] = forces_of(model, scratch, joints, R)
    path = ((scratch.qvel.copy(), scratch.ctrl.copy()),)
    return OwnSteps(float(model.opt.timestep), mass, moved, poses, bounds, rows, None, path, ties)


def _read_mass(
    model: mujoco.MjModel, scratch: mujoco.MjData, views: Any, state: int, into: StepArrays
) -> tuple[Array | float, int]:
    """Read a single step, with the equalities in M̂.

    Returns:
        The share of the equalities, and the first joint whose limits are no interval, or -1.
    """
    off = model.opt.disableflags
    bad = read_step(views, model.opt.timestep, not off & NO_LIMITS, not off & NO_FRICTION, state, into)
    if not scratch.ne:
        return 0.0, bad
    J, D = jacobian(model, scratch, scratch.ne), scratch.efc_D[: scratch.ne]
    return add_equalities(views, J, D, into.mass[state]), bad


def _mean(forces: Array) -> Array:
    """The means of forces of limits and of dry friction in k steps, as displacements weigh them, (2, F + r).

    A force fⱼ in step j = 0 … k-1 moves a mass m by h² (k-j) fⱼ/m: the mean is Σ (k-j) fⱼ / Σ (k-j).

    Args:
        forces: In each step, on freedoms and rows, (k, 2, F + r) [N·m or N].
    """
    weights = np.arange(len(forces), 0, -1.0)
    return np.tensordot(weights / weights.sum(), forces, 1)
