"""Newton's method for the incremental potential, with collision detection: a page of Python over compiled stages.

The method is that of `engine.newton` (docs/step.md).
"""

from __future__ import annotations

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.errors import SolverError
from ipc_articulation.signals import deliver_interrupt
from prototypes.core import stages, touching
from prototypes.core.core import Core

_LATE = 60  # iterations after which small steps are the last ones: they are mostly rounding


def minimise(core: Core, moving: Bools, watch: Stopwatch) -> tuple[Bools, NewtonReport]:
    """Minimise the potential from where the bodies of a core are; they are where it has ended then.

    Args:
        core: Whose step has begun.
        moving: Bodies (B,) to move; others move when an island that moves comes near them.
        watch: Counts the time by stage.

    Returns:
        The bodies (B,) whose islands did not meet the convergence test, and a report: a solve that did not converge
        says so in `report.result`, and why in `report.warnings`.

    Raises:
        SolverError: An energy, gradient or Hessian is not finite (names the term and the body), or the Hessian cannot
            be factorised.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    report = NewtonReport(NewtonResult.CONVERGED)
    number = report.awake = stages.first(core.work, moving)
    core.energies = None
    while number:
        deliver_interrupt()
        if report.iterations == core.config.max_iter:
            report.result = NewtonResult.MAX_ITERATIONS
            break
        number = _iterate(core, report, watch)
    return stages.unconverged(core.work), report


def _iterate(core: Core, report: NewtonReport, watch: Stopwatch) -> int:
    """One Newton iteration: a step, cut by collision detection, of which a line search takes what lowers the energy.

    Returns:
        The number of bodies that go on.
    """
    work, config = core.work, core.config
    report.iterations += 1
    at_goal = core.approach(report.iterations)
    _solve(core, watch)
    _collide(core, watch)
    if stages.find_done(work, core.limits, at_goal, report.iterations > _LATE, core.touches) and core.touches:
        touching.keep(work, core.eps, core.exact)
    _search(core, report)
    watch.lap("line search")
    if core.touches:
        touching.end_iteration(work, core.eps)
    if core.following:
        step = stages.taken(work)
        for term in core.following:
            term.follow(step)
    if at_goal and config.semi_implicit and report.iterations > config.semi_implicit_start:
        _attenuate(core)
    tol = config.semi_implicit_tol if config.semi_implicit else 0.0
    number, woken, is_early = stages.end_iteration(work, report.iterations > config.min_iter, tol)
    if is_early:
        report.result = NewtonResult.SEMI_IMPLICIT
    if woken or not at_goal:
        core.energies = None  # they are those of another potential, or of other bodies
    report.awake = max(report.awake, number)
    if core.touches:
        touching.touch(work)
    return number


def _solve(core: Core, watch: Stopwatch) -> None:
    """Newton's step -H⁻¹ g, with H exact where that is definite.

    Projected term by term, a Hessian is much stiffer than the sum where forces of two terms balance: those that hold a
    link against those that move its joint (Longva et al. 2023, «Pitfalls of projection»). So exact ones are tried.
    In parts, not connected with others, that are not definite, projected ones take their place until steps meet the
    tolerances, or come near them where bodies are soft.
    """
    work = core.work
    stages.begin_sums(work, core.room, core.projects)
    _assemble(core)
    watch.lap("assemble")
    is_solved, is_finite = stages.solve_definite(work, core.by_gradients)
    if is_finite and not is_solved:
        stages.clear_sums(work)
        _assemble(core)
        is_finite = stages.solve_anyway(work, core.by_gradients)
    if not is_finite:
        raise SolverError("the Newton step is not finite")
    for term in core.restraining:
        term.restrain(work, core.by_gradients)
    watch.lap("solve")


def _assemble(core: Core) -> None:
    x, y, _ = stages.nodes(core.work)
    for term in core.terms:
        term.add_derivatives(x, y, core.sums)
    if core.touches:
        touching.add_derivatives(core.work, core.square, core.eps)


def _collide(core: Core, watch: Stopwatch) -> None:
    """Find how far bodies may go."""
    if core.touches:
        touching.look_ahead(core.work, core.square, core.by_gradients)
        touching.collide(core.work)
    else:
        stages.look_ahead(core.work)
    watch.lap("collision detection")


def _search(core: Core, report: NewtonReport) -> None:
    """Halve the steps of islands until their energy does not rise; the whole ones are tried on circles, too."""
    work, has_noise = core.work, False
    if not stages.take(work):
        core.energies = None
        return
    if not stages.limit(work, core.energies_now() if core.energies is None else core.energies):
        raise SolverError("the step's energy is not finite")
    for _ in range(core.config.line_search_max_iter):
        report.line_search_steps += 1
        E = core.energies_ahead()
        if stages.is_too_high(work, E) and not has_noise:
            stages.allow(work, core.rounding())
        if not stages.is_too_high(work, E):
            core.energies = E
            return
        if not has_noise and core.touches:  # the whole step: it may only be too straight
            _turn(core, E)
        has_noise = True
        stages.halve(work, E)
    core.energies = None
    report.exhausted_searches += 1


def _turn(core: Core, E: Array) -> None:
    """Take the step on circles for islands whose energy does not rise on them, see `newton.turning`."""
    work = core.work
    straight, circles, which = touching.bend(work, E, *core.tree)
    while which.any():
        taken = which & touching.turn(work, straight, circles, which)
        if taken.any():
            taken = stages.lower(work, core.energies_ahead(), taken)
        if (taken == which).all():
            return
        which = taken  # what goes straight after all may be in the way of the others
    touching.turn(work, straight, circles, which)


def _attenuate(core: Core) -> None:
    """Follow what is left of the first residual, for `newton/semi_implicit`."""
    kept = touching.keeps_taken(core.work, core.eps, core.exact) if core.touches else core.everybody
    stages.attenuate(core.work, kept, core.exact)
