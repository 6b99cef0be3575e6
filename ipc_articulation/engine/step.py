"""One step of the CPU engine: state in, state out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine import kinetic
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.newton import NewtonReport, minimise
from ipc_articulation.engine.potential import Potential
from ipc_articulation.frontend.config import Config

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """What changes from step to step, for n bodies."""

    q: Array  # (n, 12)
    qdot: Array  # (n, 12)


@dataclass(frozen=True)
class Mobility:
    """How the bodies may move."""

    is_fixed: NDArray[np.bool_]  # (n,)
    is_dynamic: NDArray[np.bool_]  # (n,)


def step(
    state: State, mobility: Mobility, potential: Potential, system: LinearSystem, dt: float, config: Config
) -> tuple[State, NewtonReport]:
    """Advance by dt [s]: predict q̃, minimise the incremental potential, and let the velocity follow (backward Euler).

    Raises:
        SolverError: see `newton.minimise`; the state given stays valid.
    """
    q_tilde = kinetic.predict(state.q, state.qdot, config.gravity, mobility.is_fixed, mobility.is_dynamic, dt)
    eps_velocity = config.eps_velocity if config.friction_enable else 0.0
    potential.begin_step(state.q, q_tilde, dt, eps_velocity)
    q, report = minimise(potential, system, state.q, dt * state.qdot, dt, config)
    return State(q, (q - state.q) / dt), report
