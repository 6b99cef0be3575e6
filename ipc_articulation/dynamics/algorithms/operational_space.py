"""The response of a robot to forces at contacts.

A point fixed to a frame moves with [ω; ẋ] = J ẏ. A wrench w at the point, [moment; force] in world axes, changes ÿ by
H⁻¹ Jᵀ w, and the accelerations of all contact points by Λ⁻¹ w, with

    Λ⁻¹ = J H⁻¹ Jᵀ

the inverse operational-space inertia (Khatib 1987; generalized_rbda, «extended force propagator» and «apply test
force»). H is neither formed nor inverted: each column of H⁻¹ Jᵀ is one pass of `cluster_aba.py` over the robot at rest
and without gravity, linear in the number of clusters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.forward_dynamics_with_loops import (
    NO_WRENCHES,
    compiled_forward_dynamics,
    forward_dynamics_with_loops,
)
from ipc_articulation.dynamics.algorithms.jacobian import ORIGIN, jacobian
from ipc_articulation.dynamics.loops.kinds import OPEN, SINGULAR
from ipc_articulation.dynamics.loops.motion import vector, with_given
from ipc_articulation.dynamics.model.model import Model


def inverse_operational_space_inertia(
    robot: Model, x: ArrayLike, contacts: Sequence[tuple[str | int, ArrayLike]]
) -> Array:
    """The joint Λ⁻¹ of several contacts.

    Args:
        robot: The robot.
        x: Position, (nq,).
        contacts: For each of n contacts, a frame and a point in it.

    Returns:
        (6n, 6n), symmetric and positive semidefinite.

    Raises:
        ModelError: A frame is unknown.
        StateError: A wrong length, an open or singular loop.
    """
    J = np.concatenate([np.zeros((0, robot.nv)), *(jacobian(robot, x, *contact) for contact in contacts)])
    return J @ _yielding(robot, x, J).T


def apply_test_force(
    robot: Model, x: ArrayLike, force: ArrayLike, frame: str | int, point: ArrayLike = ORIGIN
) -> tuple[float, Array]:
    """The effect of a force at a point on the robot at rest.

    Args:
        robot: The robot.
        x: Position, (nq,).
        force: f, in world axes, (3,) [N].
        frame: Name or index.
        point: In the frame, (3,) [m].

    Returns:
        fᵀ Λ⁻¹ f, the acceleration of the point along the force times the force [N·m/s²], and ÿ = H⁻¹ Jᵀ f, (nv,).

    Raises:
        ModelError: The frame is unknown.
        StateError: A wrong length, an open or singular loop.
    """
    pushed = jacobian(robot, x, frame, point)[3:].T @ vector(force, 3, "force")
    y_ddot = _yielding(robot, x, pushed[None])[0]
    return float(pushed @ y_ddot), y_ddot


def _yielding(robot: Model, x: ArrayLike, forces: Array) -> Array:
    """H⁻¹ times forces on the independent coordinates: (n, nv) -> (n, nv)."""
    closure, rest, result = robot.closure, np.zeros(robot.nv), np.empty((len(forces), robot.nv))
    tree = robot.tree.copy()
    tree["gravity"] = 0.0
    x = vector(x, robot.nq, "x")
    records = closure.records._replace(tree=tree, parameters=with_given(closure, x, rest, OPEN | SINGULAR))
    for tau, y_ddot in zip(np.ascontiguousarray(forces), result, strict=True):
        if compiled_forward_dynamics()(*records, x, rest, tau, NO_WRENCHES, y_ddot):
            forward_dynamics_with_loops(robot, x, rest, tau, None, None)  # raises the error
    return result
