"""Newton's method on the incremental potential, each step cut by continuous collision detection.

The convergence test (see `convergence`) is libuipc's. Those tolerances are loose (0.05 m/s), so Newton goes beyond
them, until the last two steps tell that a next one would be tiny, and gaps hardly change. Near a smooth solution that
costs at most one step and squares the error, which makes coupling exact; and friction that is about to slip is not
taken for sticking, nor bodies a hair apart for bodies at rest.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.newton import islands
from ipc_articulation.engine.newton.convergence import are_done, attenuated, end_early, step_sizes, unmet_criteria
from ipc_articulation.engine.newton.line_search import Search, line_search
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.output.diagnosis import not_finite
from ipc_articulation.engine.output.stopwatch import Stopwatch
from ipc_articulation.engine.potential import Potential
from ipc_articulation.errors import SolverError
from ipc_articulation.frontend.config import Config
from ipc_articulation.signals import deliver_interrupt


def minimise(
    potential: Potential,
    system: LinearSystem,
    q: Array,
    energies: Array | None,
    moving: Bools,
    dt: float,
    config: Config,
    watch: Stopwatch,
) -> tuple[Array, Bools, NewtonReport]:
    """Minimise the potential from q (n, 12), coordinates without intersections.

    Every island (see `islands`) has its own step length and convergence; one that has converged stands still until
    another comes near it.

    Args:
        potential: E, with `begin_step` done.
        system: The Newton system.
        q: Where to start, (n, 12).
        energies: Of the bodies there, (n,); None where they were not measured.
        moving: Which bodies to move, (n,); others move when an island that moves comes near them.
        dt: Time step [s].
        config: Tolerances and limits.
        watch: Counts the time by stage.

    Returns:
        The minimiser; the bodies whose islands did not meet the convergence test, (n,); and a report: a solve that did
        not converge says so in `report.result`, and why in `report.warnings`.

    Raises:
        SolverError: An energy, gradient or Hessian is not finite (names the term and the body), or the Hessian cannot
            be factorised.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    count, n = int(np.count_nonzero(moving)), len(q)
    report, beta, size = NewtonReport(NewtonResult.CONVERGED, awake=count), np.ones(n), np.zeros(n)
    before, dq, share, early = q, np.zeros(q.shape), np.ones(n), np.zeros(n, dtype=np.bool_)
    search = Search(share, q, dq)
    tolerances = config.velocity_tol * dt, config.transrate_tol * dt
    while count:
        deliver_interrupt()
        if report.iterations == config.max_iter:
            exhausted = search.is_exhausted
            report.result = NewtonResult.LINE_SEARCH_EXHAUSTED if exhausted else NewtonResult.MAX_ITERATIONS
            report.unmet = unmet_criteria(potential, before + share[:, None] * dq, dq, share, dt, config)
            report.warnings.append(_not_converged(report, config))
            break
        report.iterations += 1
        at_goal = potential.approach(report.iterations)
        dq = _newton_step(potential, system, q, moving, watch)
        share, labels = potential.step_fractions(q, dq)
        watch.lap("collision detection")
        last, size = (size, search.alpha), step_sizes(labels, potential.motions(dq), dq, *tolerances)
        done = are_done(labels, moving, potential.movable, share, size, *last, config.ccd_tol, at_goal)
        if done.any():
            done &= potential.keeps_gaps(rows.advanced(q, share, dq)[0], labels)
        search = line_search(potential, q, dq, share, labels, moving & ~done, energies, config, report)
        watch.lap("line search")
        potential.follow(q, search.step)
        before, q = q, search.q
        report.ccd_step = rows.smallest(share, moving, report.ccd_step)
        if at_goal:
            beta = _attenuated(beta, search.alpha, labels, potential.exact, report.iterations, config)
        ended = _ended(done, beta, moving, early, report, config)
        moving, number, woken = islands.unfinished(labels, moving, ended, potential.movable)
        energies = search.energies if at_goal and not woken else None  # else it is another potential, or others move
        count, report.awake = number, max(report.awake, number)
    if report.exhausted_searches:
        report.warnings.append(_exhausted(report, config))
    return q, early | moving if count else early, report


def _newton_step(potential: Potential, system: LinearSystem, q: Array, moving: Bools, watch: Stopwatch) -> Array:
    potential.select(moving)
    system.choose(moving)
    g = potential.assemble(q, system)
    watch.lap("assemble")
    if not rows.are_finite(g):
        raise not_finite(potential, q) or SolverError("the gradient of the step's energy is not finite")
    try:
        dq = system.solve(g)
    except SolverError as error:
        raise not_finite(potential, q) or error from None
    watch.lap("solve")
    if not rows.are_finite(dq):
        raise not_finite(potential, q) or SolverError("the Newton step is not finite")
    return dq


def _attenuated(beta: Array, alpha: Array, labels: Ints, exact: Bools, iterations: int, config: Config) -> Array:
    """Counted from K_min iterations on."""
    if config.semi_implicit and iterations > config.semi_implicit_start:
        return attenuated(labels, beta, alpha, exact)
    return beta


def _ended(done: Bools, beta: Array, moving: Bools, early: Bools, report: NewtonReport, config: Config) -> Bools:
    """The bodies whose islands have taken their last step, (n,): those done, or with little left of their residual.

    The latter are added to `early`.
    """
    if report.iterations <= config.min_iter:
        return np.zeros(len(done), dtype=np.bool_)
    if not config.semi_implicit:
        return done
    ended, ends_early = end_early(done, beta, config.semi_implicit_tol, moving)
    if ends_early.any():
        early |= ends_early
        report.result = NewtonResult.SEMI_IMPLICIT
    return ended


def _not_converged(report: NewtonReport, config: Config) -> str:
    unmet = "; ".join(map(str, report.unmet)) or "its last step met the convergence test, but did not become small yet"
    return f"Newton stopped after newton/max_iter = {config.max_iter} iterations ({report.result.value}); {unmet}"


def _exhausted(report: NewtonReport, config: Config) -> str:
    return (
        f"line search stopped after line_search/max_iter = {config.line_search_max_iter} halvings in "
        f"{report.exhausted_searches} of {report.iterations} Newton iterations"
    )
