"""SoftVertexEdgeStitch, triangles between a vertex of one body and an edge of another (libuipc's constitution 29).

    E = 2 r A₀ Ψ,   Ψ = μ tr(G²) + λ/2 (tr G)²,   G = (FᵀF - 1)/2,   times dt² in a step

St. Venant and Kirchhoff's membrane: G is Green's strain of the triangle (x₀, x₁, x₂), A₀ its rest area and r half of
its thickness. Ψ is a polynomial, finite for flat triangles. With S = 2μ G + λ (tr G) 1

    ∂Ψ/∂F = F S,   ∂²Ψ/∂F_ij∂F_km = δ_ik S_jm + μ (F_im F_kj + (FFᵀ)_ik δ_jm) + λ F_ij F_km.

A vertex nearer than d to the edge at rest is moved away from its nearest point on the edge, to the distance d. The
projection is by an eigenvalue decomposition in the six numbers of F.
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
from ipc_articulation.errors import MeshError

_NONE = 1e-12  # length [m] of an edge, and distance of a vertex, that counts as none: libuipc's


def rest(
    X: Array, triangles: Ints, mu: Array | float, lam: Array | float, thickness: Array | float, least: Array | float
) -> Array:
    """Constants of k elements, (k, 9): b, v = 2 r A₀, μ, λ.

    Args:
        X: (n, 3) rest positions [m].
        triangles: (k, 3): the vertex, then the edge.
        mu: μ [Pa], one number or (k,).
        lam: λ [Pa], likewise.
        thickness: r [m], half of the thickness, likewise.
        least: d [m], the least distance of the vertex from the edge at rest, likewise.

    Raises:
        MeshError: An edge has no length, or a triangle no area.
    """
    apart = X[triangles]
    apart[:, 0] = _moved_away(apart, least)
    b, area = shape_and_area(apart.reshape(-1, 3), np.arange(3 * len(apart)).reshape(-1, 3))
    return np.column_stack([b, 2.0 * thickness * area, np.broadcast_to(mu, len(b)), np.broadcast_to(lam, len(b))])


def _moved_away(X: Array, least: Array | float) -> Array:
    """The vertices X₀ of triangles X (k, 3, 3), those nearer than `least` to the edge moved to that distance."""
    edge = X[:, 2] - X[:, 1]
    length = np.linalg.norm(edge, axis=1)
    if np.any(length < _NONE):
        raise MeshError(f"the edge of stitch {int(np.argmax(length < _NONE))} has no length")
    along = edge / length[:, None]
    share = np.clip(np.sum(along * (X[:, 0] - X[:, 1]), axis=1), 0.0, length)
    nearest = X[:, 1] + share[:, None] * along
    away = X[:, 0] - nearest
    distance = np.linalg.norm(away, axis=1)
    axis = np.where((np.abs(along[:, :1]) < 0.9), [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    normal = np.where(distance[:, None] < _NONE, np.cross(along, axis), away)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    is_near = distance < least
    return np.where(is_near[:, None], nearest + np.multiply(least, normal.T).T, X[:, 0])


@compiled
def energy(x, c):
    """E [J] of x (3, 3) with constants c (9,)."""
    G = _strain(deformation_gradient(x, c[:6].reshape(3, 2)))
    return c[6] * (c[7] * np.sum(G * G) + 0.5 * c[8] * (G[0, 0] + G[1, 1]) ** 2)


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (9,)."""
    b = c[:6].reshape(3, 2)
    F = deformation_gradient(x, b)
    gradient_to_vertices(F @ _stress(F, c[7], c[8]), c[6], b, g)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (9, 9), exact or projected."""
    b = c[:6].reshape(3, 2)
    C = _second_derivative(deformation_gradient(x, b), c[7], c[8])
    if project:
        positive_part.project(C)
    hessian_to_vertices(C, c[6], b, H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _strain(F):
    return 0.5 * (F.T @ F - np.eye(2))


@compiled
def _stress(F, mu, lam):
    G = _strain(F)
    return 2.0 * mu * G + lam * (G[0, 0] + G[1, 1]) * np.eye(2)


@compiled
def _second_derivative(F, mu, lam):
    """∂²Ψ/∂F² (6, 6), flattened row by row."""
    C, S, K = np.empty((6, 6)), _stress(F, mu, lam), F @ F.T
    for i in range(3):
        for j in range(2):
            for k in range(3):
                for m in range(2):
                    value = mu * F[i, m] * F[k, j] + lam * F[i, j] * F[k, m]
                    if i == k:
                        value += S[j, m]
                    if j == m:
                        value += mu * K[i, k]
                    C[2 * i + j, 2 * k + m] = value
    return C
