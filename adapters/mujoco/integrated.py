"""What MuJoCo integrates beside positions and velocities, in the step that contact allows.

Springs that yield, activations that depend on positions (the integral of an error) and plugins go by the path of the
step. MuJoCo integrates them again along its own steps j = 0 … k-1, corrected so that they end where contact lets the
joints be. With the share b of blows in each freedom (see `response`), step j has, besides its own, the displacement

    (b/k + (1-b) (j+1)/(1+…+k)) (δθ - δθ̃):

a blow stops the joint in the first step, and a load drives it as a constant force does.
"""

from __future__ import annotations

import mujoco
from ipc_articulation.adapters.mujoco.own_steps import OwnSteps
from ipc_articulation.adapters.mujoco.prediction import copy_state
from ipc_articulation.adapters.mujoco.response import share_of_blows, smooth_forces

from ipc_articulation.arrays import Array, Ints

PARTS = int(mujoco.mjtState.mjSTATE_ACT | mujoco.mjtState.mjSTATE_PLUGIN)
PARTS |= int(getattr(mujoco.mjtState, "mjSTATE_PLASTIC", 0))  # not in every MuJoCo


def follows_path(model: mujoco.MjModel, own: OwnSteps) -> bool:
    """Whether contact changes any of them: in a single step, at whose beginning activations are read, yielding."""
    return bool(getattr(model, "nplastic", 0) or (len(own.path) > 1 and model.na + model.npluginstate))


def integrate(
    model: mujoco.MjModel, data: mujoco.MjData, still: mujoco.MjData, own: OwnSteps, dofs: Ints, delta_theta: Array
) -> None:
    """Integrate the `PARTS` of a state.

    Args:
        model: The model.
        data: The state at the beginning.
        still: Has the parts at the end afterwards.
        own: MuJoCo's own steps.
        dofs: Degrees of freedom of the coupled joints, (F,).
        delta_theta: δθ, (F,).
    """
    copy_state(model, data, still)
    k, correction = len(own.path), delta_theta - own.delta_theta_tilde
    b = share_of_blows(own.dt * data.qvel[dofs], own.delta_theta_tilde)
    for j, (rate, ctrl) in enumerate(own.path):
        still.ctrl[:] = ctrl
        smooth_forces(model, still)
        mujoco.mj_crb(model, still)  # else mj_Euler factorises what happens to be there
        still.qvel[:] = rate
        still.qvel[dofs] += (b / k + (1.0 - b) * 2.0 * (j + 1) / (k * (k + 1))) * correction * k / own.dt
        for force in (still.qfrc_smooth, still.qfrc_constraint, still.qacc):
            force[:] = 0.0  # so that it keeps these velocities
        mujoco.mj_Euler(model, still)
