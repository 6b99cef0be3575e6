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
from ipc_articulation.engine import islands
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.newton.convergence import TINY, step_sizes
from ipc_articulation.engine.newton.newton import minimise
from ipc_articulation.engine.newton.newton_report import NewtonReport
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.frontend.config import Config

_WHOLE = 8  # minimisations, after which friction is renewed half-way, and steps may be as large as Newton's last ones
_ROUNDING = 64.0 * np.finfo(float).eps  # of coordinates


def settle_friction(
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
        moving: Which bodies have moved, (n,).
        unconverged: Those whose islands did not meet the convergence test, (n,); where that is a failure and not an
            early end they are left as they are.
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
    failed = unconverged & (not report.converged)
    before, unsettled = q, moving & ~failed & potential.movable
    while unsettled.any() and report.friction_iterations < most:
        is_damped = report.friction_iterations > _WHOLE
        start = _half_way(potential, q, before, unsettled) if is_damped else q
        if not potential.renew_friction(start):
            break
        unsettled = islands.anyone(potential.labels, unsettled) & potential.movable & ~failed
        before = q
        q, left, again = minimise(potential, system, start, None, unsettled, dt, config, watch)
        report.add(again)
        unconverged, failed = unconverged | left, failed | (left & (not again.converged))
        size = _sizes(potential, start, q, dt, config)
        end = np.maximum(potential.remainder, TINY) if is_damped else TINY
        unsettled = islands.anyone(potential.labels, size > end) & potential.movable & ~failed
    potential.renew_friction(q)
    if unsettled.any():
        report.warnings.append(_unsettled(potential, np.where(unsettled[:, None], q - before, 0.0), most))
    return q, unconverged


def _half_way(potential: Potential, q: Array, before: Array, unsettled: Bools) -> Array:
    """Half-way from q to `before`, or as far as nothing touches, (n, 12) each; bodies that have settled stay."""
    potential.place(q, unsettled)
    back = np.where(unsettled[:, None], 0.5 * (before - q), 0.0)
    fraction, _ = potential.step_fractions(q, back)
    return q + fraction[:, None] * back


def _sizes(potential: Potential, start: Array, q: Array, dt: float, config: Config) -> Array:
    """By how much each body's island has moved from start to q, (n, 12) each, in units of the tolerances, (n,)."""
    dq, tolerances = q - start, (config.velocity_tol * dt, config.transrate_tol * dt)
    motions = potential.motions(dq)
    rounding = _ROUNDING * (np.abs(q[:, :3]).max(axis=1) + potential.extent)
    dq = np.where((motions > rounding)[:, None], dq, 0.0)
    return step_sizes(potential.labels, potential.motions(dq), dq, *tolerances, potential.is_soft)


def _unsettled(potential: Potential, dq: Array, most: int) -> str:
    motions = potential.motions(dq)
    body = int(motions.argmax())
    return (
        f"friction did not settle in friction_iterations = {most} minimisations: the last one moved "
        f"'{potential.body_names[body]}' by {motions[body]:.3g} m"
    )
