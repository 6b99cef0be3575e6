"""Contacts of a robot with loops: their Jacobians, and how they yield to forces.

A point fixed to a frame moves with [ω; ẋ] = J ẏ, J = J_tree G. A wrench w at it, [moment; force] in world axes, changes
accelerations by H⁻¹ Jᵀ w, and those of the points of all contacts by Λ⁻¹ w, with

    Λ⁻¹ = J H⁻¹ Jᵀ

the inverse operational-space inertia (Khatib 1987; generalized_rbda, «extended force propagator» and «apply test
force»). H is neither formed nor inverted: each column of H⁻¹ Jᵀ is one pass of `cluster_aba.py` over the robot at rest
and without gravity, linear in the number of clusters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.jacobian import ORIGIN, jacobian, jacobian_rate
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.forward_dynamics import NO_WRENCHES, compiled_forward_dynamics
from ipc_articulation.dynamics.loops.loop_model import LoopModel
from ipc_articulation.dynamics.loops.motion import with_given
from ipc_articulation.dynamics.loops.unroll import OPEN, SINGULAR


def contact_jacobian(robot: LoopModel, x: ArrayLike, frame: str | int, point: ArrayLike = ORIGIN) -> Array:
    """J of a point fixed to a frame, J ẏ = [ω; ẋ] in world axes.

    Args:
        robot: The robot.
        x: Position, (nx,).
        frame: Name or index.
        point: In the frame, (3,) [m].

    Returns:
        (6, nv).

    Raises:
        ModelError: The frame is unknown.
        StateError: A wrong length, an open or singular loop.
    """
    return jacobian(robot.model, robot.spanning(x), frame, point) @ robot.G(x)


def contact_acceleration(
    robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, y_ddot: ArrayLike, frame: str | int, point: ArrayLike = ORIGIN
) -> Array:
    """J_tree (G ÿ + g) + J̇_tree G ẏ, the acceleration [ω̇; ẍ] of a point fixed to a frame, world axes, (6,).

    Args:
        robot: The robot.
        x: Position, (nx,).
        y_dot: Independent velocities, (nv,).
        y_ddot: Their rates, (nv,).
        frame: Name or index.
        point: In the frame, (3,) [m].

    Raises:
        ModelError: The frame is unknown.
        StateError: A wrong length, an open or singular loop.
    """
    q, G = robot.spanning(x), robot.G(x)
    y_dot, y_ddot = robot.vector(y_dot, robot.nv, "velocity"), robot.vector(y_ddot, robot.nv, "acceleration")
    v, a = G @ y_dot, G @ y_ddot + robot.g(x, y_dot)
    return jacobian(robot.model, q, frame, point) @ a + jacobian_rate(robot.model, q, v, frame, point) @ v


def inverse_operational_space_inertia(
    robot: LoopModel, x: ArrayLike, contacts: Sequence[tuple[str | int, ArrayLike]]
) -> Array:
    """Λ⁻¹ of contacts together.

    Args:
        robot: The robot.
        x: Position, (nx,).
        contacts: Frame and point in it, n of them.

    Returns:
        (6n, 6n), symmetric and positive semidefinite.

    Raises:
        ModelError: A frame is unknown.
        StateError: A wrong length, an open or singular loop.
    """
    J = np.concatenate([np.zeros((0, robot.nv)), *(contact_jacobian(robot, x, *contact) for contact in contacts)])
    return J @ _yielding(robot, x, J).T


def apply_test_force(
    robot: LoopModel, x: ArrayLike, force: ArrayLike, frame: str | int, point: ArrayLike = ORIGIN
) -> tuple[float, Array]:
    """What a force at a point would do to the robot at rest.

    Args:
        robot: The robot.
        x: Position, (nx,).
        force: f, in world axes, (3,) [N].
        frame: Name or index.
        point: In the frame, (3,) [m].

    Returns:
        fᵀ Λ⁻¹ f, the acceleration of the point along the force times the force [N·m/s²], and ÿ = H⁻¹ Jᵀ f, (nv,).

    Raises:
        ModelError: The frame is unknown.
        StateError: A wrong length, an open or singular loop.
    """
    pushed = contact_jacobian(robot, x, frame, point)[3:].T @ robot.vector(force, 3, "force")
    y_ddot = _yielding(robot, x, pushed[None])[0]
    return float(pushed @ y_ddot), y_ddot


def _yielding(robot: LoopModel, x: ArrayLike, forces: Array) -> Array:
    """H⁻¹ times forces on the independent coordinates: (n, nv) -> (n, nv)."""
    tree, rest, result = robot.model.tree.copy(), np.zeros(robot.nv), np.empty((len(forces), robot.nv))
    tree["gravity"] = 0.0
    x = robot.vector(x, robot.nx, "x")
    parameters = with_given(robot, x, rest, OPEN | SINGULAR)
    records = robot.records._replace(tree=tree, parameters=parameters)
    for tau, y_ddot in zip(np.ascontiguousarray(forces), result, strict=True):
        compiled_forward_dynamics()(*records, x, rest, tau, NO_WRENCHES, y_ddot)
    return result
