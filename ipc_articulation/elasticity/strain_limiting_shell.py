"""StrainLimitingBaraffWitkinShell, the membrane of cloth (libuipc's constitution 819).

    E = A₀ [λ (h(|F₀|) + h(|F₁|)) + μ (F₀·F₁)²],   h(I) = (I - 1)² + r max(I - 1, 0)³

F₀ and F₁ are the images of the material directions (`triangle`); A₀ is the rest area. The model is that of Huang et al.
2025, «StiffGIPC»: stretch and shear as in Baraff and Witkin 1998, «Large steps in cloth simulation», with a cubic term
that limits strain. With f̂ = F_c/|F_c| (Kim 2020, «A finite element formulation of Baraff-Witkin cloth», by columns)

    ∂Ψ/∂F_c   = λ h' f̂ + 2μ (F₀·F₁) F_d,   d the other column
    ∂²Ψ/∂F_c² = λ [h'' f̂f̂ᵀ + h'/I (1 - f̂f̂ᵀ)] + 2μ F_d F_dᵀ,   ∂²Ψ/∂F₀∂F₁ = 2μ (F₁F₀ᵀ + F₀·F₁).

The projection is of the sum of all parts, in the six numbers of F. Triangles without area have finite energies; where
a column is zero the energy has a kink (the peak of a cone), and there f̂ is taken as 0: this direction's stretch has no
force and no stiffness.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity import positive_part
from ipc_articulation.elasticity.deformation import (
    deformation_gradient,
    gradient_to_vertices,
    hessian_to_vertices,
)
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.triangle import shape_and_area


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


@compiled
def energy(x, c):
    """E [J] of x (3, 3) with constants c (9,)."""
    F = deformation_gradient(x, c[:6].reshape(3, 2))
    E = c[6] * np.sum(F[:, 0] * F[:, 1]) ** 2
    for j in range(2):
        strain = np.sqrt(np.sum(F[:, j] ** 2)) - 1.0
        E += c[7] * (strain**2 + c[8] * max(strain, 0.0) ** 3)
    return E


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (9,)."""
    b = c[:6].reshape(3, 2)
    F = deformation_gradient(x, b)
    P, shear = np.empty((3, 2)), np.sum(F[:, 0] * F[:, 1])
    for j in range(2):
        slope, _, along = _stretch(F[:, j], c[8])
        P[:, j] = c[7] * slope * along + 2.0 * c[6] * shear * F[:, 1 - j]
    gradient_to_vertices(P, 1.0, b, g)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (9, 9), exact or projected."""
    b = c[:6].reshape(3, 2)
    F = deformation_gradient(x, b)
    C = np.zeros((6, 6))
    _add_shear(F, c[6], C)
    for j in range(2):
        _add_stretch(F, j, c[7], c[8], C)
    if project:
        positive_part.project(C)
    hessian_to_vertices(C, 1.0, b, H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _stretch(f, rate):
    """h', h'' and f̂ of a column f (3,) of F; zeros where f is."""
    length = np.sqrt(np.sum(f * f))
    if length == 0.0:
        return 0.0, 0.0, np.zeros(3)
    over = max(length - 1.0, 0.0)
    return 2.0 * (length - 1.0) + 3.0 * rate * over**2, 2.0 + 6.0 * rate * over, f / length


@compiled
def _add_stretch(F, j, lam, rate, C):
    """Add the stretch of column j to ∂²Ψ/∂F² (6, 6), flattened row by row."""
    slope, curve, along = _stretch(F[:, j], rate)
    length = np.sqrt(np.sum(F[:, j] ** 2))
    across = 0.0 if length == 0.0 else slope / length
    for i in range(3):
        C[2 * i + j, 2 * i + j] += lam * across
        for k in range(3):
            C[2 * i + j, 2 * k + j] += lam * (curve - across) * along[i] * along[k]


@compiled
def _add_shear(F, mu, C):
    """Add the shear, μ (F₀·F₁)², to ∂²Ψ/∂F² (6, 6)."""
    shear = np.sum(F[:, 0] * F[:, 1])
    for i in range(3):
        C[2 * i, 2 * i + 1] += 2.0 * mu * shear
        C[2 * i + 1, 2 * i] += 2.0 * mu * shear
        for k in range(3):
            for j in range(2):
                for m in range(2):
                    C[2 * i + j, 2 * k + m] += 2.0 * mu * F[i, 1 - j] * F[k, 1 - m]
