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
the triangle, so its eigenvalue is Ψᵢ/sᵢ.) A triangle without area (J ≤ 1e-100) has the energy inf; its derivatives are
then written as 0. A triangle cannot be inverted: F has no sign in space.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity.deformation import (
    deformation_gradient,
    gradient_to_vertices,
    hessian_to_vertices,
)
from ipc_articulation.elasticity.isotropic_solid import add_eigenmatrix
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.triangle import shape_and_area

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


@compiled
def energy(x, c):
    """E [J] of x (3, 3) with constants c (9,)."""
    F = deformation_gradient(x, c[:6].reshape(3, 2))
    J = np.sqrt(np.sum(np.cross(F[:, 0], F[:, 1]) ** 2))
    if J <= _FLAT:
        return np.inf
    log = np.log(J)
    return c[6] * (0.5 * c[7] * (np.sum(F * F) - 2.0 - 2.0 * log) + 0.5 * c[8] * log**2)


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (9,)."""
    b = c[:6].reshape(3, 2)
    F = deformation_gradient(x, b)
    normal = np.cross(F[:, 0], F[:, 1])
    square = np.sum(normal * normal)
    g[:] = 0.0
    if not np.sqrt(square) <= _FLAT:
        L = c[8] * 0.5 * np.log(square) - c[7]
        P = c[7] * F
        P[:, 0] += L / square * np.cross(F[:, 1], normal)
        P[:, 1] += L / square * np.cross(normal, F[:, 0])
        gradient_to_vertices(P, c[6], b, g)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (9, 9), exact or projected."""
    b = c[:6].reshape(3, 2)
    F = deformation_gradient(x, b)
    U, s, V = _singular_values(F)
    H[:] = 0.0
    if not s[0] * s[1] <= _FLAT:
        hessian_to_vertices(_second_derivative(U, s, V, c[7], c[8], project), c[6], b, H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _singular_values(F):
    """U (3, 3) with the normal as last column, s (2,) and the rotation V (2, 2); s is 0 where there is no area."""
    U, s, V = np.zeros((3, 3)), np.zeros(2), np.empty((2, 2))
    normal = np.cross(F[:, 0], F[:, 1])
    J = np.sqrt(np.sum(normal * normal))
    if J <= _FLAT:
        return U, s, V
    angle = _principal_angle(np.sum(F[:, 0] ** 2), np.sum(F[:, 1] ** 2), np.sum(F[:, 0] * F[:, 1]))
    V[0, 0] = V[1, 1] = np.cos(angle)
    V[1, 0] = np.sin(angle)
    V[0, 1] = -V[1, 0]
    first = F @ V[:, 0].copy()
    s[0] = np.sqrt(np.sum(first * first))
    s[1] = J / s[0]
    U[:, 0], U[:, 2] = first / s[0], normal / J
    U[:, 1] = np.cross(U[:, 2], U[:, 0])
    return U, s, V


@compiled
def _principal_angle(a, d, b):
    """The angle φ at which (cos φ, sin φ) is the eigenvector of ((a, b), (b, d)) with the larger eigenvalue."""
    return 0.5 * np.arctan2(2.0 * b, a - d)


@compiled
def _second_derivative(U, s, V, mu, lam, project):
    """∂²Ψ/∂F² (6, 6)."""
    C, D = np.zeros((6, 6)), np.zeros((3, 2))
    J = s[0] * s[1]
    L = lam * np.log(J) - mu
    for sign in (-1.0, 1.0):
        D[0, 1], D[1, 0] = np.sqrt(0.5), sign * np.sqrt(0.5)
        add_eigenmatrix(U, D, V, mu - sign * L / J, project, C)
    for i in range(2):
        D[:] = 0.0
        D[2, i] = 1.0
        add_eigenmatrix(U, D, V, mu + L / s[i] ** 2, project, C)
    a, d, b = mu + (lam - L) / s[0] ** 2, mu + (lam - L) / s[1] ** 2, lam / J
    angle = _principal_angle(a, d, b)
    for turn in (0.0, 0.5 * np.pi):
        D[:] = 0.0
        D[0, 0], D[1, 1] = np.cos(angle + turn), np.sin(angle + turn)
        value = a * D[0, 0] ** 2 + d * D[1, 1] ** 2 + 2.0 * b * D[0, 0] * D[1, 1]
        add_eigenmatrix(U, D, V, value, project, C)
    return C
