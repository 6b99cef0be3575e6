"""SoftVertexTriangleStitch, tetrahedra between a vertex and a triangle of another body (libuipc's constitution 30).

    E = v Ψ,   Ψ = μ/2 (I - 3) - μ (J - 1) + λ/2 (J - 1)²,   J = det F,   I = ‖F‖²,   times dt² in a step

The tetrahedron is (x₀, x₁, x₂, x₃), v its rest volume. Ψ is a stable neo-Hookean energy (Smith, de Goes and Kim 2018,
eq. 9) that is 0 at rest; libuipc adds the constant μ²/λ². With p = λ (J - 1) - μ and the signed singular values s of F

    Ψᵢ = μ sᵢ + p sⱼ s_k,   twists μ + p s_k,   flips μ - p s_k,
    Aᵢᵢ = μ + λ (sⱼ s_k)²,   Aᵢⱼ = λ (sⱼ s_k)(sᵢ s_k) + p s_k   (`isotropic`).

A vertex nearer than d to the plane of the triangle at rest is moved along the normal to the distance d. The order of
the triangle does not matter: it changes neither F nor |v|.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import isotropic
from ipc_articulation.elasticity.deformation import of_tetrahedron, shape_gradients
from ipc_articulation.elasticity.kernel import inlined
from ipc_articulation.elasticity.over_elements import over_elements
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


@inlined
def energy(x, c, arrays):
    """E [J] of x (4, 3) with constants c (15,)."""
    F = arrays[0]
    of_tetrahedron(x, c, F)
    J, square = 0.0, 0.0
    for j in range(3):
        k, m = (j + 1) % 3, (j + 2) % 3
        J += F[0, j] * (F[1, k] * F[2, m] - F[2, k] * F[1, m])
        square += F[0, j] ** 2 + F[1, j] ** 2 + F[2, j] ** 2
    return c[12] * (0.5 * c[13] * (square - 3.0) - c[13] * (J - 1.0) + 0.5 * c[14] * (J - 1.0) ** 2)


@inlined
def write_derivatives(x, c, project, arrays, g, H):
    """Write ∂E/∂x into g (12,) and ∂²E/∂x² into H (12, 12), exact or projected; both are 0 before."""
    isotropic.to_frames(x, c, arrays)
    _, s, _, _, slope, A, twists, flips = arrays
    mu, lam = c[13], c[14]
    p = lam * (s[0] * s[1] * s[2] - 1.0) - mu
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        slope[k] = mu * s[k] + p * s[i] * s[j]
        twists[k], flips[k] = mu + p * s[k], mu - p * s[k]
        A[k, k] = mu + lam * (s[i] * s[j]) ** 2
        A[i, j] = A[j, i] = lam * s[i] * s[j] * s[k] ** 2 + p * s[k]
    isotropic.to_vertices(arrays, c[12], project, g, H)


energies, derivatives, gradients, hessians = over_elements(4, isotropic.scratch, energy, write_derivatives)
