"""Dynamics of a robot with loops, by Lagrange multipliers on its spanning tree.

    H q̈ + C = τ_q + Kᵀ λ,   K q̈ = k

with any τ_q for which Gᵀ τ_q = τ (generalized_rbda's second reference method). λ are the forces that keep the loops
closed. The tree alone may be singular, where only the loops determine its motion, so ρ Kᵀ (K q̈ - k) = 0 is added, which
makes the matrix of q̈ regular if the robot's is (Benzi, Golub, Liesen 2005, «Numerical solution of saddle point
problems», ch. 3.5):

    H_ρ = H + ρ Kᵀ K,   f = τ_q - C + ρ Kᵀ k:     A λ = k - K H_ρ⁻¹ f,   A = K H_ρ⁻¹ Kᵀ,   q̈ = H_ρ⁻¹ (f + Kᵀ λ)

Redundant constraints make A singular; λ is then the solution of least norm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics
from ipc_articulation.dynamics.algorithms.solve import solve_mass
from ipc_articulation.dynamics.loops.motion import vector
from ipc_articulation.dynamics.model.model import Model


class Constrained(NamedTuple):
    """Accelerations and loop forces."""

    y_ddot: Array  # (nv,) of the independent coordinates
    q_ddot: Array  # (spanning nv,)
    multipliers: Array  # λ, one for each row of K


def constrained_dynamics(
    robot: Model, x: ArrayLike, y_dot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None
) -> Constrained:
    """Accelerations due to a force τ on the independent coordinates; arguments are one state of `forward_dynamics`.

    Raises:
        ModelError: A joint moves no inertia.
        StateError: A wrong length, an open or singular loop.
    """
    tree, (q, v, G, g) = robot.spanning_tree, robot.motion(x, y_dot)
    H, K, k = mass_matrix(tree, q), robot.K(q), robot.k(q, v)
    rho = np.trace(H) / (np.sum(K * K) or 1.0)
    C = inverse_dynamics(tree, q, v, np.zeros(tree.nv), wrenches)
    tau_q = np.linalg.lstsq(G.T, vector(tau, robot.nv, "tau"), rcond=None)[0]
    HK = solve_mass(tree, H + rho * K.T @ K, np.column_stack([tau_q - C + rho * K.T @ k, K.T]))
    free, H_K = HK[:, 0], HK[:, 1:]
    multipliers = np.linalg.lstsq(K @ H_K, k - K @ free, rcond=None)[0]
    q_ddot = free + H_K @ multipliers
    y_ddot = np.linalg.lstsq(G, q_ddot - g, rcond=None)[0]
    return Constrained(*(np.asarray(part, dtype=float) for part in (y_ddot, q_ddot, multipliers)))
