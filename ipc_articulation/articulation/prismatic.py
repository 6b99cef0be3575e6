"""The displacement of one prismatic joint as a function of its four world vectors, F = (cᵢ, t̂ᵢ, cⱼ, t̂ⱼ).

    θ = ((cⱼ - cᵢ)·t̂ᵢ - (cᵢ - cⱼ)·t̂ⱼ)/2 = d·s,   d = cⱼ - cᵢ,   s = (t̂ᵢ + t̂ⱼ)/2,   δθ = θ - θᵗ

(libuipc's specification of the external articulation constraint.) The four vectors are linear in q, so all curvature
in q is curvature in F, and there it is constant: along a change (d', s') the second derivative is 2 d'·s'. In the
orthonormal coordinates d'/√2 and √2 s' its eigenvalues are ±1, three of each, so that

    H: 2 d'·s',   |H|: ½|d'|² + 2|s'|²,

and the projection of w H onto positive semidefinite matrices is ½(w H + |w| |H|). c in metres, t̂ a pure number.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

D = np.array([-1.0, 0.0, 1.0, 0.0])  # d = D F
S = np.array([0.0, 0.5, 0.0, 0.5])  # s = S F
HESSIAN = np.kron(np.outer(D, S) + np.outer(S, D), np.eye(3))
ABSOLUTE_HESSIAN = np.kron(0.5 * np.outer(D, D) + 2.0 * np.outer(S, S), np.eye(3))


@njit(cache=True)
def displacement(F: Array) -> float:
    """θ [m] of world vectors F (4, 3)."""
    c_i, t_i, c_j, t_j = F[0], F[1], F[2], F[3]
    theta = 0.0
    for a in range(3):
        theta += 0.5 * (c_j[a] - c_i[a]) * (t_i[a] + t_j[a])
    return theta


@njit(cache=True)
def gradient(F: Array, G: Array) -> None:
    """Write ∇θ of world vectors F (4, 3), namely (-s, d/2, s, d/2), into G (12,)."""
    for a in range(3):
        d, s = F[2, a] - F[0, a], 0.5 * (F[1, a] + F[3, a])
        G[a], G[3 + a], G[6 + a], G[9 + a] = -s, 0.5 * d, s, 0.5 * d


@njit(cache=True)
def derivatives(F: Array, weight: float, project: bool, G: Array, H: Array) -> None:
    """∇θ into G (12,), and weight·∇²θ or its projection into H (12, 12); see `revolute.derivatives`."""
    gradient(F, G)
    for k in range(12):
        for m in range(12):
            if project:
                H[k, m] = 0.5 * (weight * HESSIAN[k, m] + abs(weight) * ABSOLUTE_HESSIAN[k, m])
            else:
                H[k, m] = weight * HESSIAN[k, m]
