"""NeoHookeanShell, the membrane of a shell (libuipc's constitution 11).

    E = 2 r A₀ Ψ,   Ψ = μ/2 (‖F‖² - 2 - 2 ln J) + λ/2 (ln J)²,   J = |F₀ × F₁|

A₀ is the rest area, r the thickness as libuipc stores it: a radius. libuipc writes ‖F‖² as tr(B̄⁻¹ A) and J² as
det(A)/det(B̄), with the metrics A and B̄ of the triangle now and at rest. Ψ is isotropic: with the singular values s of
F = U diag(s) Vᵀ, their left vectors uᵢ, the normal n and L = λ ln J - μ

    Ψᵢ = μ sᵢ + L/sᵢ,   ∂Ψ/∂F = μ F + L F (FᵀF)⁻¹

    twist and flip   (u₀v₁ᵀ ∓ u₁v₀ᵀ)/√2    μ ± L/J
    out of plane     n vᵢᵀ                  μ + L/sᵢ²
    scalings         Σ aᵢ uᵢvᵢᵀ             eigenpairs of Aᵢᵢ = μ + (λ - L)/sᵢ², A₀₁ = λ/J

(Smith, de Goes and Kim 2019, «Analytic eigensystems for isotropic distortion energies», for 3×2 matrices; n vᵢᵀ turns
the triangle, so its eigenvalue is Ψᵢ/sᵢ.) The exact derivatives need no singular values: with f_v = F b_v for the
gradients b_v of `deformation` and g_v = F (FᵀF)⁻¹ b_v

    ∂Ψ/∂x_v = μ f_v + L g_v,   ∂²Ψ/∂x_v∂x_w = μ (b_v·b_w) 1 + λ g_v g_wᵀ + L ((g_v·g_w) n nᵀ - g_w g_vᵀ).

 A triangle without area (J ≤ 1e-100) has the energy inf; its derivatives are
then written as 0. A triangle cannot be inverted: F has no sign in space.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import isotropic
from ipc_articulation.elasticity.deformation import of_triangle
from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.triangle import shape_and_area
from ipc_articulation.elasticity.vectors import cross, dot, mix, scaled

_FLAT = 1e-100  # J of a triangle without area


def rest(X: Array, triangles: Ints, mu: Array | float, lam: Array | float, thickness: Array | float) -> Array:
    """Constants of k elements, (k, 9): b, v = 2 r A₀, μ, λ.

    Args:
        X: (n, 3) rest positions [m].
        triangles: (k, 3).
        mu: Lamé's μ of plane stress [Pa], one number or (k,).
        lam: λ = E ν/(1 - ν²) of plane stress [Pa], likewise.
        thickness: r [m], half of the shell's thickness, likewise.
    """
    b, area = shape_and_area(X, triangles)
    return np.column_stack([b, 2.0 * thickness * area, np.broadcast_to(mu, len(b)), np.broadcast_to(lam, len(b))])


@inlined
def energy(x, c, arrays):
    """E [J] of x (3, 3) with constants c (9,)."""
    u, v = of_triangle(x, c)
    normal = cross(u, v)
    J = np.sqrt(dot(normal, normal))
    if J <= _FLAT:
        return np.inf
    log = np.log(J)
    return c[6] * (0.5 * c[7] * (dot(u, u) + dot(v, v) - 2.0 - 2.0 * log) + 0.5 * c[8] * log**2)


@inlined
def write_derivatives(x, c, project, arrays, g, H):
    """Write ∂E/∂x into g (9,) and ∂²E/∂x² into H (9, 9), exact or projected; both are 0 before."""
    if not project:
        _write_exact(x, c, g, H)
        return
    U, s, V, B, slope, A, twists, flips = arrays
    J = _to_frames(x, c, U, s, V, B)
    if J <= _FLAT:
        return
    mu, lam = c[7], c[8]
    L = lam * np.log(J) - mu
    for i in range(2):
        slope[i] = mu * s[i] + L / s[i]
        A[i, i] = mu + (lam - L) / s[i] ** 2
        twists[1 - i] = flips[1 - i] = mu + L / s[i] ** 2
        A[i, 2] = A[2, i] = 0.0
    slope[2], A[2, 2] = 0.0, 1.0
    twists[2], flips[2] = mu + L / J, mu - L / J
    A[0, 1] = A[1, 0] = lam / J
    isotropic.to_vertices(arrays, c[6], project, g, H)


energies, derivatives, gradients, hessians = over_elements(3, isotropic.scratch, energy, write_derivatives)


@kernel
def _write_exact(x, c, g, H):
    """The exact derivatives, see above."""
    first, second = of_triangle(x, c)
    normal = cross(first, second)
    J = np.sqrt(dot(normal, normal))
    if J <= _FLAT:
        return
    mu, lam = c[6] * c[7], c[6] * c[8]
    L = lam * np.log(J) - mu
    n = scaled(1.0 / J, normal)
    dual = scaled(1.0 / J, cross(second, n)), scaled(1.0 / J, cross(n, first))  # the columns of F (FᵀF)⁻¹
    for v in range(3):
        b, b_next = c[2 * v], c[2 * v + 1]
        f_v, g_v = mix(b, first, b_next, second), mix(b, dual[0], b_next, dual[1])
        for k in range(3):
            g[3 * v + k] = mu * f_v[k] + L * g_v[k]
        for w in range(v + 1):
            g_w, same = mix(c[2 * w], dual[0], c[2 * w + 1], dual[1]), mu * (b * c[2 * w] + b_next * c[2 * w + 1])
            out = L * dot(g_v, g_w)
            for i in range(3):
                for j in range(3):
                    h = lam * g_v[i] * g_w[j] + out * n[i] * n[j] - L * g_w[i] * g_v[j] + (same if i == j else 0.0)
                    H[3 * v + i, 3 * w + j] = H[3 * w + j, 3 * v + i] = h


@inlined
def _to_frames(x, b, U, s, V, B):
    """Fill U (3, 3), whose last column is the normal, s and V, of which two numbers and columns count, and B; J."""
    u, v = of_triangle(x, b)
    normal = cross(u, v)
    J = np.sqrt(dot(normal, normal))
    angle = 0.5 * np.arctan2(2.0 * dot(u, v), dot(u, u) - dot(v, v))  # of the eigenvector of FᵀF with the larger value
    cosine, sine = np.cos(angle), np.sin(angle)
    first = mix(cosine, u, sine, v)
    s[0] = np.sqrt(dot(first, first))
    s[1] = J / s[0]
    second = cross(normal, first)
    for i in range(3):
        U[i, 0], U[i, 1], U[i, 2] = first[i] / s[0], second[i] / (J * s[0]), normal[i] / J
    for vertex in range(3):
        x, y = b[2 * vertex], b[2 * vertex + 1]
        B[vertex, 0], B[vertex, 1], B[vertex, 2] = x * cosine + y * sine, y * cosine - x * sine, 0.0
    return J
