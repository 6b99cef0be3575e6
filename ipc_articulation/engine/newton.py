"""Newton's method on the incremental potential, each step cut by continuous collision detection.

The convergence test is libuipc's: the step moves no vertex by velocity_tol·dt, changes no entry of any A by
transrate_tol·dt, and collision detection lets it pass. Those tolerances are loose (0.05 m/s), so Newton goes beyond
them, until a step is ten times smaller than the one before. Near a smooth solution that costs one step and squares the
error, which makes coupling exact; and friction that is about to slip is not taken for sticking.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.potential import Potential
from ipc_articulation.errors import SolverError
from ipc_articulation.frontend.config import Config

Array = NDArray[np.float64]

_CONTRACTION = 0.1  # ratio of two steps within the tolerances that shows Newton to be at its goal
_TINY = 1e-6  # a step this small a share of the tolerances needs no further one
_ROUNDING = 1e-12  # relative noise of an energy


@dataclass
class NewtonReport:
    """What one solve did."""

    iterations: int = 0
    line_search_steps: int = 0
    ccd_step: float = 1.0  # smallest share of a Newton step that collision detection allowed
    converged: bool = False
    warnings: list[str] = field(default_factory=list)


def minimise(
    potential: Potential, system: LinearSystem, q: Array, inertial: Array, dt: float, config: Config
) -> tuple[Array, NewtonReport]:
    """Minimise the potential from q (n, 12), a state without intersections.

    Args:
        potential: E, with `begin_step` done at q.
        system: The Newton system.
        q: Coordinates at the beginning of the step, (n, 12).
        inertial: Where the bodies would go if nothing happened, dt q̇ (n, 12); Newton starts there if E is lower there.
        dt: Time step [s].
        config: Tolerances and limits.

    Returns:
        The minimiser and a report; a solve that did not converge says so in `report.warnings`.

    Raises:
        SolverError: Something is not finite, or the Hessian cannot be factorised.
    """
    report, beta, last_size = NewtonReport(), 1.0, 0.0
    q = _start(potential, q, inertial)
    while report.iterations < config.max_iter:
        dq = _newton_step(potential, system, q)
        limit = potential.step_limit(q, dq)
        report.iterations += 1
        report.ccd_step = min(report.ccd_step, limit)
        size = _step_size(potential, dq, dt, config)
        met = size < 1.0 and limit >= config.ccd_tol
        done = met and size <= max(_CONTRACTION * last_size, _TINY)
        alpha = limit if done else _line_search(potential, q, dq, limit, config, report)
        q = q + alpha * dq
        beta = _attenuate(beta, alpha, report.iterations, config)
        report.converged = (done or beta <= config.semi_implicit_tol) and report.iterations > config.min_iter
        if report.converged:
            return q, report
        last_size = size if met else 0.0
    report.warnings.append(_not_converged(size, limit, config))
    return q, report


def _start(potential: Potential, q: Array, inertial: Array) -> Array:
    if not inertial.any():
        return q
    limit = potential.step_limit(q, inertial)
    ahead = q + limit * inertial
    return ahead if potential.energy(ahead) < potential.energy(q) else q


def _newton_step(potential: Potential, system: LinearSystem, q: Array) -> Array:
    g = potential.assemble(q, system)
    if not np.isfinite(g).all():
        bodies = np.flatnonzero(~np.isfinite(g).all(axis=1)).tolist()
        raise SolverError(f"the gradient of the step's energy is not finite at bodies {bodies}")
    dq = system.solve(g)
    if not np.isfinite(dq).all():
        raise SolverError("the Newton step is not finite")
    return dq


def _step_size(potential: Potential, dq: Array, dt: float, config: Config) -> float:
    """Size of a full step in units of the tolerances; below 1 the convergence test is met."""
    change = np.abs(dq[:, 3:]).max(initial=0.0)
    return max(potential.largest_motion(dq) / (config.velocity_tol * dt), change / (config.transrate_tol * dt))


def _line_search(
    potential: Potential, q: Array, dq: Array, limit: float, config: Config, report: NewtonReport
) -> float:
    """Halve the step until the energy does not rise."""
    E0 = potential.energy(q)
    alpha = limit
    for _ in range(config.line_search_max_iter):
        report.line_search_steps += 1
        if potential.energy(q + alpha * dq) <= E0 + _ROUNDING * abs(E0):
            return alpha
        alpha *= 0.5
    report.warnings.append(
        f"line search stopped after line_search/max_iter = {config.line_search_max_iter} halvings in Newton iteration "
        f"{report.iterations}"
    )
    return alpha


def _attenuate(beta: float, alpha: float, iterations: int, config: Config) -> float:
    """Libuipc's semi-implicit termination: what is left of the first residual, counted from K_min iterations on."""
    if config.semi_implicit and iterations > config.semi_implicit_start:
        return beta * (1.0 - alpha)
    return beta


def _not_converged(size: float, limit: float, config: Config) -> str:
    return (
        f"Newton stopped after newton/max_iter = {config.max_iter} iterations; the last step was {size:.3g} times the "
        f"tolerances (newton/velocity_tol, newton/transrate_tol) and collision detection allowed {limit:.3g} of it "
        f"(newton/ccd_tol {config.ccd_tol:g}); try a smaller dt or looser tolerances"
    )
