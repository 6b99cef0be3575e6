"""Motor forces and external wrenches of a step, and the acceleration due to them and all passive forces."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.aba import forward_dynamics
from ipc_articulation.dynamics.algorithms.bad_states import leading_axes, states
from ipc_articulation.dynamics.algorithms.lift import of_joints
from ipc_articulation.dynamics.arguments import require
from ipc_articulation.dynamics.forces.actuation import PD, within_effort
from ipc_articulation.dynamics.forces.passive import passive_forces
from ipc_articulation.dynamics.model.model import Model


@dataclass(frozen=True)
class Drive:
    """Motor forces and external wrenches, constant during a step.

    Motors act on joints: τ and PD control are (nv,) of the spanning tree, zero for joints without a motor.
    """

    tau: ArrayLike = 0.0  # one for each joint's motor, or one number for all [N·m or N]; clipped to the effort limits
    pd: PD | None = None
    wrenches: ArrayLike | None = None  # on the bodies, (nb, 6), as in `forward_dynamics`

    def __post_init__(self) -> None:
        if self.pd is not None:
            require("pd", self.pd, PD)


IDLE = Drive()


def acceleration(model: Model, q: ArrayLike, v: ArrayLike, drive: Drive = IDLE) -> Array:
    """q̈ = M⁻¹ (τ + passive forces - h + Σ Jᵀ w): (..., nq), (..., nv) -> (..., nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one, a drive that is
            none.
    """
    q, v = states(model, q=q, v=v)
    require("drive", drive, Drive)
    motors = within_effort(model, drive.tau)
    leading_axes(("q", "v", "tau"), [q.shape[:-1], v.shape[:-1], motors.shape[:-1]])

    def forces(tree: Model, q: Array, v: Array) -> Array:
        tau = motors + passive_forces(tree, q, v)
        return tau if drive.pd is None else tau + drive.pd.checked(tree).forces_of_checked(tree, q, v)

    return forward_dynamics(model, q, v, of_joints(model, forces, q, v), drive.wrenches)
