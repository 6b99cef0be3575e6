"""Friction whose normal forces and tangents are those of the end of the step, where that is asked for.

Friction is no gradient: λ and the tangents T in  E_f = Σ μ λ f₀(|s + u|)  must be kept while E is minimised. They lag:
they are those of the beginning of the step. So what touches only within the step has no friction in it. The step that
has converged is the fixed point

    q = argmin E(q; λ(q), T(q)),   with the slip u since the beginning of the step throughout,

and minimising, and renewing λ and T where that has ended, in turn leads to it, if it does: nothing guarantees that
(Li et al. 2020, «Incremental potential contact», section 5.2). After some times they are renewed half-way between the
ends of the last two minimisations, which damps what goes to and fro.

Every island has its own end: where it hardly moves any more, by the tolerance with which Newton's method ends with its
first step. In the end friction is that of where the bodies are, whenever their islands have settled.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import islands
from ipc_articulation.engine.newton import stages, touching
from ipc_articulation.engine.newton.convergence import TINY
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.newton.newton import minimise
from ipc_articulation.engine.newton.newton_report import NewtonReport
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.engine.terms import usual

_WHOLE = 8  # minimisations, after which friction is renewed half-way, and steps may be as large as Newton's last ones
_ROUNDING = 64.0 * np.finfo(float).eps  # of coordinates


def settle_friction(core: Core, most: int, report: NewtonReport, watch: Stopwatch) -> None:
    """Renew friction where a minimisation has ended, and minimise again, until that changes nothing.

    Args:
        core: As it was minimised; bodies whose islands failed to meet the convergence test are left as they are.
        most: How many minimisations there may be in all.
        report: Of the first one; gets those of the others, and a warning where they were not enough.
        watch: Counts the time by stage.

    Raises:
        SolverError: As of `minimise`.
    """
    failed = stages.unconverged(core.work) & (not report.converged)
    before, unsettled = stages.place(core.work), core.movable & ~failed
    while unsettled.any() and report.friction_iterations < most:
        is_damped, x = report.friction_iterations > _WHOLE, stages.place(core.work)
        if is_damped:
            _go_half_way(core, before, unsettled)
        start = stages.place(core.work)
        unsettled = islands.anyone(renew(core.work), unsettled) & core.movable & ~failed
        before, core.is_measured = x, False
        again = minimise(core, unsettled, watch)
        report.add(again)
        failed = failed | (stages.unconverged(core.work) & (not again.converged))
        end = np.maximum(core.remainder, TINY) if is_damped else np.full(len(failed), TINY)
        unsettled = stages.moves_more(core.work, start, end, _ROUNDING) & core.movable & ~failed
    renew(core.work)
    if unsettled.any():
        report.warnings.append(_unsettled(core, before, unsettled, most))


@compiled
def renew(work):
    """Take normal forces and tangents of friction from where bodies stand.

    Returns:
        Labels (B,) of islands: bodies that are near there are of one.
    """
    stages.stay_there(work)
    touching.collide(work)
    touching.touch(work)
    touching.lag_friction(work)
    usual.follow(work.usual, work.now.x, work.now.x)
    work.start = work.met
    return work.start


def _go_half_way(core: Core, before: Array, unsettled: Bools) -> None:
    """Go half-way to nodes (N, 3), or as far as nothing touches; bodies that have settled stay."""
    stages.aim(core.work, unsettled, half_way(core.work, before, unsettled))
    stages.go_as_far(core.work)


@compiled
def half_way(work, before, which):
    """Half of the way (N, 3) of some bodies (B,) to nodes (N, 3)."""
    result, body = 0.5 * (before - work.now.x), work.scene.rows.body
    for n in range(len(result)):
        if not which[body[work.sums.row_of_node[n]]]:
            result[n] = 0.0
    return result


def _unsettled(core: Core, before: Array, unsettled: Bools, most: int) -> str:
    motions = np.where(unsettled, stages.moved(core.work, before)[0], 0.0)
    body = int(motions.argmax())
    return (
        f"friction did not settle in friction_iterations = {most} minimisations: the last one moved "
        f"'{core.names[body]}' by {motions[body]:.3g} m"
    )
