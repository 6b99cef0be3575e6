"""One step of the CPU engine: state in, state out."""

from __future__ import annotations

from ipc_articulation.engine.contact_free.step import take
from ipc_articulation.engine.integrator import velocity
from ipc_articulation.engine.newton.extrapolation import advance, rigid_motion
from ipc_articulation.engine.newton.newton import minimise
from ipc_articulation.engine.newton.newton_report import NewtonReport
from ipc_articulation.engine.newton.rest import rested
from ipc_articulation.engine.output.stopwatch import Stopwatch
from ipc_articulation.engine.scene.model import Model
from ipc_articulation.engine.state import State
from ipc_articulation.engine.workspace import Workspace


def step(
    state: State, model: Model, workspace: Workspace, dt: float, substeps: int, watch: Stopwatch
) -> tuple[State, NewtonReport]:
    """Advance by dt [s]: minimise the incremental potential; velocities and joint angles follow.

    The animator's substeps are the Newton iterations in which constraints approach their goals.

    Raises:
        ArticulationError: An articulation's input is not valid.
        SolverError: see `newton.minimise`. The state given stays valid.
    """
    if workspace.contact_free is not None:
        taken = take(state, model, workspace.contact_free, workspace.rest, dt, watch)
        if taken is not None:
            return taken
    potential, rest, bodies = workspace.potential, workspace.rest, model.context.bodies
    potential.begin_step(state, dt, substeps)
    watch.lap("begin")
    moving = rest.awake(state, dt)
    motion = rigid_motion(state.q, state.qdot, moving, model.center, bodies.external_kinetic, dt)
    start, energies = advance(potential, state.q, motion, moving)
    watch.lap("start")
    q, unconverged, report = minimise(potential, workspace.system, start, energies, moving, dt, model.config, watch)
    q = rest.settle(state.q, q, unconverged, dt)
    qdot, theta = velocity(model.order, state, q, dt), model.context.coordinates.follow(state.theta, q)
    watch.lap("write back")
    after = State(q, qdot, theta, state.q, state.qdot)
    rest.remember(after, rested(state, after, potential.movable, unconverged), dt)
    return after, report
