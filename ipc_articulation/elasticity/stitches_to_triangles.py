"""SoftVertexTriangleStitch, tetrahedra between a vertex and a triangle of another body (libuipc's constitution 30).

    E = v Ψ,   Ψ = μ/2 (I - 3) - μ (J - 1) + λ/2 (J - 1)²,   J = det F,   I = ‖F‖²,   times dt² in a step

The tetrahedron is (x₀, x₁, x₂, x₃), v its rest volume. Ψ is a stable neo-Hookean energy (Smith, de Goes and Kim 2018,
eq. 9) that is 0 at rest; libuipc adds the constant μ²/λ². With p = λ (J - 1) - μ and the signed singular values s of F

    Ψᵢ = μ sᵢ + p sⱼ s_k,   twists μ + p s_k,   flips μ - p s_k,
    Aᵢᵢ = μ + λ (sⱼ s_k)²,   Aᵢⱼ = λ (sⱼ s_k)(sᵢ s_k) + p s_k   (`isotropic_solid`).

A vertex nearer than d to the plane of the triangle at rest is moved along the normal to the distance d. The order of
the triangle does not matter: it changes neither F nor |v|.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity.deformation import (
    deformation_gradient,
    gradient_to_vertices,
    hessian_to_vertices,
    shape_gradients,
)
from ipc_articulation.elasticity.isotropic_solid import second_derivative
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.signed_svd import signed_svd
from ipc_articulation.errors import MeshError

_NONE = 1e-12  # twice the area [m²] of a triangle that counts as none: libuipc's


def rest(X: Array, tetrahedra: Ints, mu: Array | float, lam: Array | float, least: Array | float) -> Array:
    """Constants of k elements, (k, 15): b, v, μ, λ.

    Args:
        X: (n, 3) rest positions [m].
        tetrahedra: (k, 4): the vertex, then the triangle.
        mu: μ [Pa], one number or (k,).
        lam: λ [Pa], likewise.
        least: d [m], the least distance of the vertex from the plane of the triangle at rest, likewise.

    Raises:
        MeshError: A triangle has no area, or a tetrahedron no volume.
    """
    apart = X[tetrahedra]
    apart[:, 0] = _moved_away(apart, least)
    D = np.swapaxes(apart[:, 1:] - apart[:, :1], 1, 2)
    v = np.abs(np.linalg.det(D)) / 6.0
    if not np.all(v > 0.0):
        k = int(np.argmin(v > 0.0))
        raise MeshError(f"the vertex of stitch {k} is in the plane of its triangle; the least distance must not be 0")
    b = shape_gradients(D).reshape(-1, 12)
    return np.column_stack([b, v, np.broadcast_to(mu, len(v)), np.broadcast_to(lam, len(v))])


def _moved_away(X: Array, least: Array | float) -> Array:
    """The vertices X₀ of tetrahedra X (k, 4, 3), those nearer than `least` to the plane moved to that distance."""
    normal = np.cross(X[:, 2] - X[:, 1], X[:, 3] - X[:, 1])
    size = np.linalg.norm(normal, axis=1)
    if np.any(size < _NONE):
        raise MeshError(f"the triangle of stitch {int(np.argmax(size < _NONE))} has no area")
    normal /= size[:, None]
    height = np.sum(normal * (X[:, 0] - X[:, 1]), axis=1)
    wanted = np.where(height >= 0.0, least, np.negative(least))
    return np.where((np.abs(height) < least)[:, None], X[:, 0] + (wanted - height)[:, None] * normal, X[:, 0])


@compiled
def energy(x, c):
    """E [J] of x (4, 3) with constants c (15,)."""
    F = deformation_gradient(x, c[:12].reshape(4, 3))
    off = np.sum(F[:, 0] * np.cross(F[:, 1], F[:, 2])) - 1.0
    return c[12] * (0.5 * c[13] * (np.sum(F * F) - 3.0) - c[13] * off + 0.5 * c[14] * off**2)


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (12,)."""
    b = c[:12].reshape(4, 3)
    U, s, V, p = _parts(deformation_gradient(x, b), c[13], c[14])
    for i in range(3):
        slope = c[13] * s[i] + p * s[(i + 1) % 3] * s[(i + 2) % 3]
        for row in range(3):
            U[row, i] *= slope
    gradient_to_vertices(U @ V.T, c[12], b, g)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (12, 12), exact or projected."""
    b = c[:12].reshape(4, 3)
    mu, lam = c[13], c[14]
    U, s, V, p = _parts(deformation_gradient(x, b), mu, lam)
    A, twists, flips = np.empty((3, 3)), np.empty(3), np.empty(3)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        twists[k], flips[k] = mu + p * s[k], mu - p * s[k]
        A[k, k] = mu + lam * (s[i] * s[j]) ** 2
        A[i, j] = A[j, i] = lam * s[i] * s[j] * s[k] ** 2 + p * s[k]
    hessian_to_vertices(second_derivative(U, V, A, twists, flips, project), c[12], b, H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _parts(F, mu, lam):
    """U, s, V of F, and p."""
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(F, U, s, V)
    return U, s, V, lam * (s[0] * s[1] * s[2] - 1.0) - mu
