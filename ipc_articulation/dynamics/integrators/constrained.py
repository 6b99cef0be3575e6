"""The end velocity of an implicit step under dry friction, limits and mimic joints.

    minimise ½ vᵀ M̂ v - pᵀ v + dt Σ f |v|   so that   low ≤ v ≤ high,     v = G y + b

with G, b of the mimic joints. In y the problem keeps its form: friction and limits of a mimic joint are not looked at,
those of the joint that it follows are. It is strictly convex, and coordinate descent converges: each coordinate in turn
goes to its own minimum, shrink(r, dt f)/M̂_ii clipped to its bounds (Tseng 2001, «Convergence of a block coordinate
descent method for nondifferentiable minimization»).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.dynamics.algorithms.compiled import compiled
from ipc_articulation.dynamics.algorithms.over_states import Array
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import SolverError

SWEEPS = 100_000
TOLERANCE = 1e-13  # of a sweep's largest change, relative to the largest velocity


def constrained_velocity(model: Model, q: Array, mass: Array, momentum: Array, dt: float) -> Array:
    """V at the end of the step.

    Args:
        model: The model.
        q: Position at the beginning, (nq,).
        mass: M̂, (nv, nv).
        momentum: p, (nv,).
        dt: Time step [s].

    Returns:
        (nv,).

    Raises:
        SolverError: Not converged.
    """
    G, b = model.followers.G, _catch_up(model, q, dt)
    if len(model.followers):
        mass, momentum = G.T @ mass @ G, G.T @ (momentum - mass @ b)
    low, high, friction = (x[model.followers.independent] for x in _bounds(model, q, dt))
    y = np.asarray(np.linalg.solve(mass, momentum), dtype=float)
    if friction.any() or (y < low).any() or (y > high).any():
        y = np.clip(y, low, high)
        if not descend(mass, momentum, friction, low, high, y):
            raise SolverError(
                f"dry friction and joint limits of model '{model.name}' did not converge in {SWEEPS} sweeps; "
                "use a smaller time step, or joints without limits that nearly coincide"
            )
    return G @ y + b if len(model.followers) else y


def _bounds(model: Model, q: Array, dt: float) -> tuple[Array, Array, Array]:
    """low, high and dt f, (nv,) each; quaternions have no position limits."""
    c, at = model.coordinates, model.plain_v
    low, high = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    low[at] = (c.lower[at] - q[model.plain_q]) / dt
    high[at] = (c.upper[at] - q[model.plain_q]) / dt
    return low, high, dt * c.friction


def _catch_up(model: Model, q: Array, dt: float) -> Array:
    """b, (nv,): what brings mimic joints to where they belong within the step."""
    f, b = model.followers, np.zeros(model.nv)
    b[f.dofs] = (f.multiplier * q[f.leader_positions] + f.offset - q[f.positions]) / dt
    return b


@compiled
def descend(M, p, friction, low, high, v):
    """Minimise ½ vᵀ M v - pᵀ v + Σ friction |v| by coordinate descent; v is the start, then the minimum.

    Returns:
        Whether it converged.
    """
    n = len(v)
    for _ in range(SWEEPS):
        change = largest = 0.0
        for i in range(n):
            r = p[i] + M[i, i] * v[i]
            for j in range(n):
                r -= M[i, j] * v[j]
            if r > friction[i]:
                x = (r - friction[i]) / M[i, i]
            elif r < -friction[i]:
                x = (r + friction[i]) / M[i, i]
            else:
                x = 0.0
            x = min(max(x, low[i]), high[i])
            change = max(change, abs(x - v[i]))
            largest = max(largest, abs(x))
            v[i] = x
        if change <= TOLERANCE * largest:
            return True
    return False
