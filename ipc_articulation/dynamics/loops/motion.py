"""The motion of a robot with loops, by one call of compiled code, and what is said of states that it refuses."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numba
import numpy as np
from numba import types
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.implicit import Implicit
from ipc_articulation.dynamics.loops.program import LOOP
from ipc_articulation.dynamics.loops.unroll import MANIFOLD, OPEN, SINGULAR, unroll
from ipc_articulation.errors import StateError

if TYPE_CHECKING:
    from ipc_articulation.dynamics.loops.loop_model import LoopModel

FLOAT = np.dtype(float)
Result = TypeVar("Result")

# Types of the arguments of compiled code, for which it is compiled once, past numba's look at each call.
VECTOR, MATRIX, INDICES, PAIRS = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]
STATE = types.Array(types.float64, 1, "A")
LOOPS = types.Array(numba.from_dtype(LOOP), 1, "C")


class Motion(NamedTuple):
    """Of a spanning tree with n velocities, m of them independent."""

    q: Array  # (nq,)
    v: Array  # (n,) q̇ = G ẏ
    G: Array  # (n, m)
    g: Array  # (n,) q̈ = G ÿ + g


def unrolled(robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, refused: int) -> Motion:
    """The motion of the spanning tree.

    Args:
        robot: The robot.
        x: Position, (nx,).
        y_dot: Independent velocities, (nv,).
        refused: Which of BAD, OPEN and SINGULAR are errors.

    Raises:
        StateError: As said.
    """
    p, n = robot.program, robot.model.nv
    motion = Motion(np.empty(robot.model.nq), np.empty(n), p.G.copy() if p.moving else p.G, np.empty(n))
    try:
        if not p.given and x.dtype is y_dot.dtype is FLOAT:  # type: ignore[union-attr]
            status = _run()(p.loops, p.members, p.parameters, p.columns, x, y_dot, *motion)
            if not status & refused:
                return motion
    except (AttributeError, TypeError):  # no arrays
        pass
    x, y_dot = robot.vector(x, robot.nx, "x"), robot.vector(y_dot, robot.nv, "velocity")
    if _run()(p.loops, p.members, with_given(robot, x, y_dot, refused), p.columns, x, y_dot, *motion) & refused:
        explain(robot, x, refused)
    return motion


@lru_cache
def _run() -> Callable[..., int]:
    return unroll.compile((LOOPS, PAIRS, VECTOR, INDICES, STATE, STATE, VECTOR, VECTOR, MATRIX, VECTOR))


def with_given(robot: LoopModel, x: Array, y_dot: Array, refused: int) -> Array:
    """Parameters of all loops, those that Python evaluates included.

    Raises:
        StateError: A loop is open or singular.
    """
    parameters = robot.program.parameters.copy()
    for loop, at in robot.program.given:
        c = loop.constraint
        if refused & SINGULAR:
            q, G, g = ask(loop, c.motion, x[loop.x], y_dot[loop.y])
        else:
            q, G, g = c.spanning(x[loop.x]), np.zeros((c.size, c.ndof)), np.zeros(c.size)
        if refused & OPEN:
            _require_closed(loop, q)
        parameters[at] = np.concatenate([q, G.ravel(), g])
    return parameters


def explain(robot: LoopModel, x: Array, refused: int) -> None:
    """Say which loop is at fault.

    Raises:
        StateError: It is open or singular.
    """
    for loop in robot.loops:
        if refused & SINGULAR:
            ask(loop, loop.constraint.G, x[loop.x])
        if refused & OPEN:
            _require_closed(loop, loop.constraint.spanning(x[loop.x]))
    raise StateError(f"model '{robot.model.name}': its loops cannot be evaluated at x = {x.tolist()}")


def ask(loop: Loop, function: Callable[..., Result], *arguments: Any) -> Result:
    """A constraint's answer; its errors name the loop."""
    try:
        return function(*arguments)
    except StateError as error:
        raise StateError(f"{loop.name}: {error}") from error


def _require_closed(loop: Loop, q: Array) -> None:
    if isinstance(loop.constraint, Implicit):
        gap = np.abs(loop.constraint.phi(q)).max()
        if not gap <= MANIFOLD:
            raise StateError(f"{loop.name} is open: |φ| = {gap:.6g}; close it with LoopModel.closed")
