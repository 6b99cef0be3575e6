"""Newton's method for the incremental potential; continuous collision detection limits each step.

The convergence test (see `convergence`) is that of libuipc. Its tolerances are loose (0.05 m/s), so Newton continues
until the last two steps show that a next one would be tiny, and gaps hardly change. Near a smooth solution this costs
at most one step and squares the error, which makes the coupling exact. It also prevents that friction shortly before
slipping is treated as sticking, and that bodies almost in contact are treated as bodies at rest.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.foresight import Foresight
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.linear_system import SHARES, LinearSystem
from ipc_articulation.engine.newton import islands
from ipc_articulation.engine.newton.convergence import (
    SMALL,
    TINY,
    are_done,
    attenuated,
    end_early,
    step_sizes,
    unmet_criteria,
)
from ipc_articulation.engine.newton.iterate import CutStep, Iterate, first_iterate
from ipc_articulation.engine.newton.line_search import Search, line_search
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.newton.to_and_fro import halved
from ipc_articulation.engine.newton.trust import distrust
from ipc_articulation.engine.newton.turning import free_turns
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
    solve = _Solve(potential, system, len(q), dt, config, watch)
    now = first_iterate(q, energies, moving)
    solve.report.awake = now.number
    while now.number:
        deliver_interrupt()
        if solve.report.iterations == config.max_iter:
            solve.give_up(now)
            break
        now = solve.iterate(now)
    return now.q, solve.early | now.moving if now.number else solve.early, solve.report


_LOOKS = 2  # at what a step would hit, whose barriers enter the system
_ROUNDS = 6  # of solutions of it, in each
_DEAR_ROUNDS = 1  # where a solution takes longer than all else
_FORESEEN = 30  # iterations of a step that foresee contact; what it helps has ended by then
_SHORTER = 0.5  # of the fraction of Newton's step that is free: less free, a foreseen step misleads soft bodies
_REFUSALS = 2  # of such steps in an island, after which it foresees nothing any more
_WILD = 10.0  # times Newton's step: barriers that lead so far are expanded where they do not hold
_NEAR = 0.001  # of a step that is free; where less is, bodies go so far that gaps ahead tell nothing
_PROJECTED = len(SHARES) + 1  # level of distrust that leaves a projected Hessian only
_LED = 8  # iterations, up to which islands that foreseen contact leads have projected Hessians
_LATE = 60  # iterations, after which small steps end where they do not become tiny
_LONG = 8  # iterations, after which steps that lead to and fro are halved
_SOON = 3  # iterations, after which the exact Hessian is tried: near a smooth solution these are enough


class _Solve:
    """Data of all iterations of a solve."""

    def __init__(
        self, potential: Potential, system: LinearSystem, n: int, dt: float, config: Config, watch: Stopwatch
    ) -> None:
        """Begin a solve for n bodies; see `minimise`."""
        self._potential, self._system, self._dt, self._config, self._watch = potential, system, dt, config, watch
        self._tolerances = config.velocity_tol * dt, config.transrate_tol * dt
        self.report = NewtonReport(NewtonResult.CONVERGED)
        self.early = np.zeros(n, dtype=np.bool_)  # bodies whose islands ended before they had converged
        self._gradient = np.zeros((n, DOF))  # of this iteration
        self._distrust = np.zeros(n, dtype=np.int64)  # of exact Hessians, see `trust`
        self._nobody = np.zeros(n, dtype=np.bool_)
        self._is_foreseen = self._nobody  # bodies whose step, in this iteration, is not Newton's
        self._was_foreseen = self._nobody  # in the one before
        self._refusals = np.zeros(n, dtype=np.int64)  # of foreseen steps

    def iterate(self, now: Iterate) -> Iterate:
        """One Newton iteration."""
        potential, report = self._potential, self.report
        report.iterations += 1
        self._was_foreseen, self._is_foreseen = self._is_foreseen, self._nobody
        at_goal = potential.approach(report.iterations)
        dq = self._newton_step(now)
        step, labels = self._foresee(now, *self._cut(now, dq))
        if report.iterations > _LONG:
            step = halved(step, now.step, now.taken, labels)
        self.report.ccd_step = rows.smallest(step.fraction, now.moving, self.report.ccd_step)
        done = self._find_done(now, step, labels, at_goal)
        search = self._search(now, step, labels, done)
        potential.follow(now.q, search.step, search.turned)
        if self._is_slow(now):
            self._distrust = distrust(self._distrust, step, search.alpha)
        residual = self._attenuate(now.residual, search, labels) if at_goal else now.residual
        ended = self._find_ended(done, residual, now.moving)
        moving, number, woken = islands.unfinished(labels, now.moving, ended, potential.movable)
        report.awake = max(report.awake, number)
        is_same = at_goal and not woken  # else it is another potential, or others move
        energies = search.energies if is_same else None
        taken = search.alpha
        if self._is_foreseen is not self._nobody:
            taken = np.where(self._is_foreseen & potential.exact, 0.0, taken)  # barriers have made it that good
        return Iterate(search.q, energies, moving, number, step, taken, search.is_exhausted, residual)

    def give_up(self, now: Iterate) -> None:
        """Report that the iterations were not enough, and which criteria were not met."""
        report, (start, dq, fraction, _) = self.report, now.step
        report.result = NewtonResult.LINE_SEARCH_EXHAUSTED if now.is_exhausted else NewtonResult.MAX_ITERATIONS
        cut = start + fraction[:, None] * dq
        report.unmet = unmet_criteria(self._potential, cut, dq, fraction, self._dt, self._config)
        report.warnings.append(_not_converged(report, self._config))

    def _is_slow(self, now: Iterate) -> bool:
        """Whether exact Hessians are tried: beside soft bodies already where last steps meet the tolerances."""
        potential, iterations = self._potential, self.report.iterations
        if not potential.projects or potential.is_solid or iterations > _SOON:
            return potential.projects
        return potential.has_soft and iterations > 1 and bool((now.moving & ~self._waits(now)).any())

    def _newton_step(self, now: Iterate) -> Array:
        """The step -H⁻¹ g, (n, 12)."""
        potential, system, watch, (q, moving) = self._potential, self._system, self._watch, (now.q, now.moving)
        potential.select(moving)
        try:
            dq = self._exact_step(now) if self._is_slow(now) else self._projected_step(q, moving)
            dq = potential.restrain(dq, system)
        except SolverError as error:
            raise not_finite(potential, q) or error from None
        watch.lap("solve")
        if not rows.are_finite(dq):
            raise not_finite(potential, q) or SolverError("the Newton step is not finite")
        return dq

    def _projected_step(self, q: Array, moving: Bools) -> Array:
        self._potential.projected = moving
        return self._system.solve(self._assemble(q, moving, project=True))

    def _exact_step(self, now: Iterate) -> Array:
        """The step with exact Hessians where terms have them, and with projected ones in parts that are not definite.

        Projected term by term, a Hessian is much stiffer than the sum where forces of two terms balance: those that
        hold a link against those that move its joint (Longva et al. 2023, «Pitfalls of projection»). So once steps are
        below the tolerances, as where Newton leaves a saddle, only as much is projected as is needed. Parts that are
        not definite also get the stiffness of the springs that bear in them (see `restrained_step`).

        Foreseen contact, with which barriers are let go, needs the projected ones: without barriers exact ones are
        often hardly definite. So islands that it leads keep these for a while.
        """
        system, q, moving = self._system, now.q, now.moving
        is_led = self._is_led(now)
        if is_led[moving].all():
            return self._projected_step(q, moving)
        levels = np.where(moving, np.where(is_led, _PROJECTED, self._distrust), 0)
        g = self._assemble(q, moving, project=False)
        dq = system.solve_definite(g)
        if dq is None and self._potential.bear(system):
            dq = system.solve_definite(g)
        if dq is not None and not levels.any():
            self._potential.projected = np.zeros_like(moving)
            return dq
        exact = system.definite_parts()
        g = self._assemble(q, moving, project=True)
        is_exact = system.soften(exact, SHARES, levels, moving & (now.step.size >= 1.0))
        self._potential.projected = moving & ~is_exact
        return system.solve(g)

    def _waits(self, now: Iterate) -> Bools:
        """Bodies whose islands have not yet come to steps that meet the tolerances, (n,)."""
        return islands.anyone(self._potential.labels, now.step.size >= 1.0)

    def _is_led(self, now: Iterate) -> Bools:
        """Bodies whose last step was led by foreseen contact, and was large, (n,).

        In the first iterations, where exact Hessians are tried beside soft bodies only, those whose islands wait.
        """
        if self._potential.is_solid or self.report.iterations > _LED:
            return self._nobody
        if self.report.iterations <= _SOON:
            return self._waits(now)
        return self._was_foreseen & (now.step.size > 1.0)

    def _assemble(self, q: Array, moving: Bools, project: bool) -> Array:
        """The gradient (n, 12), and the Hessian in the system."""
        self._system.choose(moving)
        g = self._potential.assemble(q, self._system, project)
        self._gradient = g
        self._watch.lap("assemble")
        if not rows.are_finite(g):
            raise SolverError("the gradient of the step's energy is not finite")
        return g

    def _foresee(self, now: Iterate, step: CutStep, labels: Ints) -> tuple[CutStep, Ints]:
        """The step with barriers expanded where it leads (see `contact.expansion`), or as it is."""
        potential, newton = self._potential, step
        moving = now.moving & (step.fraction >= _NEAR) & (self._refusals < _REFUSALS)
        foresight = potential.foresee(moving) if moving.any() and self.report.iterations <= _FORESEEN else None
        if foresight is None:
            return step, labels
        for _ in range(_LOOKS):
            if step.fraction.min() < 1.0:
                potential.meet(foresight)
            dq = self._expand(foresight, step.dq)
            if dq is step.dq:
                break
            is_wild = self._sizes(labels, dq) > _WILD * np.maximum(newton.size, 1.0)
            step, labels = self._cut(now, np.where(is_wild[:, None], newton.dq, dq) if is_wild.any() else dq)
        if step is newton:
            return step, labels
        is_worse = _ascends(labels, self._gradient, step.dq) | self._misleads(labels, step, newton)
        if is_worse.any():
            step, labels = self._cut(now, np.where(is_worse[:, None], newton.dq, step.dq))
        self._is_foreseen = islands.anyone(labels, (step.dq != newton.dq).any(axis=1))
        return step, labels

    def _misleads(self, labels: Ints, step: CutStep, newton: CutStep) -> Bools:
        """The bodies (n,) of islands with soft bodies that a foreseen step parts from more than it helps; counts them.

        What a cloth is pulled through may be foreseen at so few of its places that it is pushed back elsewhere, further
        than Newton's step leads; then collision detection leaves less of it.
        """
        if not self._potential.has_soft:
            return self._nobody
        of_soft = islands.anyone(labels, self._potential.is_soft)
        misled = islands.anyone(labels, step.fraction < _SHORTER * newton.fraction) & of_soft
        self._refusals += misled
        return misled

    def _expand(self, foresight: Foresight, dq: Array) -> Array:
        """The step dq once the points of expansion agree with it; itself if they do already."""
        for _ in range(_DEAR_ROUNDS if self._system.is_dear else _ROUNDS):
            change = self._potential.expand(foresight, dq, self._system)
            if change is None:
                break
            g = self._gradient + change
            corrected = self._system.corrected(g, dq)
            if corrected is not None:
                dq = self._potential.restrain(corrected, self._system)
                break
            better, is_definite = self._system.solve_parts(g)
            dq = np.where(is_definite[:, None], self._potential.restrain(better, self._system), dq)
            if not is_definite.any():
                break
        self._watch.lap("solve")
        return dq

    def _cut(self, now: Iterate, dq: Array) -> tuple[CutStep, Ints]:
        """The step dq, limited by collision detection, and the islands (n,) that it forms."""
        fraction, labels = self._potential.step_fractions(now.q, dq)
        self._watch.lap("collision detection")
        return CutStep(now.q, dq, fraction, self._sizes(labels, dq)), labels

    def _sizes(self, labels: Ints, dq: Array) -> Array:
        return step_sizes(labels, self._potential.motions(dq), dq, *self._tolerances, self._potential.is_soft)

    def _find_done(self, now: Iterate, step: CutStep, labels: Ints, at_goal: bool) -> Bools:
        """The bodies whose islands meet the convergence test with this step, (n,)."""
        potential, fraction, last = self._potential, step.fraction, (now.step.size, now.taken)
        ccd_tol = self._config.ccd_tol
        bodies = now.moving, potential.movable, potential.remainder, potential.is_soft
        done = are_done(labels, *bodies, fraction, step.size, *last, TINY, ccd_tol, at_goal)
        if self.report.iterations > _LATE:  # but for joints, whose forces another engine gets
            is_small = are_done(labels, *bodies, fraction, step.size, *last, SMALL, ccd_tol, at_goal)
            done |= is_small & ~islands.anyone(labels, potential.exact)
        if np.count_nonzero(done & now.moving):  # of the others nothing depends on it
            done &= potential.keeps_contact(rows.advanced(now.q, fraction, step.dq)[0], labels)
        return done

    def _search(self, now: Iterate, step: CutStep, labels: Ints, done: Bools) -> Search:
        """Take the step, shortened so that the energy of unfinished islands does not rise."""
        potential, searching = self._potential, now.moving & ~done
        turn = partial(free_turns, potential, now.q, labels=labels, moving=now.moving)
        given = step.dq, step.fraction, labels, searching, now.energies, turn, self._config, self.report
        search = line_search(potential, now.q, *given)
        self._watch.lap("line search")
        return search

    def _attenuate(self, residual: Array, search: Search, labels: Ints) -> Array:
        """Remaining fraction (n,) of the first residual after a step; from K_min iterations on.

        Only steps for which forces are almost linear count (see `attenuated`): those that keep gaps and friction, with
        barriers as they are and not as they are foreseen.
        """
        config = self._config
        if config.semi_implicit and self.report.iterations > config.semi_implicit_start:
            counts = self._potential.keeps_contact(search.q, labels) & ~self._is_foreseen
            return attenuated(labels, residual, np.where(counts, search.alpha, 0.0), self._potential.exact)
        return residual

    def _find_ended(self, done: Bools, residual: Array, moving: Bools) -> Bools:
        """The bodies whose islands have taken their last step, (n,): those that are done or have a small residual.

        The latter are added to `early`.
        """
        if self.report.iterations <= self._config.min_iter:
            return np.zeros(len(done), dtype=np.bool_)
        if not self._config.semi_implicit:
            return done
        ended, ends_early = end_early(done, residual, self._config.semi_implicit_tol, moving)
        if ends_early.any():
            self.early |= ends_early
            self.report.result = NewtonResult.SEMI_IMPLICIT
        return ended


def _ascends(labels: Ints, g: Array, dq: Array) -> Bools:
    """The bodies whose islands a step dq (n, 12) leads uphill, (n,)."""
    return islands.total(labels, np.einsum("ni,ni->n", g, dq)) > 0.0


def _not_converged(report: NewtonReport, config: Config) -> str:
    unmet = "; ".join(map(str, report.unmet)) or "its last step met the convergence test, but did not become small yet"
    if report.exhausted_searches:
        unmet += f"; {report.exhausted_searches} line searches found no decrease"
    return f"Newton stopped after newton/max_iter = {config.max_iter} iterations ({report.result.value}): {unmet}"
