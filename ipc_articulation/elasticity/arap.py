"""ARAP, as rigid as possible, for solids (libuipc's constitution 9; Kim and Eberle 2022, «Dynamic deformables»).

    E = v κ ‖F - R‖² = v κ Σ (sᵢ - 1)²,   F = U diag(s) Vᵀ,   R = U Vᵀ

R is the rotation nearest to F, for reflections too: s₂ has the sign of det F.

    ∂Ψ/∂F = 2κ (F - R),   twists 2κ (1 - 2/(sᵢ+sⱼ)),   flips and scalings 2κ

Inverted elements have finite energies. R jumps where s₁ + s₂ = 0, which an inverted element may cross; the exact
Hessian is infinite there, and is computed with a sum of at least 1e-6.
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
from ipc_articulation.elasticity.isotropic_solid import second_derivative
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.signed_svd import signed_svd
from ipc_articulation.elasticity.tetrahedron import shape_and_volume

_LEAST = 1e-6  # sum of two singular values


def rest(X: Array, tetrahedra: Ints, kappa: Array | float) -> Array:
    """Constants of k elements, (k, 13): b, v κ.

    Args:
        X: (n, 3) rest positions [m].
        tetrahedra: (k, 4) with positive volumes.
        kappa: κ [Pa], one number or (k,).
    """
    b, v = shape_and_volume(X, tetrahedra)
    return np.column_stack([b, v * kappa])


@compiled
def energy(x, c):
    """E [J] of x (4, 3) with constants c (13,)."""
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(deformation_gradient(x, c[:12].reshape(4, 3)), U, s, V)
    return c[12] * np.sum((s - 1.0) ** 2)


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (12,)."""
    b = c[:12].reshape(4, 3)
    F = deformation_gradient(x, b)
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(F, U, s, V)
    gradient_to_vertices(F - U @ V.T, 2.0 * c[12], b, g)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (12, 12), exact or projected."""
    b = c[:12].reshape(4, 3)
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(deformation_gradient(x, b), U, s, V)
    twists, flips = np.empty(3), np.ones(3)
    for k in range(3):
        twists[k] = 1.0 - 2.0 / max(s[(k + 1) % 3] + s[(k + 2) % 3], _LEAST)
    hessian_to_vertices(second_derivative(U, V, np.eye(3), twists, flips, project), 2.0 * c[12], b, H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)
