"""What drives a robot in a step, and the acceleration that it and all passive forces give."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.aba import forward_dynamics
from ipc_articulation.dynamics.algorithms.bad_states import states
from ipc_articulation.dynamics.algorithms.over_states import Array
from ipc_articulation.dynamics.forces.actuation import PD, within_effort
from ipc_articulation.dynamics.forces.passive import passive_forces
from ipc_articulation.dynamics.model.model import Model


@dataclass(frozen=True)
class Drive:
    """Held constant during a step."""

    tau: ArrayLike = 0.0  # (nv,), or one number [N·m or N]; clipped to the effort limits
    pd: PD | None = None
    wrenches: ArrayLike | None = None  # on the bodies, (nb, 6), as in `forward_dynamics`


IDLE = Drive()


def acceleration(model: Model, q: ArrayLike, v: ArrayLike, drive: Drive = IDLE) -> Array:
    """q̈ = M⁻¹ (τ + passive forces - h + Σ Jᵀ w): (..., nq), (..., nv) -> (..., nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    q, v, tau = states(model, q=q, v=v, tau=within_effort(model, drive.tau))
    tau = tau + passive_forces(model, q, v)
    if drive.pd is not None:
        tau = tau + drive.pd.checked(model).forces(model, q, v)
    return forward_dynamics(model, q, v, tau, drive.wrenches)
