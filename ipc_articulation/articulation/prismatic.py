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
def gradient(F: Array) -> Array:
    """∇θ of world vectors F (4, 3): (4, 3), namely (-s, d/2, s, d/2)."""
    c_i, t_i, c_j, t_j = F[0], F[1], F[2], F[3]
    G = np.empty((4, 3))
    for a in range(3):
        d, s = c_j[a] - c_i[a], 0.5 * (t_i[a] + t_j[a])
        G[0, a], G[1, a], G[2, a], G[3, a] = -s, 0.5 * d, s, 0.5 * d
    return G
