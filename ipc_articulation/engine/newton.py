"""Newton's method on the incremental potential, each step cut by continuous collision detection.

The convergence test (see `convergence`) is libuipc's. Those tolerances are loose (0.05 m/s), so Newton goes beyond
them, until a step is ten times smaller than the one before. Near a smooth solution that costs one step and squares the
error, which makes coupling exact; and friction that is about to slip is not taken for sticking.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine.convergence import step_size, unmet_criteria
from ipc_articulation.engine.diagnosis import not_finite
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.errors import SolverError
from ipc_articulation.frontend.config import Config

Array = NDArray[np.float64]

_CONTRACTION = 0.1  # ratio of two steps within the tolerances that shows Newton to be at its goal
_TINY = 1e-6  # a step this small a share of the tolerances needs no further one
_ROUNDING = 1e-12  # relative noise of an energy


def minimise(
    potential: Potential,
    system: LinearSystem,
    q: Array,
    dt: float,
    config: Config,
    watch: Stopwatch,
) -> tuple[Array, NewtonReport]:
    """Minimise the potential from q (n, 12), coordinates without intersections.

    Args:
        potential: E, with `begin_step` done.
        system: The Newton system.
        q: Where to start, (n, 12).
        dt: Time step [s].
        config: Tolerances and limits.
        watch: Counts the time by stage.

    Returns:
        The minimiser and a report; a solve that did not converge says so in `report.result`, and why in
        `report.warnings`.

    Raises:
        SolverError: An energy, gradient or Hessian is not finite (names the term and the body), or the Hessian cannot
            be factorised.
    """
    report, beta, last_size = NewtonReport(), 1.0, 0.0
    cut = q
    dq, limit, found = np.zeros_like(q), 1.0, True
    while report.iterations < config.max_iter:
        at_goal = potential.approach(report.iterations + 1)
        dq = _newton_step(potential, system, q, watch)
        limit = potential.step_limit(q, dq)
        watch.lap("collision detection")
        report.iterations += 1
        report.ccd_step = min(report.ccd_step, limit)
        size = step_size(potential, dq, dt, config)
        met = at_goal and size < 1.0 and limit >= config.ccd_tol
        done = met and size <= max(_CONTRACTION * last_size, _TINY)
        alpha, found = (limit, True) if done else _line_search(potential, q, dq, limit, config, report)
        watch.lap("line search")
        cut, q = q + limit * dq, q + alpha * dq
        beta = _attenuate(beta, alpha, report.iterations, config) if at_goal else beta
        if (done or beta <= config.semi_implicit_tol) and report.iterations > config.min_iter:
            report.result = NewtonResult.CONVERGED if done else NewtonResult.SEMI_IMPLICIT
            return q, report
        last_size = size if met else 0.0
    report.result = NewtonResult.MAX_ITERATIONS if found else NewtonResult.LINE_SEARCH_EXHAUSTED
    report.unmet = unmet_criteria(potential, cut, dq, limit, dt, config)
    report.warnings.append(_not_converged(report, config))
    return q, report


def _newton_step(potential: Potential, system: LinearSystem, q: Array, watch: Stopwatch) -> Array:
    g = potential.assemble(q, system)
    watch.lap("assemble")
    if not np.isfinite(g).all():
        raise not_finite(potential, q) or SolverError("the gradient of the step's energy is not finite")
    try:
        dq = system.solve(g)
    except SolverError as error:
        raise not_finite(potential, q) or error from None
    watch.lap("solve")
    if not np.isfinite(dq).all():
        raise not_finite(potential, q) or SolverError("the Newton step is not finite")
    return dq


def _line_search(
    potential: Potential, q: Array, dq: Array, limit: float, config: Config, report: NewtonReport
) -> tuple[float, bool]:
    """Halve the step until the energy does not rise; also says whether that was found."""
    E0 = potential.energy(q)
    if np.isnan(E0):
        raise not_finite(potential, q) or SolverError("the step's energy is not finite")
    alpha = limit
    for _ in range(config.line_search_max_iter):
        report.line_search_steps += 1
        if potential.energy(q + alpha * dq) <= E0 + _ROUNDING * abs(E0):
            return alpha, True
        alpha *= 0.5
    report.warnings.append(
        f"line search stopped after line_search/max_iter = {config.line_search_max_iter} halvings in Newton iteration "
        f"{report.iterations}"
    )
    return alpha, False


def _attenuate(beta: float, alpha: float, iterations: int, config: Config) -> float:
    """Libuipc's semi-implicit termination: what is left of the first residual, counted from K_min iterations on."""
    if config.semi_implicit and iterations > config.semi_implicit_start:
        return beta * (1.0 - alpha)
    return beta


def _not_converged(report: NewtonReport, config: Config) -> str:
    unmet = "; ".join(map(str, report.unmet)) or "its last step met the convergence test, but did not become small yet"
    return f"Newton stopped after newton/max_iter = {config.max_iter} iterations ({report.result.value}); {unmet}"
