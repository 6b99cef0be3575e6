"""One step of the CPU engine: state in, state out."""

from __future__ import annotations

from ipc_articulation.engine.integrator import Integrator
from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.newton import NewtonReport, minimise
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.state import State
from ipc_articulation.frontend.config import Config


def step(
    state: State,
    potential: Potential,
    system: LinearSystem,
    coordinates: JointCoordinates,
    integrator: Integrator,
    dt: float,
    config: Config,
) -> tuple[State, NewtonReport]:
    """Advance by dt [s]: minimise the incremental potential; velocities and joint angles follow.

    Raises:
        ArticulationError: An articulation's input is not valid.
        SolverError: see `newton.minimise`. The state given stays valid.
    """
    potential.begin_step(state, dt)
    q, report = minimise(potential, system, state.q, dt * state.qdot, dt, config)
    qdot, theta = integrator.velocity(state, q, dt), coordinates.follow(state.theta, q)
    return State(q, qdot, theta, state.q, state.qdot), report
