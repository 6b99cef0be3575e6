"""One step of the CPU engine: state in, state out."""

from __future__ import annotations

from ipc_articulation.engine.integrator import velocity
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.newton.extrapolation import advance
from ipc_articulation.engine.newton.newton import minimise
from ipc_articulation.engine.newton.newton_report import NewtonReport
from ipc_articulation.engine.newton.rest import rested
from ipc_articulation.engine.output.stopwatch import Stopwatch
from ipc_articulation.engine.scene.model import Model
from ipc_articulation.engine.state import State


def step(
    state: State, model: Model, system: LinearSystem, dt: float, substeps: int, watch: Stopwatch
) -> tuple[State, NewtonReport]:
    """Advance by dt [s]: minimise the incremental potential; velocities and joint angles follow.

    The animator's substeps are the Newton iterations in which constraints approach their goals.

    Raises:
        ArticulationError: An articulation's input is not valid.
        SolverError: see `newton.minimise`. The state given stays valid.
    """
    model.potential.begin_step(state, dt, substeps)
    watch.lap("begin")
    moving = model.rest.awake(state, dt)
    motion = model.extrapolation.motion(state.q, state.qdot, moving, dt)
    start, energies = advance(model.potential, state.q, motion, moving)
    watch.lap("start")
    q, unconverged, report = minimise(model.potential, system, start, energies, moving, dt, model.config, watch)
    q = model.rest.settle(state.q, q, unconverged, dt)
    qdot, theta = velocity(model.order, state, q, dt), model.context.coordinates.follow(state.theta, q)
    watch.lap("write back")
    after = State(q, qdot, theta, state.q, state.qdot)
    model.rest.remember(after, rested(state, after, model.potential.movable, unconverged), dt)
    return after, report
