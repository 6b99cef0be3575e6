"""Jacobians of points fixed to frames, and their rates; for robots with loops J G and J̇ G + J Ġ.

For a point at x from the tree's origin, and a joint between it and the root with column S = [s; t] and Ṡ = v_p × S,

    J_j = [s; t + s × x],     J̇_j = [ṡ; ṫ + ṡ × x + s × ẋ],

so that J v = [ω; ẋ] and J v̇ + J̇ v = [ω̇; ẍ]. Columns of other joints are zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.curvature import G_rate
from ipc_articulation.dynamics.algorithms.kinematics import arm, point_velocity
from ipc_articulation.dynamics.algorithms.lift import spanning_states
from ipc_articulation.dynamics.algorithms.over_states import Algorithm
from ipc_articulation.dynamics.arguments import numbers, require
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import at_position, at_velocity
from ipc_articulation.dynamics.kernels.vectors import cross, cross3, row
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import StateError

ORIGIN = (0.0, 0.0, 0.0)


def jacobian(model: Model, q: ArrayLike, frame: str | int, point: ArrayLike = ORIGIN) -> Array:
    """The Jacobian J of a point fixed to a frame, J v = [ω; ẋ] in world axes.

    Args:
        model: The model.
        q: Positions, (..., nq).
        frame: Name or index.
        point: In the frame, (3,) [m].

    Returns:
        (..., 6, nv).

    Raises:
        ModelError: The frame is unknown.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    return _JACOBIAN(model, q, parameters=_place_of(model, frame, point))


def jacobian_rate(model: Model, q: ArrayLike, v: ArrayLike, frame: str | int, point: ArrayLike = ORIGIN) -> Array:
    """dJ/dt along a velocity, so that [ω̇; ẍ] = J v̇ + J̇ v.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        frame: Name or index.
        point: In the frame, (3,) [m].

    Returns:
        (..., 6, nv).

    Raises:
        ModelError: The frame is unknown.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    require("model", model, Model)
    if model.loops:
        motion, given = spanning_states(model, ("q", "v"), (q, v))
        at = model.spanning_tree, motion.q
        turned = jacobian(*at, frame, point) @ G_rate(model, given["q"], given["v"])
        return jacobian_rate(*at, motion.v, frame, point) @ motion.G + turned
    return _RATE(model, q, v, parameters=_place_of(model, frame, point))


def _place_of(model: Model, frame: str | int, point: ArrayLike) -> tuple[int, Array]:
    """Node of a frame, and a point of the frame in that node."""
    require("model", model, Model)
    index, x = model.frame(frame), numbers("point", point)
    if x.shape != (3,) or not np.isfinite(x).all():
        raise StateError(f"point must be three finite numbers; it is {x.tolist()}")
    H = model.frame_pose[index]
    return int(model.frame_node[index]), H[:3, :3] @ x + H[:3, 3]


@inlined
def _jacobian(at, q, J):
    tree, node, point = at
    kin, S, good = at_position(tree, q)
    J[:] = 0.0
    i = node
    if i >= 0:
        x = arm(kin[i], point[0], point[1], point[2])
    while i >= 0:
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            _set_column(J, j, row(S, j), x)
        i = tree[i].parent
    return good


@kernel
def _set_column(J, j, s, x):
    """J_j = [s; t + s × x]."""
    turn = cross3(s, x)
    for r in range(3):
        J[r, j], J[3 + r, j] = s[r], s[3 + r] + turn[r]


@kernel
def column_rate(b, kin, S, j):
    """Ṡ = v_p × S."""
    return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0) if b.parent < 0 else cross(kin[b.parent].v, row(S, j))


@inlined
def _rate(at, q, v, J):
    tree, node, point = at
    kin, S, good = at_velocity(tree, q, v)
    J[:] = 0.0
    i = node
    if i >= 0:
        x = arm(kin[i], point[0], point[1], point[2])
        rate = point_velocity(kin[i], x)
    while i >= 0:
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            _set_column(J, j, column_rate(tree[i], kin, S, j), x)
            carried = cross3(row(S, j), rate)
            for r in range(3):
                J[3 + r, j] += carried[r]
        i = tree[i].parent
    return good


_JACOBIAN = Algorithm(_jacobian, ["q"], "jacobian", ["index", "point"])
_RATE = Algorithm(_rate, ["q", "v"], "jacobian", ["index", "point"])
