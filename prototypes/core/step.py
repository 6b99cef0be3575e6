"""One step of the core: state in, state out."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import islands
from ipc_articulation.engine.newton.extrapolation import rigid_motion
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.output.crushed import crushed
from ipc_articulation.engine.rest import Rested, end_step
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.stopwatch import Stopwatch
from prototypes.core import stages, touching
from prototypes.core.core import Core
from prototypes.core.lagging import settle_friction
from prototypes.core.newton import minimise
from prototypes.core.terms.coordinates import write_nodes

_ROUNDING = 64 * np.finfo(float).eps  # of a body's largest coordinate; bodies that lie on others creep by as much
_BALANCE = 1e-3  # of gravity: an acceleration that a body in balance does not have


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
    core.begin_step(state, core.nodes(state.q), dt, substeps)
    watch.lap("begin")
    moving = _awake(core, rested, dt)
    if not moving.any():
        return state, None if rested is None else rested._replace(is_all=True), NewtonReport(NewtonResult.CONVERGED)
    _start(core, state, moving, dt)
    watch.lap("start")
    unconverged, report = minimise(core, moving, watch)
    if core.touches and model.rules.friction_iterations > 1:
        unconverged = settle_friction(core, unconverged, model.rules.friction_iterations, report, watch)
    if core.may_rest:
        settle(core.work, core.gravity, core.driven | unconverged, dt)
    q = core.coordinates(stages.place(core.work), state.q)
    ends = core.movable[core.numbering.body_of], (unconverged | core.restiffened)[core.numbering.body_of], dt
    qdot, same, found = end_step(model.order, state, q, *ends)
    report.warnings += crushed(state.q, q, np.arange(len(q)) < core.numbering.affine, model.context.bodies.names)
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
    return stages.awake(core.work, core.driven | core.restiffened, has_moved)


def _start(core: Core, state: EngineState, moving: Bools, dt: float) -> None:
    """Repeat the motion of the last step, where nothing is in the way and E falls; see `newton.extrapolation`."""
    work, core.is_measured = core.work, False
    stages.first(work, moving)
    motion = dt * core.nodes(state.qdot)
    straight(core, state, moving[: core.numbering.affine], motion, dt)
    if not motion.any():
        return
    stages.aim(work, motion)
    if core.touches:
        touching.collide(work)
    stages.stay(work)
    core.measure()
    core.measure_ahead()
    stages.start(work)
    if core.touches:
        touching.touch(work)


def straight(core: Core, state: EngineState, moving: Bools, motion: Array, dt: float) -> None:
    """Write the rigid motions of affine bodies (A,) to `motion` (N, 3)."""
    affine = len(moving)
    given = state.q[:affine], state.qdot[:affine], moving, core.center[:affine], core.is_link, *core.tree, dt
    write_nodes(rigid_motion(*given), motion)


@compiled
def settle(work, gravity, stays, dt):
    """Restore the nodes of islands that moved only by rounding in a step, see `engine.rest`.

    Args:
        work: Where the step has ended.
        gravity: Its magnitude at each row of nodes, (R,) [m/s²].
        stays: Bodies (B,) whose islands are left as they are: driven, or not converged.
        dt: Time step [s].
    """
    rows, points, now = work.scene.rows, work.scene.points, work.now
    goes, labels = stays.copy(), work.start
    for r in range(len(rows.body)):
        moved, extent = _motion(rows, points, now.x, work.since, r)
        rounding = _ROUNDING * (np.max(np.abs(now.x[rows.first[r]])) + extent)
        goes[rows.body[r]] |= moved > min(rounding, _BALANCE * gravity[r] * dt * dt)
    goes = islands.anyone(labels, goes)
    x = now.x.copy()
    for r in range(len(rows.body)):
        if not goes[rows.body[r]]:
            x[rows.first[r] : rows.first[r + 1]] = work.since[rows.first[r] : rows.first[r + 1]]
    work.now = stages.at_place(now, x, now.y)


@compiled
def _motion(rows, points, x, since, r):
    """How far the points of a row's hull have moved from nodes since to x, (N, 3), its origin at least; its extent."""
    b, first, moved, extent = rows.body[r], rows.first[r], 0.0, 0.0
    count = rows.first[r + 1] - first
    begin, end = (points.hull[b, 0], points.hull[b, 1]) if count > 1 else (0, 0)
    for k in range(3):
        moved += (x[first, k] - since[first, k]) ** 2 if begin == end else 0.0
    for v in range(begin, end):
        square, arm = 0.0, 0.0
        for a in range(1, count):
            arm += points.weight[v, a] ** 2
        for k in range(3):
            s = 0.0
            for a in range(count):
                s += points.weight[v, a] * (x[first + a, k] - since[first + a, k])
            square += s * s
        moved, extent = max(moved, square), max(extent, arm)
    return np.sqrt(moved), np.sqrt(extent)
