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
from ipc_articulation.articulation import revolute_in_q
from ipc_articulation.articulation.frames import Placement, local_directions, local_points, orthonormal_basis
from ipc_articulation.articulation.revolute_in_q import put_slope, row
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
    reference[0], reference[1] = cos_sin(local, q_i, q_j)


@compiled(inline="always")
def delta_theta(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δθ in (-π, π] [rad]; see `kinds.delta_theta`."""
    (C, S), C_t, S_t = cos_sin(local, q_i, q_j), reference[0], reference[1]
    delta[0] = np.arctan2(S * C_t - C * S_t, C * C_t + S * S_t)


@compiled
def derivatives(local: Array, q_i: Array, q_j: Array, w: float, project: bool, g: Array, H: Array) -> None:
    """∂δθ/∂q into g (24,) and w ∂²δθ/∂q² into H (24, 24); see `kinds.derivatives`."""
    C, S = cos_sin(local, q_i, q_j)
    r = np.sqrt(C * C + S * S)
    c, s, carried = 0.5 * C / (r * r), 0.5 * S / (r * r), np.empty((4, 24))  # cosθ / 2r, sinθ / 2r
    N = revolute_in_q.carry(local, q_i, q_j, c, s, carried)
    g[:] = carried[0]
    if project:
        revolute_in_q.write_projected(local, w, c, s, r, N, carried, H)
    else:
        revolute_in_q.write_weighted(local, w, c, s, carried, H)


@compiled
def slopes(local: Array, q_i: Array, q_j: Array, g: Array) -> None:
    """∂δθ/∂q into g (24,)."""
    C, S = cos_sin(local, q_i, q_j)
    r2 = C * C + S * S
    c, s = 0.5 * C / r2, 0.5 * S / r2
    for a in range(3):
        put_slope(local, a, row(local[0], q_i, a), row(local[1], q_j, a), c, s, g)


@compiled
def cos_sin(local: Array, q_i: Array, q_j: Array) -> tuple[float, float]:
    """C and S of two directions in both bodies, (2, v, 4), at their coordinates (12,); not normalised."""
    C = 0.0
    S = 0.0
    for a in range(3):
        n_i, b_i = row(local[0], q_i, a)
        n_j, b_j = row(local[1], q_j, a)
        C += b_i * b_j + n_i * n_j
        S += n_i * b_j - b_i * n_j
    return 0.5 * C, 0.5 * S
