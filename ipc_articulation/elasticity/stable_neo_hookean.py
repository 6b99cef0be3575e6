"""StableNeoHookean, rubber-like solids (libuipc's constitution 10).

    E = v Ψ,   Ψ = λ/2 (J - α)² + μ/2 (I - 3) - μ/2 ln(I + 1),   J = det F,   I = ‖F‖²,   α = 1 + 3μ/(4λ)

(Smith, de Goes and Kim 2018, «Stable neo-Hookean flesh simulation», eq. 14). Ψ is defined for every F: flat and
inverted elements have finite energies. At rest Ψ is not 0, but stationary. μ and λ are the paper's; `from_lame`
computes them from Lamé's. With m = μ (1 - 1/(I+1)) and p = λ (J - α)

    ∂Ψ/∂F = m F + p ∂J/∂F,   Ψᵢ = m sᵢ + p sⱼ s_k
    twists m + p s_k,   flips m - p s_k,
    Aᵢᵢ = m + 2μ sᵢ²/(I+1)² + λ (sⱼ s_k)²,   Aᵢⱼ = 2μ sᵢ sⱼ/(I+1)² + λ (sⱼ s_k)(sᵢ s_k) + p s_k.
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


def from_lame(mu: float, lam: float) -> tuple[float, float]:
    """The energy's μ and λ of a material with Lamé's parameters [Pa] (the paper's section 3.4): (4μ/3, λ + 5μ/6)."""
    return 4.0 * mu / 3.0, lam + 5.0 * mu / 6.0


def rest(X: Array, tetrahedra: Ints, mu: Array | float, lam: Array | float) -> Array:
    """Constants of k elements, (k, 15): b, v, μ, λ.

    Args:
        X: (n, 3) rest positions [m].
        tetrahedra: (k, 4) with positive volumes.
        mu: μ of the energy [Pa], one number or (k,).
        lam: λ of the energy [Pa], not 0, likewise.
    """
    b, v = shape_and_volume(X, tetrahedra)
    return np.column_stack([b, v, np.broadcast_to(mu, len(v)), np.broadcast_to(lam, len(v))])


@compiled
def energy(x, c):
    """E [J] of x (4, 3) with constants c (15,)."""
    F, v, mu, lam = deformation_gradient(x, c[:12].reshape(4, 3)), c[12], c[13], c[14]
    square = np.sum(F * F)
    off = _determinant(F) - 1.0 - 0.75 * mu / lam
    return v * (0.5 * lam * off**2 + 0.5 * mu * (square - 3.0) - 0.5 * mu * np.log(square + 1.0))


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (12,)."""
    b = c[:12].reshape(4, 3)
    F, v, mu, lam = deformation_gradient(x, b), c[12], c[13], c[14]
    m = mu * (1.0 - 1.0 / (np.sum(F * F) + 1.0))
    p = lam * (_determinant(F) - 1.0 - 0.75 * mu / lam)
    gradient_to_vertices(m * F + p * _cofactors(F), v, b, g)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (12, 12), exact or projected."""
    b = c[:12].reshape(4, 3)
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(deformation_gradient(x, b), U, s, V)
    A, twists, flips = _eigenvalues(s, c[13], c[14])
    hessian_to_vertices(second_derivative(U, V, A, twists, flips, project), c[12], b, H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _eigenvalues(s, mu, lam):
    """A (3, 3), twists (3,) and flips (3,)."""
    A, twists, flips = np.empty((3, 3)), np.empty(3), np.empty(3)
    more = np.sum(s * s) + 1.0
    m = mu * (1.0 - 1.0 / more)
    p = lam * (s[0] * s[1] * s[2] - 1.0 - 0.75 * mu / lam)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        twists[k], flips[k] = m + p * s[k], m - p * s[k]
        A[k, k] = m + 2.0 * mu * (s[k] / more) ** 2 + lam * (s[i] * s[j]) ** 2
        A[i, j] = 2.0 * mu * s[i] * s[j] / more**2 + lam * s[i] * s[j] * s[k] ** 2 + p * s[k]
        A[j, i] = A[i, j]
    return A, twists, flips


@compiled
def _determinant(F):
    return np.sum(F[:, 0] * np.cross(F[:, 1], F[:, 2]))


@compiled
def _cofactors(F):
    """∂J/∂F."""
    K = np.empty((3, 3))
    for j in range(3):
        K[:, j] = np.cross(F[:, (j + 1) % 3], F[:, (j + 2) % 3])
    return K
