"""Forward dynamics of robots with loops: cluster by cluster (`cluster_aba.py`), constraints and all in one call."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.dynamics.algorithms.bad_states import complain
from ipc_articulation.dynamics.algorithms.compiled import compiled
from ipc_articulation.dynamics.algorithms.over_states import TREE
from ipc_articulation.dynamics.algorithms.sweep import finite
from ipc_articulation.dynamics.algorithms.tree import ROTATION
from ipc_articulation.dynamics.loops.cluster_aba import cluster_aba
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.kinds import AFFINE
from ipc_articulation.dynamics.loops.loop_model import LoopModel
from ipc_articulation.dynamics.loops.motion import (
    FLOAT,
    INDICES,
    LOOPS,
    MATRIX,
    PAIRS,
    STATE,
    VECTOR,
    explain,
    with_given,
)
from ipc_articulation.dynamics.loops.program import CLUSTER, STEP
from ipc_articulation.dynamics.loops.unroll import BAD, OPEN, SINGULAR, unroll

NO_WRENCHES = np.zeros((0, 6))


def forward_dynamics(
    robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """The acceleration ÿ that forces on the independent coordinates give, in time linear in the number of clusters.

    Args:
        robot: The robot.
        x: Position, (nx,).
        y_dot: Independent velocities ẏ, (nv,).
        tau: Forces on the independent coordinates, (nv,) [N·m or N].
        wrenches: On the bodies of the spanning tree, (nb, 6) [moment about the world's origin; force], world axes.

    Returns:
        (nv,).

    Raises:
        StateError: A wrong length, a number that is not finite, an open or singular loop.
    """
    result = np.empty(robot.nv)
    try:
        if wrenches is None and x.dtype is y_dot.dtype is tau.dtype is FLOAT:  # type: ignore[union-attr]
            run = compiled_forward_dynamics()
            if not robot.program.given and not run(*robot.records, x, y_dot, tau, NO_WRENCHES, result):
                return result
    except (AttributeError, TypeError):  # no arrays
        pass
    return _checked(robot, x, y_dot, tau, NO_WRENCHES if wrenches is None else wrenches_of(robot, wrenches), result)


def _checked(robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, tau: ArrayLike, wrenches: Array, result: Array) -> Array:
    x, y_dot = robot.vector(x, robot.nx, "x"), robot.vector(y_dot, robot.nv, "velocity")
    tau, records = robot.vector(tau, robot.nv, "tau"), robot.records
    if robot.program.given:
        records = records._replace(parameters=with_given(robot, x, y_dot, OPEN | SINGULAR))
    status = compiled_forward_dynamics()(*records, x, y_dot, tau, wrenches, result)
    if status & (OPEN | SINGULAR):
        explain(robot, x, OPEN | SINGULAR)
    if status & BAD:
        complain(robot.model, ["q"], [robot.spanning(x)[None]])  # of a quaternion: all else has been looked at
    return result


@compiled
def _forward_dynamics(
    tree, loops, members, parameters, clusters, steps, ys, column, constant, x, y_dot, tau, wrenches, y_ddot
):
    """ÿ of x, ẏ and τ into y_ddot, and a status as of `unroll`; the arguments before are `Records`."""
    last, n = tree[len(tree) - 1], len(constant)
    q, v, g, G = np.empty(last.q + (4 if last.kind == ROTATION else last.nv)), np.empty(n), np.empty(n), constant
    for i in range(len(loops)):
        if loops[i].kind > AFFINE:
            G = constant.copy()
            break
    status = unroll(loops, members, parameters, column, x, y_dot, q, v, G, g)
    if status == 0:
        if len(tau) != len(y_ddot) or not finite(tau) or not finite(wrenches.ravel()):
            return BAD
        if not cluster_aba(tree, clusters, steps, ys, G, g, q, v, tau, wrenches, y_ddot):
            return BAD
    return status


@lru_cache
def compiled_forward_dynamics() -> Callable[..., int]:
    """Machine code, without numba's look at the types of arguments."""
    clusters, steps = (types.Array(numba.from_dtype(dtype), 1, "C") for dtype in (CLUSTER, STEP))
    records: tuple[Any, ...] = (TREE, LOOPS, PAIRS, VECTOR, clusters, steps, INDICES, INDICES, MATRIX)
    return _forward_dynamics.compile((*records, STATE, STATE, STATE, MATRIX, VECTOR))


def wrenches_of(robot: LoopModel, wrenches: ArrayLike) -> NDArray[np.float64]:
    """Wrenches from a user, (nb, 6).

    Raises:
        StateError: Another number of numbers, or one that is not finite.
    """
    shape = robot.model.shapes["wrenches"]
    return robot.vector(np.ravel(wrenches), shape[0] * 6, "wrenches").reshape(shape)
