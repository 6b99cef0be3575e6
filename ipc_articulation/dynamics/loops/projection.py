"""Dynamics of a robot with loops, by projecting those of its spanning tree.

With H, C the mass matrix and bias forces of the tree, q̇ = G ẏ and q̈ = G ÿ + g,

    (Gᵀ H G) ÿ + Gᵀ (C + H g) = τ

(generalized_rbda's reference method). Cubic in the number of coordinates, and independent of `cluster_aba.py`, which is
linear. Every function takes the position x and the independent velocities ẏ of a `LoopModel`; wrenches on bodies are as
for `inverse_dynamics`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.crba import mass_matrix as tree_mass_matrix
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics as tree_inverse_dynamics
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.loop_model import LoopModel


def mass_matrix(robot: LoopModel, x: ArrayLike) -> Array:
    """Gᵀ H G, (nv, nv), rotors' inertias included.

    Raises:
        StateError: A wrong length, an open or singular loop.
    """
    G = robot.G(x)
    return G.T @ tree_mass_matrix(robot.model, robot.spanning(x)) @ G


def bias_forces(robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, wrenches: ArrayLike | None = None) -> Array:
    """Gᵀ (C + H g), (nv,): τ at ÿ = 0.

    Raises:
        StateError: A wrong length, an open or singular loop.
    """
    q, v, G, g = robot.motion(x, y_dot)
    return G.T @ tree_inverse_dynamics(robot.model, q, v, g, wrenches)


def inverse_dynamics(
    robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, y_ddot: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """τ = Gᵀ RNEA(G ÿ + g), (nv,): linear in the number of bodies.

    Raises:
        StateError: A wrong length, an open or singular loop.
    """
    q, v, G, g = robot.motion(x, y_dot)
    a = G @ robot.vector(y_ddot, robot.nv, "acceleration") + g
    return G.T @ tree_inverse_dynamics(robot.model, q, v, a, wrenches)


def forward_dynamics(
    robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """ÿ of a force τ on the independent coordinates, (nv,).

    Raises:
        StateError: A wrong length, an open or singular loop.
    """
    q, v, G, g = robot.motion(x, y_dot)
    bias = G.T @ tree_inverse_dynamics(robot.model, q, v, g, wrenches)
    mass = G.T @ tree_mass_matrix(robot.model, q) @ G
    return np.asarray(np.linalg.solve(mass, robot.vector(tau, robot.nv, "tau") - bias), dtype=float)
