"""The angle of one revolute joint as a function of its four world vectors, F = (n̂ᵢ, b̂ᵢ, n̂ⱼ, b̂ⱼ).

    C = (b̂ᵢ·b̂ⱼ + n̂ᵢ·n̂ⱼ)/2,   S = (n̂ᵢ·b̂ⱼ - b̂ᵢ·n̂ⱼ)/2,   θ = atan2(S, C),
    δθ = atan2(S Cᵗ - C Sᵗ, C Cᵗ + S Sᵗ)

(libuipc's specification of the external articulation constraint; Cᵗ, Sᵗ belong to the reference pose.) The four vectors
are linear in q, so all curvature in q is curvature in F.

**Derivatives.** With the complex vectors u = n̂ + i b̂ of the two bodies, z = C + iS = ½ ūᵢ·uⱼ is bilinear and
ρ + iθ = log z. Let r = |z|, turn the right body's vectors back by θ and the left body's forward by θ,

    uⱼ' = e⁻ⁱᶿ uⱼ,   uᵢ' = eⁱᶿ uᵢ;   then   ∇ρ = (uⱼ', uᵢ')/2r,   ∇θ = (-i uⱼ', i uᵢ')/2r

(a complex vector n + ib stands for the pair n, b). The second derivative of log z gives

    H = ∇²θ = P - ∇ρ∇θᵀ - ∇θ∇ρᵀ,   P = 1/2r [0 B; Bᵀ 0] ⊗ I₃,   B = [-sinθ cosθ; -cosθ -sinθ].

**Absolute value.** |H|, H with the signs of its negative eigenvalues changed, needs no eigenvalue solver. P² = I/4r²,
∇θ = P F and ∇ρ = P G for G = (-i uᵢ, i uⱼ); F, G, ∇θ, ∇ρ span two planes on which H is definite, one of each sign,
and outside of them H is P. Collecting terms, with N = |F|²,

    |H| = I/2r - (a aᵀ + c cᵀ)/(2r (N + 4r)) + ∇θ∇θᵀ + ∇ρ∇ρᵀ,   a = F + 2r∇ρ,   c = G + 2r∇θ.

The projection of w H onto positive semidefinite matrices is then ½(w H + |w| |H|). All are singular only where r = 0:
the two bodies' axes point in opposite directions, or a body is flattened.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True)
def cos_sin(F: Array) -> tuple[float, float]:
    """C and S of world vectors F (4, 3), not normalised."""
    n_i, b_i, n_j, b_j = F[0], F[1], F[2], F[3]
    C = 0.0
    S = 0.0
    for a in range(3):
        C += b_i[a] * b_j[a] + n_i[a] * n_j[a]
        S += n_i[a] * b_j[a] - b_i[a] * n_j[a]
    return 0.5 * C, 0.5 * S


@njit(cache=True)
def angle_from(C: float, S: float, C_t: float, S_t: float) -> float:
    """δθ in (-π, π] [rad] from (C, S) and the reference's (Cᵗ, Sᵗ)."""
    return np.arctan2(S * C_t - C * S_t, C * C_t + S * S_t)


@njit(cache=True)
def gradients(F: Array) -> tuple[Array, Array]:
    """∇θ and ∇ρ of world vectors F (4, 3): (4, 3) each."""
    C, S = cos_sin(F)
    r2 = C * C + S * S
    c, s = 0.5 * C / r2, 0.5 * S / r2  # cosθ / 2r, sinθ / 2r
    n_i, b_i, n_j, b_j = F[0], F[1], F[2], F[3]
    d_theta, d_rho = np.empty((4, 3)), np.empty((4, 3))
    for a in range(3):
        n_i_turned, b_i_turned = c * n_i[a] - s * b_i[a], c * b_i[a] + s * n_i[a]
        n_j_turned, b_j_turned = c * n_j[a] + s * b_j[a], c * b_j[a] - s * n_j[a]
        d_rho[0, a], d_rho[1, a], d_rho[2, a], d_rho[3, a] = n_j_turned, b_j_turned, n_i_turned, b_i_turned
        d_theta[0, a], d_theta[1, a], d_theta[2, a], d_theta[3, a] = b_j_turned, -n_j_turned, -b_i_turned, n_i_turned
    return d_theta, d_rho


@njit(cache=True)
def hessian(F: Array) -> Array:
    """H = ∇²θ of world vectors F (4, 3): (12, 12), rows and columns in the order of F's entries."""
    C, S = cos_sin(F)
    r2 = C * C + S * S
    c, s = 0.5 * C / r2, 0.5 * S / r2
    d_theta, d_rho = gradients(F)
    t, p = d_theta.ravel(), d_rho.ravel()
    H = np.empty((12, 12))
    for k in range(12):
        for m in range(12):
            H[k, m] = -p[k] * t[m] - t[k] * p[m]
    for a in range(3):
        n_i, b_i, n_j, b_j = a, 3 + a, 6 + a, 9 + a
        _add_symmetric(H, n_i, n_j, -s)
        _add_symmetric(H, n_i, b_j, c)
        _add_symmetric(H, b_i, n_j, -c)
        _add_symmetric(H, b_i, b_j, -s)
    return H


@njit(cache=True)
def absolute_hessian(F: Array) -> Array:
    """|H| of world vectors F (4, 3): (12, 12)."""
    C, S = cos_sin(F)
    r = np.hypot(C, S)
    d_theta, d_rho = gradients(F)
    t, p, f = d_theta.ravel(), d_rho.ravel(), F.ravel()
    N = np.dot(f, f)
    a, c = f + 2.0 * r * p, _turned_apart(F).ravel() + 2.0 * r * t
    scale = 1.0 / (2.0 * r * (N + 4.0 * r))
    A = np.empty((12, 12))
    for k in range(12):
        for m in range(12):
            A[k, m] = t[k] * t[m] + p[k] * p[m] - scale * (a[k] * a[m] + c[k] * c[m])
        A[k, k] += 0.5 / r
    return A


@njit(cache=True)
def _turned_apart(F: Array) -> Array:
    """G = (-i uᵢ, i uⱼ): the left body's vectors turned by -90° about the axis, the right body's by +90°."""
    G = np.empty((4, 3))
    for a in range(3):
        G[0, a], G[1, a], G[2, a], G[3, a] = F[1, a], -F[0, a], -F[3, a], F[2, a]
    return G


@njit(cache=True)
def _add_symmetric(H: Array, row: int, column: int, value: float) -> None:
    H[row, column] += value
    H[column, row] += value
