"""Newton's method for the incremental potential; continuous collision detection limits each step.

The convergence test (see `convergence`) is that of libuipc. Its tolerances are loose (0.05 m/s), so Newton continues
until the last two steps show that a next one would be tiny, and gaps hardly change. Near a smooth solution this costs
at most one step and squares the error, which makes the coupling exact. It also prevents that friction shortly before
slipping is treated as sticking, and that bodies almost in contact are treated as bodies at rest.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine import islands, rows
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.newton.convergence import are_done, attenuated, end_early, step_sizes, unmet_criteria
from ipc_articulation.engine.newton.diagnosis import not_finite
from ipc_articulation.engine.newton.line_search import Search, line_search
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.newton.turning import free_turns
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.errors import SolverError
from ipc_articulation.frontend.config import Config
from ipc_articulation.signals import deliver_interrupt

_EXACT = 30.0  # times the tolerances: below this size steps of soft bodies are tried with exact Hessians again
_LATE, _SMALL = 60, 0.05  # iterations after which steps of this size are the last ones: they are mostly rounding


class _Problem(NamedTuple):
    """What all iterations of a solve share."""

    potential: Potential
    system: LinearSystem
    dt: float  # [s]
    config: Config
    watch: Stopwatch


class CutStep(NamedTuple):
    """A Newton step of all bodies, and the fraction that collision detection allows."""

    start: Array  # (n, 12) coordinates from which it leads
    dq: Array  # (n, 12)
    fraction: Array  # (n,) of it that may be taken
    size: Array  # (n,) in units of the tolerances, one of all of an island; 0 where there was no step


class Iterate(NamedTuple):
    """Result of an iteration."""

    q: Array  # (n, 12)
    energies: Array | None  # (n,) of the bodies there; None where they were not measured
    moving: Bools  # (n,) bodies whose islands have not ended
    number: int  # of these
    step: CutStep  # that led here
    taken: Array  # (n,) fraction of it that was taken
    is_exhausted: bool  # whether its line search found no decrease
    residual: Array  # (n,) what is left of the first residual
    early: Bools  # (n,) bodies whose islands ended before they had converged
    refused: Bools  # (n,) bodies whose exact Hessian was not definite in the last iterations


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

    Every island (see `islands`) has its own step length and convergence; one that has converged does not move until
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
    problem, report = _Problem(potential, system, dt, config, watch), NewtonReport(NewtonResult.CONVERGED)
    now = _first_iterate(q, energies, moving)
    report.awake = now.number
    while now.number:
        deliver_interrupt()
        if report.iterations == config.max_iter:
            _give_up(problem, now, report)
            break
        now = _iterate(problem, now, report)
    return now.q, now.early | now.moving if now.number else now.early, report


def _first_iterate(q: Array, energies: Array | None, moving: Bools) -> Iterate:
    """The iterate from which a solve starts; see `minimise`."""
    whole = np.ones(len(q))
    none = CutStep(q, np.zeros(q.shape), whole, np.zeros(len(q)))
    nobody = np.zeros(len(q), dtype=np.bool_)
    return Iterate(q, energies, moving, int(np.count_nonzero(moving)), none, whole, False, whole, nobody, nobody)


def _iterate(problem: _Problem, now: Iterate, report: NewtonReport) -> Iterate:
    """One Newton iteration: a step, cut by collision detection, of which a line search takes what lowers the energy."""
    potential, config = problem.potential, problem.config
    report.iterations += 1
    at_goal = potential.approach(report.iterations)
    dq, refused = _newton_step(problem, now)
    fraction, labels = potential.step_fractions(now.q, dq)
    problem.watch.lap("collision detection")
    step = CutStep(now.q, dq, fraction, _sizes(problem, labels, dq))
    report.ccd_step = rows.smallest(fraction, now.moving, report.ccd_step)
    done = _find_done(problem, now, step, labels, at_goal, report.iterations)
    search = _search(problem, now, step, labels, now.moving & ~done, report)
    potential.follow(now.q, search.step, search.turned)
    residual, early = now.residual, now.early
    if at_goal and config.semi_implicit and report.iterations > config.semi_implicit_start:
        residual = attenuated(labels, residual, _counted(potential, now, step, search, labels), potential.exact)
    ended = np.zeros_like(done)
    if report.iterations > config.min_iter:
        ended, early = _find_ended(problem, done, residual, now, report)
    moving, number, woken = islands.unfinished(labels, now.moving, ended, potential.movable)
    report.awake = max(report.awake, number)
    energies = search.energies if at_goal and not woken else None  # else it is another potential, or others move
    end = step, search.alpha, search.is_exhausted, residual, early, refused
    return Iterate(search.q, energies, moving, number, *end)


def _newton_step(problem: _Problem, now: Iterate) -> tuple[Array, Bools]:
    """The step -H⁻¹ g, (n, 12), with H exact where that is definite.

    Projected term by term, a Hessian is much stiffer than the sum where forces of two terms balance: those that hold a
    link against those that move its joint (Longva et al. 2023, «Pitfalls of projection»). So exact ones are tried.
    In parts, not connected with others, that are not definite, projected ones take their place until steps meet the
    tolerances, or come near them where bodies are soft.

    Returns:
        The step, and the bodies whose exact Hessian was not definite, (n,).
    """
    potential, system = problem.potential, problem.system
    refused = now.refused & (now.step.size >= np.where(potential.is_soft, _EXACT, 1.0))
    potential.select(now.moving)
    projected = refused if potential.projects else np.ones_like(refused)
    try:
        dq = system.solve_definite(_assemble(problem, now, projected))
        if dq is None:
            refused = refused | system.indefinite
            dq = system.solve(_assemble(problem, now, projected | refused))
        dq = potential.restrain(dq, system)
    except SolverError as error:
        raise not_finite(potential, now.q) or error from None
    problem.watch.lap("solve")
    if not rows.are_finite(dq):
        raise not_finite(potential, now.q) or SolverError("the Newton step is not finite")
    return dq, refused


def _assemble(problem: _Problem, now: Iterate, projected: Bools) -> Array:
    """The gradient (n, 12); the Hessian is in the system."""
    problem.system.choose(now.moving)
    g = problem.potential.assemble(now.q, problem.system, projected)
    problem.watch.lap("assemble")
    if not rows.are_finite(g):
        raise SolverError("the gradient of the step's energy is not finite")
    return g


def _sizes(problem: _Problem, labels: Ints, dq: Array) -> Array:
    potential, tolerances = problem.potential, (problem.config.velocity_tol, problem.config.transrate_tol)
    motion_tol, change_tol = (tolerance * problem.dt for tolerance in tolerances)
    return step_sizes(labels, potential.motions(dq), dq, motion_tol, change_tol, potential.is_soft)


def _find_done(problem: _Problem, now: Iterate, step: CutStep, labels: Ints, at_goal: bool, iterations: int) -> Bools:
    """The bodies whose islands meet the convergence test with this step, (n,)."""
    potential, last_size = problem.potential, now.step.size
    if potential.may_touch:  # else Newton's method starts near its goal
        last_size = np.minimum(last_size, 1.0)  # larger steps tell nothing of how fast it converges
    bodies = now.moving, potential.movable, potential.remainder, potential.is_soft
    done = are_done(labels, *bodies, step.fraction, step.size, last_size, now.taken, problem.config.ccd_tol, at_goal)
    if iterations > _LATE and at_goal:  # but for joints, whose forces another engine gets
        goes_on = (step.size >= _SMALL) | (step.fraction < problem.config.ccd_tol) | (potential.movable & ~now.moving)
        done |= ~islands.anyone(labels, goes_on | potential.exact)
    if np.count_nonzero(done & now.moving):  # of the others nothing depends on it
        done &= potential.keeps_contact(rows.advanced(now.q, step.fraction, step.dq)[0], labels)
    return done


def _search(
    problem: _Problem,
    now: Iterate,
    step: CutStep,
    labels: Ints,
    searching: Bools,
    report: NewtonReport,
) -> Search:
    """Take the step, shortened so that the energy of islands that are not done does not rise."""
    potential = problem.potential
    turn = partial(free_turns, potential, now.q, labels=labels, moving=now.moving)
    given = step.dq, step.fraction, labels, searching, now.energies, turn, problem.config, report
    search = line_search(potential, now.q, *given)
    problem.watch.lap("line search")
    return search


def _find_ended(
    problem: _Problem, done: Bools, residual: Array, now: Iterate, report: NewtonReport
) -> tuple[Bools, Bools]:
    """The bodies whose islands have taken their last step, (n,); and those that ended early, with a small residual."""
    if not problem.config.semi_implicit:
        return done, now.early
    ended, ends_early = end_early(done, residual, problem.config.semi_implicit_tol, now.moving)
    if ends_early.any():
        report.result = NewtonResult.SEMI_IMPLICIT
    return ended, now.early | ends_early


def _counted(potential: Potential, now: Iterate, step: CutStep, search: Search, labels: Ints) -> Array:
    """The fraction of the first residual, (n,), of which a step has taken its part, for `attenuated`.

    Where surfaces touch, forces must be almost linear: gaps and friction stay, and the step is so much smaller than the
    one before.
    """
    if not potential.may_touch:
        return search.alpha
    rate = np.divide(step.size, now.step.size, out=np.ones_like(step.size), where=step.size < now.step.size)
    counts = potential.keeps_contact(search.q, labels)
    return np.where(counts, np.minimum(search.alpha, np.maximum(1.0 - rate, 0.0)), 0.0)


def _give_up(problem: _Problem, now: Iterate, report: NewtonReport) -> None:
    """Report that the iterations were not enough, and which criteria were not met."""
    (start, dq, fraction, _), config = now.step, problem.config
    report.result = NewtonResult.LINE_SEARCH_EXHAUSTED if now.is_exhausted else NewtonResult.MAX_ITERATIONS
    cut = start + fraction[:, None] * dq
    report.unmet = unmet_criteria(problem.potential, cut, dq, fraction, problem.dt, config)
    unmet = "; ".join(map(str, report.unmet)) or "its last step met the convergence test, but did not become small yet"
    if report.exhausted_searches:
        unmet += f"; {report.exhausted_searches} line searches found no decrease"
    result = f"newton/max_iter = {config.max_iter} iterations ({report.result.value})"
    report.warnings.append(f"Newton stopped after {result}: {unmet}")
