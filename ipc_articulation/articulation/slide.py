"""A displacement of the right body in the left body's axes, as a function of four world vectors F = (cᵢ, xᵢ, cⱼ, xⱼ).

    θ = (cⱼ - cᵢ)·xᵢ = d·s,   d = cⱼ - cᵢ,   s = xᵢ,   δθ = θ - θᵗ

xⱼ takes no part; it is there so that F has the form of `prismatic`, of which this is the one-sided form: along a change
(d', s') the second derivative is 2 d'·s'. With D and S the rows that make d and s of F, |D| = √2 and |S| = 1, D·S = 0,

    H = DSᵀ + SDᵀ,   |H| = (|S|/|D|) DDᵀ + (|D|/|S|) SSᵀ   (⊗ I₃),

and the projection of w H onto positive semidefinite matrices is ½(w H + |w| |H|).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import vectors
from ipc_articulation.compiled import compiled

_D = np.array([-1.0, 0.0, 1.0, 0.0])  # d = D F
_S = np.array([0.0, 1.0, 0.0, 0.0])  # s = S F
_HESSIAN = np.kron(np.outer(_D, _S) + np.outer(_S, _D), np.eye(3))
_ABSOLUTE_HESSIAN = np.kron(np.outer(_D, _D) / np.sqrt(2.0) + np.sqrt(2.0) * np.outer(_S, _S), np.eye(3))


@compiled
def displacement(local: Array, q_i: Array, q_j: Array) -> float:
    """θ [m] of local vectors (c̄, x̄) of both bodies, (2, 2, 4)."""
    F, theta = vectors.pairs(local, q_i, q_j), 0.0
    for a in range(3):
        theta += (F[2, a] - F[0, a]) * F[1, a]
    return theta


@compiled
def add_derivatives(local: Array, q_i: Array, q_j: Array, w: float, project: bool, g: Array, H: Array) -> None:
    """Write ∂δθ/∂q into g (24,), and add w ∂²δθ/∂q² to H (24, 24); see `kinds.derivatives`."""
    F, G, by_F, by_q = vectors.pairs(local, q_i, q_j), np.zeros(12), np.empty((12, 12)), np.empty((24, 24))
    for a in range(3):
        G[a], G[3 + a], G[6 + a] = -F[1, a], F[2, a] - F[0, a], F[1, a]
    for k in range(12):
        for m in range(12):
            by_F[k, m] = w * _HESSIAN[k, m]
            if project:
                by_F[k, m] = 0.5 * (by_F[k, m] + abs(w) * _ABSOLUTE_HESSIAN[k, m])
    vectors.gradient_to_q(local, G, g)
    vectors.hessian_to_q(local, by_F, by_q)
    H += by_q
