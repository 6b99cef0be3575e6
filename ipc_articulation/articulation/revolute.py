"""The angle of one revolute joint as a function of its four world vectors, F = (n̂ᵢ, b̂ᵢ, n̂ⱼ, b̂ⱼ).

    C = (b̂ᵢ·b̂ⱼ + n̂ᵢ·n̂ⱼ)/2,   S = (n̂ᵢ·b̂ⱼ - b̂ᵢ·n̂ⱼ)/2,   θ = atan2(S, C),
    δθ = atan2(S Cᵗ - C Sᵗ, C Cᵗ + S Sᵗ)

(libuipc's specification of the external articulation constraint; Cᵗ, Sᵗ belong to the reference pose.) n̄ and b̄ are
the unit normal and binormal of the axis, with t̂ = b̂ × n̂ along the axis edge. The four vectors are linear in q, so all
curvature in q is curvature in F. The penalty holds the two ends of the axis edge together: r = (x⁰ᵢ - x⁰ⱼ, x¹ᵢ - x¹ⱼ).

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

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import revolute_in_q, vectors
from ipc_articulation.articulation.frames import Placement, local_directions, local_points, orthonormal_basis
from ipc_articulation.compiled import compiled

HOME = (1.0, 0.0)  # (C, S) where θ = 0


def measured(placement: Placement) -> Array:
    """(n̄, b̄) in both bodies, of the left body's axis, (m, 2, 2, 4)."""
    _, n, b = orthonormal_basis(placement.axes[:, 0])
    return local_directions(np.stack([n, b], axis=-2)[:, None], placement.transforms)


def held(placement: Placement) -> Array:
    """The two ends of the axis edge in both bodies, (m, 2, 2, 4)."""
    return local_points(placement.points)


@compiled(inline="always")
def set_reference(local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write (Cᵗ, Sᵗ); see `kinds.set_reference`."""
    reference[0], reference[1] = cos_sin(vectors.pairs(local, q_i, q_j))


@compiled(inline="always")
def delta_theta(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δθ in (-π, π] [rad]; see `kinds.delta_theta`."""
    (C, S), C_t, S_t = cos_sin(vectors.pairs(local, q_i, q_j)), reference[0], reference[1]
    delta[0] = np.arctan2(S * C_t - C * S_t, C * C_t + S * S_t)


@compiled
def derivatives(local: Array, q_i: Array, q_j: Array, w: float, project: bool, g: Array, H: Array) -> None:
    """∂δθ/∂q into g (24,) and w ∂²δθ/∂q² into H (24, 24); see `kinds.derivatives`."""
    F, t, p, p_in_q = vectors.pairs(local, q_i, q_j), np.empty(12), np.empty(12), np.empty(24)
    C, S = cos_sin(F)
    r2 = C * C + S * S
    c, s = 0.5 * C / r2, 0.5 * S / r2  # cosθ / 2r, sinθ / 2r
    _gradients(F, c, s, t, p)
    vectors.gradient_to_q(local, t, g)
    vectors.gradient_to_q(local, p, p_in_q)
    if not project:
        revolute_in_q.write_weighted(local, w, c, s, g, p_in_q, H)
    else:
        revolute_in_q.write_weighted(local, 0.5 * w, c, s, g, p_in_q, H)
        revolute_in_q.add_absolute(local, 0.5 * abs(w), np.sqrt(r2), F, t, p, H)


@compiled
def slopes(local: Array, q_i: Array, q_j: Array, g: Array) -> None:
    """∂δθ/∂q into g (24,)."""
    F, t, p = vectors.pairs(local, q_i, q_j), np.empty(12), np.empty(12)
    C, S = cos_sin(F)
    r2 = C * C + S * S
    _gradients(F, 0.5 * C / r2, 0.5 * S / r2, t, p)
    vectors.gradient_to_q(local, t, g)


@compiled
def cos_sin(F: Array) -> tuple[float, float]:
    """C and S of world vectors F (4, 3), not normalised."""
    n_i, b_i, n_j, b_j = F[0], F[1], F[2], F[3]
    C = 0.0
    S = 0.0
    for a in range(3):
        C += b_i[a] * b_j[a] + n_i[a] * n_j[a]
        S += n_i[a] * b_j[a] - b_i[a] * n_j[a]
    return 0.5 * C, 0.5 * S


@compiled
def _gradients(F: Array, c: float, s: float, t: Array, p: Array) -> None:
    """∇θ into t (12,) and ∇ρ into p (12,), with c = cosθ / 2r and s = sinθ / 2r."""
    for a in range(3):
        n_i, b_i, n_j, b_j = F[0, a], F[1, a], F[2, a], F[3, a]
        n_i_turned, b_i_turned = c * n_i - s * b_i, c * b_i + s * n_i
        n_j_turned, b_j_turned = c * n_j + s * b_j, c * b_j - s * n_j
        p[a], p[3 + a], p[6 + a], p[9 + a] = n_j_turned, b_j_turned, n_i_turned, b_i_turned
        t[a], t[3 + a], t[6 + a], t[9 + a] = b_j_turned, -n_j_turned, -b_i_turned, n_i_turned
