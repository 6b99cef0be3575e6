"""Friction whose normal forces and tangents are those of the end of the step, where that is asked for.

Friction is no gradient: λ and the tangents T in  E_f = Σ μ λ f₀(|s + u|)  must be kept while E is minimised. They lag:
they are those of the beginning of the step. So what touches only within the step has no friction in it. The step that
has converged is the fixed point

    q = argmin E(q; λ(q), T(q)),   with the slip u since the beginning of the step throughout,

and minimising, and renewing λ and T where that has ended, in turn leads to it, if it does: nothing guarantees that
(Li et al. 2020, «Incremental potential contact», section 5.2). It has converged where Newton's method, with friction
renewed, ends with its first step, which meets the same tolerances as every last step, or hardly moves anything.
"""

from __future__ import annotations

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.newton.newton import minimise
from ipc_articulation.engine.newton.newton_report import NewtonReport
from ipc_articulation.engine.output.stopwatch import Stopwatch
from ipc_articulation.engine.potential import EXACT_REMAINDER, Potential
from ipc_articulation.frontend.config import Config

_WHOLE = 8  # minimisations, after which friction is renewed half-way between the ends of the last two


def renew_friction(
    potential: Potential,
    system: LinearSystem,
    q: Array,
    moving: Bools,
    unconverged: Bools,
    dt: float,
    config: Config,
    watch: Stopwatch,
    most: int,
    report: NewtonReport,
) -> tuple[Array, Bools]:
    """Renew friction at q (n, 12), where a minimisation has ended, and minimise again, until that changes nothing.

    Args:
        potential: As it was minimised.
        system: The Newton system.
        q: Its minimiser, (n, 12).
        moving: Which bodies to move, (n,).
        unconverged: Those whose islands did not meet the convergence test, (n,).
        dt: Time step [s].
        config: Tolerances and limits.
        watch: Counts the time by stage.
        most: How many minimisations there may be in all.
        report: Of the first one; gets those of the others, and a warning where they were not enough.

    Returns:
        The minimiser, and the bodies that did not meet the convergence test, (n,).

    Raises:
        SolverError: As of `minimise`.
    """
    last, before = report, q
    while report.friction_iterations < most:
        start = q if report.friction_iterations <= _WHOLE else _half_way(potential, q, before)
        if not potential.renew_friction(start):
            break
        before = q
        q, unconverged, last = minimise(potential, system, start, None, moving, dt, config, watch)
        report.add(last)
        if last.iterations <= 1 or potential.motions(q - start).max() <= EXACT_REMAINDER * config.velocity_tol * dt:
            return q, unconverged
    if most > 1 and last.converged and report.friction_iterations == most:
        report.warnings.append(
            f"friction did not settle in friction_iterations = {most} minimisations: its normal forces are still those "
            f"of the last but one, and {last.iterations} Newton iterations followed from renewing them"
        )
    return q, unconverged


def _half_way(potential: Potential, q: Array, before: Array) -> Array:
    """Half-way from q to `before`, or as far as nothing touches, (n, 12) each."""
    potential.place(q, potential.movable)
    back = 0.5 * (before - q)
    fraction, _ = potential.step_fractions(q, back)
    return q + fraction[:, None] * back
