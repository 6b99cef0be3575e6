"""The end velocity of an implicit step under dry friction, limits, loops and mimic joints.

    minimise ½ vᵀ M̂ v - pᵀ v + dt Σ f |v|   so that   low ≤ v ≤ high,     v = G y + b

with low = min((l - q)/dt, RETURN) of the lower limits l, and high likewise: a joint beyond its limit returns at
the speed RETURN, and not within one step. G, b are those of the mimic joints; in y the problem has the same form.
The friction and limits of mimic joints are those of the joints that they follow, see `model.mimic`.

With loops, q̇ = G ẏ. If the row G_k has one entry, in column c, the friction of joint k is |G_kc| f_k of ẏ_c, and its
limits are limits of ẏ_c. This holds for joints in no loop, for gears, and for all joints of a loop with one degree of
freedom. The driven joints of a differential have rows with more entries, and may have neither friction nor limits.

The problem is strictly convex, and coordinate descent converges: each coordinate in turn is set to its own minimum,
shrink(r, dt f)/M̂_ii clipped to its bounds (Tseng 2001, «Convergence of a block coordinate descent method for
nondifferentiable minimization»).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.algorithms.solve import solve_mass
from ipc_articulation.dynamics.kernels.kernel import kernel
from ipc_articulation.dynamics.loops.motion import Motion
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import SolverError, UnsupportedError


class Resistance(NamedTuple):
    """What friction, limits and mimic joints did in a step, on the nv velocities; nothing on those of mimic joints."""

    low: Array  # lower bound of v, -inf without a limit
    high: Array  # upper bound
    friction: Array  # largest impulse of dry friction, dt f
    limit_impulse: Array  # of the limits, positive at the lower one
    friction_impulse: Array
    mimic: Array  # (k, nv) rows that vanish on v - b


RETURN = 0.1  # speed at which a joint that is beyond its limit returns to it [rad/s or m/s]
SWEEPS = 100_000
TOLERANCE = 1e-13  # for the largest change in a sweep, relative to the largest velocity


def constrained_velocity(model: Model, motion: Motion, mass: Array, momentum: Array, dt: float) -> Array:
    """v at the end of the step of a robot with loops; `tree_kernels` has that of a tree.

    Args:
        model: The model.
        motion: Motion of the spanning tree at the beginning of the step.
        mass: M̂, (nv, nv).
        momentum: p, (nv,).
        dt: Time step [s].

    Returns:
        (nv,).

    Raises:
        ModelError: A joint moves no inertia.
        SolverError: The minimisation did not converge.
        UnsupportedError: A joint with friction or limits moves with several independent coordinates of a loop.
    """
    low, high, friction = _bounds(model.spanning_tree, motion.q, dt)
    return _bounded_velocity(model, mass, momentum, *_of_independent(model, motion.G, low, high, friction))


def resistance(model: Model, motion: Motion, mass: Array, momentum: Array, v_end: Array, dt: float) -> Resistance:
    """What held the robot in a step to `v_end` (nv,), the result of a step for the same arguments.

    M̂ v - p is the sum of all impulses; where friction slips its share is known, and limits have the rest.
    """
    low, high, friction = _bounds(model.spanning_tree, motion.q, dt)
    total, f = mass @ v_end - momentum, model.followers
    if model.loops:
        low, high, friction = _of_independent(model, motion.G, low, high, friction)
    elif len(f):
        total[f.independent] = f.G.T @ total
        total[f.dofs] = 0.0
    slipping = np.where(v_end != 0.0, -np.sign(v_end) * friction, np.clip(total, -friction, friction))
    rest = total - slipping
    limit = np.where(v_end <= low, np.maximum(rest, 0.0), np.where(v_end >= high, np.minimum(rest, 0.0), 0.0))
    return Resistance(low, high, friction, limit, slipping, mimic_rows(model))


def mimic_rows(model: Model) -> Array:
    """The rows of `Resistance.mimic`, (k, nv); none for robots with loops."""
    f = model.followers
    if not len(f):
        return np.zeros((0, model.nv))
    rows = np.eye(model.nv)[f.dofs]
    rows[:, f.independent] -= f.G[f.dofs]
    return rows


def _bounded_velocity(model: Model, mass: Array, momentum: Array, low: Array, high: Array, friction: Array) -> Array:
    v = solve_mass(model, mass, momentum)
    if friction.any() or (v < low).any() or (v > high).any():
        v = np.minimum(np.maximum(v, low), high)
        if not descend(mass, momentum, friction, low, high, v):
            raise SolverError(
                f"dry friction and joint limits of model '{model.name}' did not converge in {SWEEPS} sweeps; "
                "use a smaller time step, or joints without limits that nearly coincide"
            )
    return v


def _bounds(tree: Model, q: Array, dt: float) -> tuple[Array, Array, Array]:
    """low, high and dt f, (nv,) each; quaternions have no position limits."""
    c, at = tree.coordinates, tree.plain_v
    low, high = np.full(tree.nv, -np.inf), np.full(tree.nv, np.inf)
    low[at] = np.minimum((c.lower[at] - q[tree.plain_q]) / dt, RETURN)
    high[at] = np.maximum((c.upper[at] - q[tree.plain_q]) / dt, -RETURN)
    return low, high, dt * c.friction


def _of_independent(model: Model, G: Array, low: Array, high: Array, friction: Array) -> tuple[Array, Array, Array]:
    """Bounds and friction of the independent velocities, (nv,) each, from those of the joints.

    If several joints bound one velocity, the narrowest bounds count.
    """
    require_one_column(model)
    y_low, y_high, y_friction = np.full(model.nv, -np.inf), np.full(model.nv, np.inf), np.zeros(model.nv)
    for dof in _resisted(model):
        column = int(np.abs(G[dof]).argmax())
        rate = G[dof, column]
        y_friction[column] += friction[dof] * abs(rate)
        if rate != 0.0:
            ends = low[dof] / rate, high[dof] / rate
            y_low[column], y_high[column] = max(y_low[column], min(ends)), min(y_high[column], max(ends))
    return y_low, y_high, y_friction


def _resisted(model: Model) -> Ints:
    """Degrees of freedom of the spanning tree that have dry friction or limits."""
    c = model.coordinates
    return np.flatnonzero((c.friction > 0.0) | np.isfinite(c.lower) | np.isfinite(c.upper))


def require_one_column(model: Model) -> None:
    """Refuse friction and limits of joints that several independent coordinates move together.

    Raises:
        UnsupportedError: There is such a joint.
    """
    resisted = set(_resisted(model).tolist())
    for loop in model.loops:
        for place, (dof, name) in enumerate(zip(loop.dofs.tolist(), loop.joints, strict=True)):
            if dof in resisted and not loop.constraint.moves_with_one(place):
                raise UnsupportedError(
                    f"joint '{name}' has dry friction or a position limit, and moves with several independent "
                    f"coordinates of {loop.name}; only joints that move with one may have them"
                )


@kernel
def descend(M, p, friction, low, high, v):
    """Minimise ½ vᵀ M v - pᵀ v + Σ friction |v| by coordinate descent; v is the initial guess, then the minimum.

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
