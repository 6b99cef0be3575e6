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
from ipc_articulation.elasticity.deformation import of_triangle
from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.triangle import shape_and_area
from ipc_articulation.elasticity.vectors import dot
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


@kernel
def scratch():
    """F (3, 2), S (2, 2), K = F Fᵀ (3, 3) and ∂²Ψ/∂F² (6, 6)."""
    return np.empty((3, 2)), np.empty((2, 2)), np.empty((3, 3)), np.empty((6, 6))


@inlined
def energy(x, c, arrays):
    """E [J] of x (3, 3) with constants c (9,)."""
    u, v = of_triangle(x, c)
    a, b, mixed = 0.5 * (dot(u, u) - 1.0), 0.5 * (dot(v, v) - 1.0), 0.5 * dot(u, v)
    return c[6] * (c[7] * (a * a + b * b + 2.0 * mixed * mixed) + 0.5 * c[8] * (a + b) ** 2)


@inlined
def write_derivatives(x, c, project, arrays, g, H):
    """Write ∂E/∂x into g (9,) and ∂²E/∂x² into H (9, 9), exact or projected; both are 0 before."""
    F, S, _, C = arrays
    _to_stress(x, c, F, S)
    _second_derivative(arrays, c[7], c[8])
    if project:
        _remove_negative(C)
    for row in range(9):
        v, i = row // 3, row % 3
        for j in range(2):
            g[row] += c[6] * c[2 * v + j] * (F[i, 0] * S[0, j] + F[i, 1] * S[1, j])
        for column in range(row + 1):
            w, k, h = column // 3, column % 3, 0.0
            for j in range(2):
                for m in range(2):
                    h += c[2 * v + j] * C[2 * i + j, 2 * k + m] * c[2 * w + m]
            H[row, column] = H[column, row] = c[6] * h


energies, derivatives, gradients, hessians = over_elements(3, scratch, energy, write_derivatives)


@kernel
def _to_stress(x, c, F, S):
    """Write F, and S = 2μ G + λ tr(G) 1 of the strain G = (FᵀF - 1)/2."""
    u, v = of_triangle(x, c)
    for i in range(3):
        F[i, 0], F[i, 1] = u[i], v[i]
    a, b = 0.5 * (dot(u, u) - 1.0), 0.5 * (dot(v, v) - 1.0)
    S[0, 1] = S[1, 0] = c[7] * dot(u, v)
    S[0, 0], S[1, 1] = 2.0 * c[7] * a + c[8] * (a + b), 2.0 * c[7] * b + c[8] * (a + b)


@kernel
def _second_derivative(arrays, mu, lam):
    """Write ∂²Ψ/∂F², flattened row by row."""
    F, S, K, C = arrays
    for i in range(3):
        for k in range(3):
            K[i, k] = F[i, 0] * F[k, 0] + F[i, 1] * F[k, 1]
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


@kernel
def _remove_negative(C):
    """Replace negative eigenvalues of C (6, 6) by 0; it stays as it is where a number is not finite."""
    if not np.all(np.isfinite(C)):
        return
    values, vectors = np.linalg.eigh(C)
    if values[0] >= 0.0:
        return
    sign = 1.0 if -values[0] > values[-1] else -1.0  # the smaller part is computed: what is kept keeps its digits
    if sign > 0.0:
        C[:] = 0.0
    for e in range(6):
        if sign * values[e] > 0.0:
            for i in range(6):
                for j in range(6):
                    C[i, j] += abs(values[e]) * vectors[i, e] * vectors[j, e]
