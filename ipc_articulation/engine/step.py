"""One step of the CPU engine: state in, state out."""

from __future__ import annotations

from ipc_articulation.engine.contact_free.step import take
from ipc_articulation.engine.newton.extrapolation import advance, rigid_motion
from ipc_articulation.engine.newton.lagging import settle_friction
from ipc_articulation.engine.newton.newton import minimise
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.output.crushed import crushed
from ipc_articulation.engine.rest import Rested, awake, end_step, settle
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.engine.workspace import Workspace


def step(
    state: EngineState,
    rested: Rested | None,
    model: EngineModel,
    workspace: Workspace,
    dt: float,
    substeps: int,
    watch: Stopwatch,
) -> tuple[EngineState, Rested | None, NewtonReport]:
    """Advance by dt [s]: minimise the incremental potential; velocities and joint angles follow.

    Args:
        state: At the beginning of the step.
        rested: The bodies that the last step did not change; None if there are none, or the state is not its result.
        model: The scene.
        workspace: The workspace of this model.
        dt: Time step [s].
        substeps: The animator's: the Newton iterations in which constraints approach their goals.
        watch: Counts the time by stage.

    Returns:
        The state after the step, the bodies that it did not change, and a report.

    Raises:
        ArticulationError: An articulation's input is not valid.
        SceneError: Inertia is lost beside stiffness, see `conditioning`; values of attributes are not valid.
        SolverError: see `newton.minimise`. The given state remains valid.
    """
    if workspace.conditioning.is_due:
        workspace.conditioning.test(state)
    if workspace.contact_free is not None and rested is None:
        taken = take(state, workspace.contact_free, workspace.articulation, dt, watch)
        if taken is not None:
            return taken
    if rested is not None and rested.is_all and rested.dt == dt:
        return state, rested, NewtonReport(NewtonResult.CONVERGED)
    potential, surfaces, is_link = workspace.potential, model.surfaces, model.context.bodies.external_kinetic
    potential.begin_step(state, dt, substeps)
    workspace.conditioning.follow(state)
    watch.lap("begin")
    moving = awake(potential, rested, dt)
    if not moving.any():
        return state, None if rested is None else rested._replace(is_all=True), NewtonReport(NewtonResult.CONVERGED)

    motion = rigid_motion(state.q, state.qdot, moving & ~potential.is_soft, model.center, is_link, *potential.tree, dt)
    motion[potential.is_soft & moving] = dt * state.qdot[potential.is_soft & moving]
    start, energies = advance(potential, state.q, motion, moving)
    watch.lap("start")
    q, unconverged, report = minimise(potential, workspace.system, start, energies, moving, dt, model.config, watch)
    if model.rules.friction_iterations > 1:
        given = moving, unconverged, dt, model.config, watch, model.rules.friction_iterations, report
        q, unconverged = settle_friction(potential, workspace.system, q, *given)
    if potential.may_rest:
        q, measures = q.copy(), (surfaces.corners, potential.extent, model.gravity_strength)
        settle(*measures, potential.labels, potential.driven | unconverged, state.q, q, dt)
    qdot, same, found = end_step(model.order, state, q, potential.movable, unconverged | potential.restiffened, dt)
    report.warnings += crushed(state.q, q, ~potential.is_soft, potential.body_names)
    theta = model.context.coordinates.follow(state.theta, q)
    held = *potential.resistances, *potential.anchors(q), potential.creases(q), *potential.springs(q)
    after = EngineState(q, qdot, theta, state.q, state.qdot, *held)
    watch.lap("write back")
    return after, Rested(same, dt) if found else None, report
