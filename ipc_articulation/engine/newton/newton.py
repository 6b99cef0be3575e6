"""Newton's method for the incremental potential, with collision detection: a page of Python over compiled stages.

The convergence test (see `convergence`) is that of libuipc. Its tolerances are loose (0.05 m/s), so Newton continues
until the last two steps show that a next one would be tiny, and gaps hardly change. Near a smooth solution this costs
at most one step and squares the error, which makes the coupling exact. It also prevents that friction shortly before
slipping is treated as sticking, and that bodies almost in contact are treated as bodies at rest.
"""

from __future__ import annotations

from ipc_articulation.arrays import Bools
from ipc_articulation.engine.newton import direction, line_search, stages, touching
from ipc_articulation.engine.newton.convergence import FARTHER, LATE, SMALLER_STEP, STIFFER
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.newton.diagnosis import not_finite
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult, Unmet
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.errors import SolverError
from ipc_articulation.signals import deliver_interrupt


def minimise(core: Core, moving: Bools, watch: Stopwatch) -> NewtonReport:
    """Minimise the potential from where the bodies of a core are; they are where it has ended then.

    Args:
        core: Whose step has begun.
        moving: Bodies (B,) to move; others move when an island that moves comes near them.
        watch: Counts the time by stage.

    Returns:
        A report: a solve that did not converge says so in `report.result`, and why in `report.warnings`.

    Raises:
        SolverError: An energy, gradient or Hessian is not finite (names the term and the body), or the Hessian cannot
            be factorised.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    report = NewtonReport(NewtonResult.CONVERGED)
    report.awake = number = stages.first(core.work, moving)
    while number:
        deliver_interrupt()
        if report.iterations == core.config.max_iter:
            _give_up(core, report)
            break
        number = _iterate(core, report, watch)
    return report


def _iterate(core: Core, report: NewtonReport, watch: Stopwatch) -> int:
    """One Newton iteration: a step, cut by collision detection, of which a line search takes what lowers the energy.

    Returns:
        The number of bodies that go on.
    """
    work, config = core.work, core.config
    report.iterations += 1
    at_goal, is_late = core.approach(report.iterations), report.iterations > LATE
    _solve(core, watch)
    searches, fraction = stages.decide(work, at_goal, is_late)
    report.ccd_step = min(report.ccd_step, fraction)
    watch.lap("collision detection")
    core.is_measured = searches and _search(core, report)
    core.is_exhausted = searches and not core.is_measured
    watch.lap("line search")
    attenuates = config.semi_implicit and at_goal and report.iterations > config.semi_implicit_start
    tol = config.semi_implicit_tol if config.semi_implicit else 0.0
    number, woken, is_early = stages.end_iteration(work, report.iterations > config.min_iter, attenuates, tol)
    if is_early:
        report.result = NewtonResult.SEMI_IMPLICIT
    core.is_measured &= at_goal and not woken  # else they are those of another potential, or of other bodies
    report.awake = max(report.awake, number)
    return number


def _solve(core: Core, watch: Stopwatch) -> None:
    """Newton's step -H⁻¹ g, with H exact where that is definite.

    Projected term by term, a Hessian is much stiffer than the sum where forces of two terms balance: those that hold a
    link against those that move its joint (Longva et al. 2023, «Pitfalls of projection»). So exact ones are tried.
    In parts, not connected with others, that are not definite, projected ones take their place until steps meet the
    tolerances, or come near them where bodies are soft.
    """
    work = core.work
    _assemble(core)
    watch.lap("assemble")
    result = direction.solve(work, core.by_gradients, core.restrains, True)
    if result == direction.REFUSED:
        _assemble(core)
        result = direction.solve(work, core.by_gradients, core.restrains, False)
    watch.lap("solve")
    if result == direction.NOT_FINITE:
        raise not_finite(core) or SolverError("the Newton step is not finite")


def _assemble(core: Core) -> None:
    """Add derivatives of all terms."""
    direction.assemble(core.work)
    if core.others:
        x = stages.place(core.work)
        for term in core.others:
            term.add_derivatives(x, core.sums)
    if not core.is_begun:
        direction.keep_blocks(core.work, *core.room())
        core.is_begun = True
    if core.touches:
        touching.assemble(core.work)


def _search(core: Core, report: NewtonReport) -> bool:
    """Halve the steps of islands until their energy does not rise; the whole ones are tried on circles, too.

    Returns:
        Whether the energies are known where it has ended.
    """
    work = core.work
    for halving in range(core.config.line_search_max_iter):
        report.line_search_steps += 1
        found = line_search.judge(work, core.added(), not core.is_measured, halving == 0)
        core.is_measured = True
        if found == line_search.LOW:
            return True
        if found == line_search.NOT_FINITE:
            raise not_finite(core) or SolverError("the step's energy is not finite")
        if halving == 0 and core.touches:  # the whole step: it may only be too straight
            _turn(core)
        line_search.halve(work)
    report.exhausted_searches += 1
    return False


def _turn(core: Core) -> None:
    """Take the step on circles for islands whose energy does not rise on them, see `newton.turning`."""
    work = core.work
    straight, circles, which = touching.bend(work, *core.tree)
    while which.any():
        taken = touching.turn(work, straight, circles, which)
        if taken.any():
            taken = line_search.lower(work, taken, core.added())
        if (taken == which).all():
            return
        which = taken  # what goes straight after all may be in the way of the others
    touching.turn(work, straight, circles, which)


def _give_up(core: Core, report: NewtonReport) -> None:
    """Report that the iterations were not enough, and which criteria were not met."""
    report.result = NewtonResult.LINE_SEARCH_EXHAUSTED if core.is_exhausted else NewtonResult.MAX_ITERATIONS
    report.unmet = _unmet(core)
    stages.give_up(core.work)
    unmet = "; ".join(map(str, report.unmet)) or "its last step met the convergence test, but did not become small yet"
    if report.exhausted_searches:
        unmet += f"; {report.exhausted_searches} line searches found no decrease"
    result = f"newton/max_iter = {core.config.max_iter} iterations ({report.result.value})"
    report.warnings.append(f"Newton stopped after {result}: {unmet}")


def _unmet(core: Core) -> tuple[Unmet, ...]:
    """Which criteria the last step misses."""
    config, (motion, change, share) = core.config, stages.last_step(core.work)
    found = (
        ("newton/velocity_tol", motion / core.dt, config.velocity_tol, SMALLER_STEP),
        ("newton/transrate_tol", change / core.dt, config.transrate_tol, STIFFER),
    )
    unmet = [
        Unmet(criterion, (core.names[int(values.argmax())],), float(values.max()), bound, advice)
        for criterion, values, bound, advice in found
        if values.max(initial=0.0) >= bound
    ]
    if share.min(initial=1.0) < config.ccd_tol:
        names = core.closest() or (core.names[int(share.argmin())],)
        unmet.append(Unmet("newton/ccd_tol", names, float(share.min()), config.ccd_tol, FARTHER))
    return tuple(unmet)
