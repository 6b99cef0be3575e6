"""Positions of a robot with loops from those of its spanning tree, and the derivatives of its constraints φ(q)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.loops.closure import Closure
from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.motion import ask, nearest, vector


def position(closure: Closure, q: ArrayLike) -> Array:
    """The robot's position, (nq,), with the independent coordinates of a spanning position q; see `Model.position`."""
    q = vector(q, closure.spanning_nq, "spanning position")
    return _independent(closure, q, lambda loop, own: ask(loop, loop.constraint.position, own))


def nearest_position(closure: Closure, q: Array) -> Array:
    """The same, but with loops that cannot be closed there closed near it.

    Raises:
        StateError: A loop cannot be closed.
    """
    return _independent(closure, q, lambda loop, own: ask(loop, nearest, loop.constraint, own))


def _independent(closure: Closure, q: Array, of_loop: Callable[[Loop, Array], Array]) -> Array:
    """The robot's position, (nq,), from a spanning position q; `of_loop` computes that of a loop."""
    x = np.empty(closure.nx)
    x[closure.free_x] = q[closure.free_q]
    for loop in closure.loops:
        x[loop.x] = of_loop(loop, q[loop.q])
    return x


def closed(closure: Closure, x: ArrayLike) -> Array:
    """The position with all loops closed and the same independent coordinates; see `Model.closed`."""
    x = vector(x, closure.nx, "x").copy()
    for loop in closure.loops:
        x[loop.x] = ask(loop, loop.constraint.closed, x[loop.x])
    return x


def constraint_jacobian(closure: Closure, q: ArrayLike) -> Array:
    """K = ∂φ/∂q of all loops, by velocities: (spanning nq,) -> (constraints, spanning nv)."""
    q, rows = vector(q, closure.spanning_nq, "q"), [np.zeros((0, closure.spanning_nv))]
    for loop in closure.loops:
        block = np.zeros((loop.constraint.size - loop.constraint.ndof, closure.spanning_nv))
        block[:, loop.dofs] = loop.constraint.K(q[loop.q])
        rows.append(block)
    return np.concatenate(rows)


def constraint_bias(closure: Closure, q: ArrayLike, q_dot: ArrayLike) -> Array:
    """k = -K̇ q̇ of all loops: (spanning nq,), (spanning nv,) -> (constraints,)."""
    q, v = vector(q, closure.spanning_nq, "q"), vector(q_dot, closure.spanning_nv, "q_dot")
    return np.concatenate([np.zeros(0), *(loop.constraint.k(q[loop.q], v[loop.dofs]) for loop in closure.loops)])
