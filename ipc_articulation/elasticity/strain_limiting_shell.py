"""StrainLimitingBaraffWitkinShell, the membrane of cloth (libuipc's constitution 819).

    E = A₀ [λ (h(|F₀|) + h(|F₁|)) + μ (F₀·F₁)²],   h(I) = (I - 1)² + r max(I - 1, 0)³

F₀ and F₁ are the images of the material directions (`triangle`); A₀ is the rest area. The model is that of Huang et al.
2025, «StiffGIPC»: stretch and shear as in Baraff and Witkin 1998, «Large steps in cloth simulation», with a cubic term
that limits strain. With f̂ = F_c/|F_c| (Kim 2020, «A finite element formulation of Baraff-Witkin cloth», by columns)

    ∂Ψ/∂F_c   = λ h' f̂ + 2μ (F₀·F₁) F_d,   d the other column
    ∂²Ψ/∂F_c² = λ [h'' f̂f̂ᵀ + h'/|F_c| (1 - f̂f̂ᵀ)] + 2μ F_d F_dᵀ,   ∂²Ψ/∂F₀∂F₁ = 2μ (F₁F₀ᵀ + F₀·F₁).

With the normal n and t_c = n × f̂_c these are two matrices: N (2×2) along n, and G (4×4) in the plane, along f̂₀, f̂₁, t₀,
t₁. With k_c = λ h'/|F_c|, S = 2μ F₀·F₁, the angle φ between the columns, and the shear along those four,
z = (|F₁| cos φ, |F₀| cos φ, |F₁| sin φ, -|F₀| sin φ)

    N = (k₀, S; S, k₁)
    G = diag(λh₀'', λh₁'', k₀, k₁) + 2μ zzᵀ + S (what f̂₀ and t₀ have of f̂₁ and t₁: cos φ, -sin φ; sin φ, cos φ).

The projection takes the positive part of N, and in G that of the Schur complement of f̂₀ and f̂₁, so it adds only along
t₀ and t₁. Where the block of f̂₀ and f̂₁ is not positive itself, which strong shear can do, |S| is added to G's diagonal
before: the part S (...) is not below -|S|. What is projected is not below the exact matrix, and is the same where that
is semidefinite.

Triangles without area have finite energies; where a column is zero the energy has a kink (the peak of a cone): this
direction's stretch has no force and no stiffness there.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity.deformation import of_triangle
from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.positive_part import positive_part
from ipc_articulation.elasticity.triangle import shape_and_area
from ipc_articulation.elasticity.vectors import cross, dot, mix, scaled, unit_normal


def rest(X: Array, triangles: Ints, mu: Array | float, lam: Array | float, rate: Array | float = 100.0) -> Array:
    """Constants of k elements, (k, 9): b, A₀ μ, A₀ λ, r.

    Args:
        X: (n, 3) rest positions [m].
        triangles: (k, 3).
        mu: Stiffness μ against shear [N/m], one number or (k,).
        lam: Stiffness λ against stretch [N/m], likewise.
        rate: r, likewise.
    """
    b, area = shape_and_area(X, triangles)
    return np.column_stack([b, area * mu, area * lam, np.broadcast_to(rate, len(b))])


@kernel
def _scratch():
    """∂²Ψ/∂F_j∂F_l, (2, 2, 3, 3)."""
    return np.empty((2, 2, 3, 3))


@inlined
def energy(x, c, scratch):
    """E [J] of x (3, 3) with constants c (9,)."""
    u, v = of_triangle(x, c)
    return c[6] * dot(u, v) ** 2 + c[7] * (_stretch(dot(u, u), c[8]) + _stretch(dot(v, v), c[8]))


@inlined
def write_derivatives(x, c, project, C, g, H):
    """Write ∂E/∂x into g (9,) and ∂²E/∂x² into H (9, 9), exact or projected."""
    u, v = of_triangle(x, c)
    shear = 2.0 * c[6] * dot(u, v)
    L0, f, slope0, curve0, k0 = _slopes(u, c[7], c[8])
    L1, h, slope1, curve1, k1 = _slopes(v, c[7], c[8])
    _second_derivative(f, h, L0, L1, (curve0, k0, curve1, k1), c[6], shear, project, C)
    P, Q = mix(slope0, f, shear, v), mix(slope1, h, shear, u)
    for i in range(3):
        for m in range(3):
            g[3 * m + i] = P[i] * c[2 * m] + Q[i] * c[2 * m + 1]
    for m in range(3):
        for n in range(m + 1):
            for i in range(3):
                for k in range(3):
                    first = C[0, 0, i, k] * c[2 * n] + C[0, 1, i, k] * c[2 * n + 1]
                    second = C[0, 1, k, i] * c[2 * n] + C[1, 1, i, k] * c[2 * n + 1]
                    H[3 * m + i, 3 * n + k] = H[3 * n + k, 3 * m + i] = c[2 * m] * first + c[2 * m + 1] * second


energies, derivatives, gradients, hessians = over_elements(3, _scratch, energy, write_derivatives)


@kernel
def _stretch(square, rate):
    """h of a column of length √square."""
    strain = np.sqrt(square) - 1.0
    return strain**2 + rate * max(strain, 0.0) ** 3


@kernel
def _slopes(u, lam, rate):
    """|F_c|, f̂, λ h', λ h'' and λ h'/|F_c| of a column u of F; where u is 0, any f̂ and zeros."""
    length = np.sqrt(dot(u, u))
    if length == 0.0:
        return 0.0, (1.0, 0.0, 0.0), 0.0, 0.0, 0.0
    over = max(length - 1.0, 0.0)
    slope = lam * (2.0 * (length - 1.0) + 3.0 * rate * over**2)
    return length, scaled(1.0 / length, u), slope, lam * (2.0 + 6.0 * rate * over), slope / length


@inlined
def _second_derivative(f, h, L0, L1, stretch, mu, shear, project, C):
    """Write C₀₀, C₀₁ and C₁₁: f = f̂₀, h = f̂₁, stretch λh₀'', k₀, λh₁'', k₁, shear S; project: its positive part.

    G is (a, b; b, d) for f̂₀ and f̂₁, (A, B; B, D) for t₀ and t₁, and (p, r; q, s) of the former with the latter.
    """
    curve0, k0, curve1, k1 = stretch
    n, sine = unit_normal(f, h)
    cosine = dot(f, h)
    z0, z1, z2, z3 = L1 * cosine, L1 * sine, L0 * cosine, -L0 * sine
    a, b, d = curve0 + 2.0 * mu * z0 * z0, 2.0 * mu * z0 * z2 + shear * cosine, curve1 + 2.0 * mu * z2 * z2
    p, q = 2.0 * mu * z0 * z1, 2.0 * mu * z2 * z1 + shear * sine
    r, s = 2.0 * mu * z0 * z3 - shear * sine, 2.0 * mu * z2 * z3
    A, B, D = k0 + 2.0 * mu * z1 * z1, 2.0 * mu * z1 * z3 + shear * cosine, k1 + 2.0 * mu * z3 * z3
    n0, n1, n2 = k0, shear, k1
    if project:
        n0, n1, n2 = positive_part(n0, n1, n2)
        a, d, A, B, D = _positive_plane(a, b, d, p, q, r, s, A, B, D, abs(shear))
    t, w = cross(n, f), cross(n, h)
    for i in range(3):
        for k in range(3):
            N = n[i] * n[k]
            C[0, 0, i, k] = a * f[i] * f[k] + p * (f[i] * t[k] + t[i] * f[k]) + A * t[i] * t[k] + n0 * N
            C[1, 1, i, k] = d * h[i] * h[k] + s * (h[i] * w[k] + w[i] * h[k]) + D * w[i] * w[k] + n2 * N
            C[0, 1, i, k] = b * f[i] * h[k] + r * f[i] * w[k] + q * t[i] * h[k] + B * t[i] * w[k] + n1 * N


@kernel
def _positive_plane(a, b, d, p, q, r, s, A, B, D, more):
    """a, d, A, B and D of a semidefinite G; more is |S|."""
    if not a * d - b * b > 0.0:
        a, d, A, D = a + more, d + more, A + more, D + more
    over = 1.0 / (a * d - b * b) if a * d - b * b > 0.0 else 0.0
    x = over * (d * p * p - 2.0 * b * p * q + a * q * q)
    y = over * (d * p * r - b * (p * s + q * r) + a * q * s)
    z = over * (d * r * r - 2.0 * b * r * s + a * s * s)
    A, B, D = positive_part(A - x, B - y, D - z)
    return a, d, A + x, B + y, D + z
