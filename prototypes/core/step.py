"""One step of the core: state in, state out."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Bools
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.output.crushed import crushed
from ipc_articulation.engine.rest import Rested
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.stopwatch import Stopwatch
from prototypes.core import ends, stages, touching
from prototypes.core.core import Core
from prototypes.core.lagging import settle_friction
from prototypes.core.newton import minimise


def step(
    core: Core,
    state: EngineState,
    rested: Rested | None,
    model: EngineModel,
    dt: float,
    substeps: int,
    watch: Stopwatch,
) -> tuple[EngineState, Rested | None, NewtonReport]:
    """Advance by dt [s]: minimise the incremental potential; see `engine.step`."""
    if rested is not None and rested.is_all and rested.dt == dt:
        return state, rested, NewtonReport(NewtonResult.CONVERGED)
    core.begin_step(state, dt, substeps)
    watch.lap("begin")
    moving = _awake(core, rested, dt)
    if not moving.any():
        return state, None if rested is None else rested._replace(is_all=True), NewtonReport(NewtonResult.CONVERGED)
    _start(core, state, moving, dt)
    watch.lap("start")
    unconverged, report = minimise(core, moving, watch)
    if core.touches and model.rules.friction_iterations > 1:
        unconverged = settle_friction(core, unconverged, model.rules.friction_iterations, report, watch)
    q, qdot, same, found = ends.end(core.work, core.ends, state, unconverged, core.driven, dt)
    report.warnings += crushed(state.q, q, core.is_affine, model.context.bodies.names)
    theta = model.context.coordinates.follow(state.theta, q)
    after = state._replace(q=q, qdot=qdot, theta=theta, q_before=state.q, qdot_before=state.qdot, **core.memory())
    watch.lap("write back")
    return after, Rested(same, dt) if found else None, report


def _awake(core: Core, rested: Rested | None, dt: float) -> Bools:
    """The bodies (B,) whose step must be computed; see `engine.rest`."""
    if rested is None or rested.dt != dt or core.is_adaptive:
        return core.movable
    has_moved = np.zeros_like(core.movable)
    has_moved[core.numbering.body_of[~rested.bodies]] = True
    return stages.awake(core.work, core.driven, has_moved)


def _start(core: Core, state: EngineState, moving: Bools, dt: float) -> None:
    """Repeat the motion of the last step, where nothing is in the way and E falls; see `newton.extrapolation`."""
    work, core.is_measured = core.work, False
    if not ends.aim(work, core.ends, state, moving, dt):
        return
    if core.touches:
        touching.collide(work)
    stages.stay(work)
    core.measure()
    core.measure_ahead()
    stages.start(work)
    if core.touches:
        touching.touch(work)
