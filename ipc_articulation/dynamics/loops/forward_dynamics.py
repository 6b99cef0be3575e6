"""Forward dynamics of robots with loops: cluster by cluster (`cluster_aba.py`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numba import types
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.over_states import TREE
from ipc_articulation.dynamics.loops.cluster_aba import cluster_aba
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.loop_model import LoopModel

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
        StateError: A wrong length, an open or singular loop.
    """
    q, v, G, g = robot.motion(x, y_dot)
    clusters, y_ddot = robot.clusters, np.empty(robot.nv)
    _run()(
        robot.model.tree,
        clusters.nodes,
        clusters.first,
        clusters.parent,
        clusters.y,
        clusters.first_y,
        clusters.largest,
        G,
        g,
        q,
        v,
        robot.vector(tau, robot.nv, "tau"),
        NO_WRENCHES if wrenches is None else _wrenches(robot, wrenches),
        y_ddot,
    )
    return y_ddot


@lru_cache
def _run() -> Callable[..., None]:
    """Machine code of the kernel, without numba's look at the types of arguments."""
    vector, matrix, indices = types.float64[::1], types.float64[:, ::1], types.int64[::1]
    return cluster_aba.compile(
        (TREE, *[indices] * 5, types.int64, matrix, vector, vector, vector, vector, matrix, vector)
    )


def _wrenches(robot: LoopModel, wrenches: ArrayLike) -> Array:
    shape = robot.model.shapes["wrenches"]
    return robot.vector(np.ravel(wrenches), shape[0] * 6, "wrenches").reshape(shape)
