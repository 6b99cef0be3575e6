"""KirchhoffRodBending, the bending of rods at their vertices (libuipc's constitution 15).

    E = α |κ|²/L₀,   κ = 2 u×w/(|u||w| + u·w),   α = k π r⁴/4,   L₀ = L̄₀ + L̄₁

u = x₁ - x₀ and w = x₂ - x₁ are the edges, L₀ the sum of their rest lengths, k Young's modulus and r the radius, so α
is the rod's E I (Li, Kaufman and Jiang 2021, «Codimensional incremental potential contact», section 8). The rod is
straight at rest, whatever its rest positions. With the turn φ between the edges, |κ| = 2 tan(φ/2) (Bergou et al. 2008,
«Discrete elastic rods»). With a = u/|u|, b = w/|w|, c = a·b = cos φ and s = sin φ

    E = W (1-c)/(1+c) = W |a-b|²/|a+b|²,   W = 4α/L₀,   ∂E/∂φ = K s,   ∂²E/∂φ² = K (2-c),   K = 2W/(1+c)².

In the frame of an edge, its direction, the tangent (n × a or n × b) and the normal n of the plane of both, du/|u| is
(ρ₀, τ₀, ν₀) and dw/|w| is (ρ₁, τ₁, ν₁). With ρ± = (ρ₀ ± ρ₁)/√2, and so with τ and ν,

    dE = K s (τ₁ - τ₀),   d²E = K [2s ρ₋τ₊ + 2s ρ₊τ₋ + 2(2-c) τ₋² + (c-1) ν₊² + (c+1) ν₋²].

These are two matrices of two rows, ((0, s), (s, 0)) and ((0, s), (s, 2(2-c))), and two numbers. The projection takes
the positive part of each: the nearest matrix where each edge is measured by its own length. A rod folded by 180° has
the energy inf; its derivatives are then written as 0. Edges without length have no direction: no energy, no
derivatives.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.over_elements import nothing, over_elements
from ipc_articulation.elasticity.positive_part import positive_part
from ipc_articulation.elasticity.vectors import between, cross, dot, mix, scaled, unit_normal
from ipc_articulation.errors import MeshError


def rest(X: Array, corners: Ints, stiffness: Array | float, radius: Array | float) -> Array:
    """Constants of k elements, (k, 1): W = 4α/L₀ [J].

    Args:
        X: (n, 3) rest positions [m].
        corners: (k, 3) consecutive vertices.
        stiffness: k [Pa], one number or (k,).
        radius: r [m], libuipc's thickness of the middle vertex, likewise.

    Raises:
        MeshError: A corner has no length.
    """
    length = np.sum(np.linalg.norm(np.diff(X[corners], axis=1), axis=2), axis=1)
    if not np.all(length > 0.0):
        raise MeshError(f"corner {int(np.argmin(length > 0.0))} of a rod has no length at rest")
    return (np.pi * stiffness * np.power(radius, 4) / length)[:, None]


@inlined
def energy(x, c, scratch):
    """E [J] of x (3, 3) with constants c (1,)."""
    a, b, L0, L1 = _directions(x)
    if L0 == 0.0 or L1 == 0.0:
        return 0.0
    more, less = mix(1.0, a, 1.0, b), mix(1.0, a, -1.0, b)
    square = dot(more, more)
    return np.inf if square == 0.0 else c[0] * dot(less, less) / square


@inlined
def write_derivatives(x, c, project, scratch, g, H):
    """Write ∂E/∂x into g (9,) and ∂²E/∂x² into H (9, 9), exact or projected; both are 0 before."""
    a, b, L0, L1 = _directions(x)
    sum_ab = mix(1.0, a, 1.0, b)
    more = 0.5 * dot(sum_ab, sum_ab)  # 1 + c
    if L0 == 0.0 or L1 == 0.0 or more == 0.0:
        return
    K, u, w = 2.0 * c[0] / more**2, 1.0 / L0, 1.0 / L1
    n, s = unit_normal(a, b)
    t0, t1 = cross(n, a), cross(n, b)
    own, other, own_turn, other_turn, own_across, other_across, own_rt, other_rt = _frame(more - 1.0, s, project)
    for i in range(3):
        p, q = K * s * u * t0[i], K * s * w * t1[i]
        g[i], g[3 + i], g[6 + i] = p, -p - q, q
        for k in range(3):
            N = n[i] * n[k]
            uu = own * a[i] * a[k] + own_turn * t0[i] * t0[k] + own_across * N + own_rt * (a[i] * t0[k] + t0[i] * a[k])
            ww = own * b[i] * b[k] + own_turn * t1[i] * t1[k] + own_across * N - own_rt * (b[i] * t1[k] + t1[i] * b[k])
            uw = other * a[i] * b[k] + other_turn * t0[i] * t1[k] + other_across * N
            uw += other_rt * (a[i] * t1[k] - t0[i] * b[k])
            wu = other * a[k] * b[i] + other_turn * t0[k] * t1[i] + other_across * N
            wu += other_rt * (a[k] * t1[i] - t0[k] * b[i])
            uu, ww, uw, wu = K * u * u * uu, K * w * w * ww, K * u * w * uw, K * u * w * wu
            H[i, k], H[i, 3 + k], H[i, 6 + k] = uu, uw - uu, -uw
            H[3 + i, k], H[3 + i, 3 + k], H[3 + i, 6 + k] = wu - uu, uu - uw - wu + ww, uw - ww
            H[6 + i, k], H[6 + i, 3 + k], H[6 + i, 6 + k] = -wu, wu - ww, ww


energies, derivatives, gradients, hessians = over_elements(3, nothing, energy, write_derivatives)


@kernel
def _directions(x):
    """a, b and the lengths of the edges; a direction is 0 where the length is."""
    u, w = between(x, 0, 1), between(x, 1, 2)
    L0, L1 = np.sqrt(dot(u, u)), np.sqrt(dot(w, w))
    p, q = (0.0 if L0 == 0.0 else 1.0 / L0), (0.0 if L1 == 0.0 else 1.0 / L1)
    return scaled(p, u), scaled(q, w), L0, L1


@kernel
def _frame(c, s, project):
    """d²E/K: the coefficients of ρ₀² and ρ₀ρ₁, τ₀² and τ₀τ₁, ν₀² and ν₀ν₁, ρ₀τ₀ and ρ₀τ₁; those of ρ₁τ₁, ρ₁τ₀: less.

    As entries of matrices. Those in ρ₋ and τ₊ are (h, j; j, h), those in ρ₊ and τ₋ (A, B; B, D).
    """
    h, j = 0.0, s
    A, B, D, N = 0.0, s, 2.0 * (2.0 - c), c - 1.0
    if project:
        h, j, N = 0.5 * s, 0.5 * s, 0.0
        A, B, D = positive_part(A, B, D)
    M = c + 1.0
    return (
        0.5 * (A + h),
        0.5 * (A - h),
        0.5 * (D + h),
        0.5 * (h - D),
        0.5 * (N + M),
        0.5 * (N - M),
        0.5 * (B + j),
        0.5 * (j - B),
    )
