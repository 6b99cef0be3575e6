"""Accelerations and constraint forces of a step that was taken.

After a step `data` has the state at its end, and what MuJoCo computes from positions, velocities and controls: those of
the end. Accelerations and the forces that follow from them are the means over the step, with v its velocities:

    qacc = (v⁺ - v)/dt,    qfrc_constraint = Q̃ + M̂ (δθ - δθ̃)/dt²,

with Q̃ of MuJoCo's own step, and M̂ without its share of equalities: what moves the joints by δθ in place of δθ̃ are
contact and other constraints. In several steps of MuJoCo equalities keep the forces of its own steps. IPC moves a free
body, on which qfrc_constraint = M qacc - qfrc_smooth.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.own_steps import OwnSteps

from ipc_articulation.arrays import Array, Ints


@dataclass(frozen=True)
class TakenStep:
    """MuJoCo's own steps in a step of the scene, and what became of them."""

    own: OwnSteps
    delta_theta: Array  # (F,) δθ [rad or m]
    qvel: Array  # (nv,) v at the beginning


def put_accelerations(
    model: mujoco.MjModel, states: tuple[mujoco.MjData, mujoco.MjData], taken: TakenStep, dofs: Ints, free: Ints
) -> None:
    """Write `qacc` and `qfrc_constraint` of a step.

    Args:
        model: The model.
        states: The state at the end, with all derived values; and that on which MuJoCo took its own steps.
        taken: The step.
        dofs: Degrees of freedom of the coupled joints, (F,).
        free: Those of the free bodies, (6 f,).
    """
    (data, scratch), own = states, taken.own
    data.qacc[:] = (data.qvel - taken.qvel) / own.dt
    data.qfrc_constraint[:] = scratch.qfrc_constraint
    data.qfrc_constraint[dofs] += (own.mass - own.ties) @ (taken.delta_theta - own.delta_theta_tilde) / own.dt**2
    if len(free):
        inertial = np.empty(model.nv)
        mujoco.mj_mulM(model, data, inertial, data.qacc)
        data.qfrc_constraint[free] = (inertial - data.qfrc_smooth)[free]
