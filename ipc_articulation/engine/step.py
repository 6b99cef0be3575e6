"""One step of the CPU engine: state in, state out."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Bools
from ipc_articulation.engine.newton import ends, stages
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.newton.crushed import crushed
from ipc_articulation.engine.newton.lagging import settle_friction
from ipc_articulation.engine.newton.newton import minimise
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.rest import Rested
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.engine.workspace import Workspace


def step(
    workspace: Workspace,
    state: EngineState,
    rested: Rested | None,
    model: EngineModel,
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
    core, conditioning = workspace.core, workspace.conditioning
    if rested is not None and rested.is_all and rested.dt == dt:
        return state, rested, NewtonReport(NewtonResult.CONVERGED)
    if conditioning.is_due:
        conditioning.test(state)
    core.begin_step(state, dt, substeps)
    conditioning.follow(state)
    watch.lap("begin")
    moving = _awake(core, rested, dt)
    if not np.count_nonzero(moving):
        return state, None if rested is None else rested._replace(is_all=True), NewtonReport(NewtonResult.CONVERGED)
    _start(core, moving)
    watch.lap("start")
    report = minimise(core, moving, watch)
    if core.touches and model.rules.friction_iterations > 1:
        settle_friction(core, model.rules.friction_iterations, report, watch)
    q, qdot, theta, same, found, crushes = ends.end(core.work)
    if crushes:
        report.warnings += crushed(state.q, q, core.is_affine, model.context.bodies.names)
    after = state._replace(q=q, qdot=qdot, theta=theta, q_before=state.q, qdot_before=state.qdot, **core.memory())
    watch.lap("write back")
    return after, Rested(same, dt) if found else None, report


def _awake(core: Core, rested: Rested | None, dt: float) -> Bools:
    """The bodies (B,) whose step must be computed; see `engine.rest`."""
    if rested is None or rested.dt != dt or core.is_adaptive:
        return core.movable
    has_moved = np.zeros_like(core.movable)
    has_moved[core.numbering.body_of[~rested.bodies]] = True
    return stages.awake(core.work, has_moved)


def _start(core: Core, moving: Bools) -> None:
    """Repeat the motion of the last step, where nothing is in the way and E falls; see `newton.extrapolation`."""
    core.is_measured = False
    if ends.aim(core.work, moving):
        stages.start(core.work, core.added())
        core.is_measured = True
