"""Motion of a robot's spanning tree, with one compiled call per state, and errors for states that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.arguments import FLOAT, numbers
from ipc_articulation.dynamics.loops.closure import Closure
from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.implicit import Implicit
from ipc_articulation.dynamics.loops.kinds import MANIFOLD, OPEN, SINGULAR
from ipc_articulation.errors import StateError

Result = TypeVar("Result")


class Motion(NamedTuple):
    """The motion of a spanning tree with n velocities, m of them independent."""

    q: Array  # (..., nq)
    v: Array  # (..., n) q̇ = G ẏ
    G: Array  # (..., n, m), read-only
    g: Array  # (..., n) q̈ = G ÿ + g


def unrolled(closure: Closure, x: ArrayLike, y_dot: ArrayLike, refused: int) -> Motion:
    """The motion of the spanning tree.

    Args:
        closure: The robot's loops.
        x: Positions, (..., nx).
        y_dot: Independent velocities, (..., nv).
        refused: The sum of those of BAD, OPEN and SINGULAR that are errors.

    Raises:
        StateError: A state has one of these errors.
    """
    try:
        is_plain = type(x) is type(y_dot) is np.ndarray and x.dtype is y_dot.dtype is FLOAT
        if is_plain and x.ndim == y_dot.ndim == 1 and not closure.program.given:  # type: ignore[union-attr]
            motion = _empty(closure)
            if not _unroll(closure, closure.program.parameters, x, y_dot, motion) & refused:
                return motion
    except (AttributeError, TypeError):  # no arrays, or several states
        pass
    x, y_dot = vector(x, closure.nx, "x"), vector(y_dot, closure.nv, "velocity")
    leading = np.broadcast_shapes(x.shape[:-1], y_dot.shape[:-1])
    if not leading:
        return _checked(closure, x, y_dot, refused)
    x, y_dot = (np.broadcast_to(a, (*leading, a.shape[-1])) for a in (x, y_dot))
    motions = Motion(*(np.empty((*leading, *part.shape)) for part in _empty(closure)))
    for index in np.ndindex(leading):
        for whole, part in zip(motions, _checked(closure, x[index], y_dot[index], refused), strict=True):
            whole[index] = part
    return motions


def _checked(closure: Closure, x: Array, y_dot: Array, refused: int) -> Motion:
    motion = _empty(closure)
    if _unroll(closure, with_given(closure, x, y_dot, refused), x, y_dot, motion) & refused:
        explain(closure, x, refused)
    return motion


def _empty(closure: Closure) -> Motion:
    p, n = closure.program, closure.spanning_nv
    return Motion(np.empty(closure.spanning_nq), np.empty(n), p.G.copy() if p.moving else p.G, np.empty(n))


def _unroll(closure: Closure, parameters: Array, x: Any, y_dot: Any, motion: Motion) -> int:
    p = closure.program
    return _run()(p.loops, p.members, parameters, p.columns, x, y_dot, *motion)


@lru_cache
def _run() -> Callable[..., int]:
    from ipc_articulation.dynamics.loops.unroll import compiled_unroll  # numba: only where there are loops

    return compiled_unroll()


def vector(value: ArrayLike, count: int, what: str) -> Array:
    """Numbers from a user, (..., count).

    Raises:
        StateError: The last axis has another length, or a number is not finite.
    """
    x = np.ascontiguousarray(numbers(what, value))
    if x.shape[-1:] != (count,):
        raise StateError(f"{what} has shape {x.shape}; give ({count},) or (..., {count})")
    if not isfinite(x.ravel().dot(x.ravel())) and not np.isfinite(x).all():  # the product is fast, but may overflow
        raise StateError(f"{what} must be finite; it is {x.tolist()}")
    return x


def with_given(closure: Closure, x: Array, y_dot: Array, refused: int) -> Array:
    """Parameters of all loops, including those of loops that Python evaluates.

    Raises:
        StateError: A loop is open or singular.
    """
    parameters = closure.program.parameters.copy()
    for loop, at in closure.program.given:
        c = loop.constraint
        if refused & SINGULAR:
            q, G, g = ask(loop, c.motion, x[loop.x], y_dot[loop.y])
        else:
            q, G, g = c.spanning(x[loop.x]), np.zeros((c.size, c.ndof)), np.zeros(c.size)
        if refused & OPEN:
            _require_closed(loop, q)
        parameters[at] = np.concatenate([q, G.ravel(), g])
    return parameters


def explain(closure: Closure, x: Array, refused: int) -> None:
    """Raise an error that names the first open or singular loop.

    Raises:
        StateError: A loop is open or singular.
    """
    for loop in closure.loops:
        if refused & SINGULAR:
            ask(loop, loop.constraint.G, x[loop.x])
        if refused & OPEN:
            _require_closed(loop, loop.constraint.spanning(x[loop.x]))
    raise StateError(f"model '{closure.name}': its loops cannot be evaluated at x = {x.tolist()}")


def ask(loop: Loop, function: Callable[..., Result], *arguments: Any) -> Result:
    """The result of a constraint's function; errors name the loop."""
    try:
        return function(*arguments)
    except StateError as error:
        raise StateError(f"{loop.name}: {error}") from error


def over(function: Callable[..., Array], *states: Array, shape: tuple[int, ...] | None = None) -> Array:
    """Evaluate a function of one state for all states of arrays (..., n), whose leading axes are the same.

    Args:
        function: The function.
        states: Its arguments.
        shape: Shape of one result; needed if there may be no states.
    """
    leading = np.broadcast_shapes(*(x.shape[:-1] for x in states))
    flat = [np.broadcast_to(x, (*leading, x.shape[-1])).reshape(-1, x.shape[-1]) for x in states]
    results = np.array([function(*parts) for parts in zip(*flat, strict=True)])
    return results.reshape(*leading, *(results.shape[1:] if shape is None else shape))


def times(matrix: Array, vector: Array) -> Array:
    """(..., n, m), (..., m) -> (..., n)."""
    return (matrix @ vector[..., None])[..., 0]


def nearest(constraint: LoopConstraint, q: Array) -> Array:
    """The position of a loop with the independent coordinates of q (n,), or else the nearest of some random ones.

    Raises:
        StateError: No position was found.
    """
    try:
        x = constraint.position(q)
        constraint.G(x)
    except StateError:
        rng = np.random.default_rng(0)
        found = [constraint.random(rng) for _ in range(10)]
        x = min(found, key=lambda x: float(np.abs(constraint.spanning(x) - q).max()))
    return x


def _require_closed(loop: Loop, q: Array) -> None:
    if isinstance(loop.constraint, Implicit):
        gap = np.abs(loop.constraint.phi(q)).max()
        if not gap <= MANIFOLD:
            raise StateError(f"{loop.name} is open: |φ| = {gap:.6g}; close it with Model.closed")
