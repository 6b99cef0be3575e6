"""Forward dynamics of a robot with loops, by projecting that of its spanning tree.

With H, C the mass matrix and bias forces of the tree, q̇ = G ẏ and q̈ = G ÿ + g,

    (Gᵀ H G) ÿ + Gᵀ (C + H g) = τ

(generalized_rbda's reference method). Its time is cubic in the number of coordinates. It uses nothing of
`cluster_aba.py`, whose time is linear.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics
from ipc_articulation.dynamics.algorithms.solve import solve_mass
from ipc_articulation.dynamics.loops.motion import vector
from ipc_articulation.dynamics.model.model import Model


def projected_dynamics(
    robot: Model, x: ArrayLike, y_dot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """ÿ due to a force τ on the independent coordinates, (nv,); arguments are one state of `forward_dynamics`.

    Raises:
        ModelError: A joint moves no inertia.
        StateError: A wrong length, an open or singular loop.
    """
    tree, (q, v, G, g) = robot.spanning_tree, robot.motion(x, y_dot)
    mass, bias = G.T @ mass_matrix(tree, q) @ G, G.T @ inverse_dynamics(tree, q, v, g, wrenches)
    return solve_mass(robot, mass, vector(tau, robot.nv, "tau") - bias)
