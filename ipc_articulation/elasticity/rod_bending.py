"""KirchhoffRodBending, the bending of rods at their vertices (libuipc's constitution 15).

    E = α |κ|²/L₀,   κ = 2 u×w/(|u||w| + u·w),   α = k π r⁴/4,   L₀ = L̄₀ + L̄₁

u = x₁ - x₀ and w = x₂ - x₁ are the edges, L₀ the sum of their rest lengths, k Young's modulus and r the radius, so α
is the rod's E I (Li, Kaufman and Jiang 2021, «Codimensional incremental potential contact», section 8). The rod is
straight at rest, whatever its rest positions. With the turn φ between the edges, |κ| = 2 tan(φ/2) (Bergou et al. 2008,
«Discrete elastic rods»). With a = u/|u|, b = w/|w| and c = a·b

    E = W f(c),   W = 4α/L₀,   f = (1-c)/(1+c) = |a-b|²/|a+b|²,   f' = -2/(1+c)²,   f'' = 4/(1+c)³
    ∂c/∂u = (b - c a)/|u|,   ∂²c/∂u∂w = (1-aaᵀ)(1-bbᵀ)/(|u||w|)
    ∂²c/∂u² = -[(b-ca) aᵀ + a (b-ca)ᵀ + c (1-aaᵀ)]/|u|²,   and so with w.

The projection is by an eigenvalue decomposition in the six numbers (u, w). A rod folded by 180° has the energy inf;
its derivatives are then written as 0. Edges without length have no direction: no energy, no derivatives.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity import positive_part
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.errors import MeshError


def rest(X: Array, corners: Ints, stiffness: Array | float, radius: Array | float) -> Array:
    """Constants of k elements, (k, 1): W = 4α/L₀ [J].

    Args:
        X: (n, 3) rest positions [m].
        corners: (k, 3) consecutive vertices.
        stiffness: k [Pa], one number or (k,).
        radius: r [m], libuipc's thickness of the middle vertex, likewise.

    Raises:
        MeshError: A corner has no length.
    """
    length = np.sum(np.linalg.norm(np.diff(X[corners], axis=1), axis=2), axis=1)
    if not np.all(length > 0.0):
        raise MeshError(f"corner {int(np.argmin(length > 0.0))} of a rod has no length at rest")
    return (np.pi * stiffness * np.power(radius, 4) / length)[:, None]


@compiled
def energy(x, c):
    """E [J] of x (3, 3) with constants c (1,)."""
    a, b, lengths = _directions(x)
    if lengths[0] == 0.0 or lengths[1] == 0.0:
        return 0.0
    sum_square = np.sum((a + b) ** 2)
    return np.inf if sum_square == 0.0 else c[0] * np.sum((a - b) ** 2) / sum_square


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (9,)."""
    a, b, lengths = _directions(x)
    more = 0.5 * np.sum((a + b) ** 2)  # 1 + c
    g[:] = 0.0
    if lengths[0] != 0.0 and lengths[1] != 0.0 and more != 0.0:
        cosine = np.sum(a * b)
        slope = -2.0 * c[0] / more**2
        g[:3] = -slope * (b - cosine * a) / lengths[0]
        g[6:] = slope * (a - cosine * b) / lengths[1]
        g[3:6] = -g[:3] - g[6:]


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (9, 9), exact or projected."""
    a, b, lengths = _directions(x)
    more = 0.5 * np.sum((a + b) ** 2)
    H[:] = 0.0
    if lengths[0] != 0.0 and lengths[1] != 0.0 and more != 0.0:
        K = _cosine_hessian(a, b, lengths)
        K *= -2.0 * c[0] / more**2
        positive_part.add_mode(4.0 * c[0] / more**3, _cosine_gradient(a, b, lengths), K)
        if project:
            positive_part.project(K)
        _to_vertices(K, H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _directions(x):
    """a, b (3,) and the lengths of the edges (2,); a direction is 0 where the length is."""
    u, w, lengths = x[1] - x[0], x[2] - x[1], np.empty(2)
    lengths[0], lengths[1] = np.sqrt(np.sum(u * u)), np.sqrt(np.sum(w * w))
    return _direction(u, lengths[0]), _direction(w, lengths[1]), lengths


@compiled
def _direction(edge, length):
    return np.zeros(3) if length == 0.0 else edge / length


@compiled
def _cosine_gradient(a, b, lengths):
    """∂c/∂(u, w) (6,)."""
    g, cosine = np.empty(6), np.sum(a * b)
    g[:3] = (b - cosine * a) / lengths[0]
    g[3:] = (a - cosine * b) / lengths[1]
    return g


@compiled
def _cosine_hessian(a, b, lengths):
    """∂²c/∂(u, w)² (6, 6)."""
    K, cosine = np.empty((6, 6)), np.sum(a * b)
    for first, (d, other) in enumerate(((a, b), (b, a))):
        normal = other - cosine * d
        for i in range(3):
            for j in range(3):
                k = normal[i] * d[j] + d[i] * normal[j] + cosine * ((i == j) - d[i] * d[j])
                K[3 * first + i, 3 * first + j] = -k / lengths[first] ** 2
    for i in range(3):
        for j in range(3):
            k = (i == j) - a[i] * a[j] - b[i] * b[j] + cosine * a[i] * b[j]
            K[i, 3 + j] = K[3 + j, i] = k / (lengths[0] * lengths[1])
    return K


@compiled
def _to_vertices(K, H):
    """Write the Hessian in x (9, 9): u = x₁ - x₀, w = x₂ - x₁."""
    for i in range(3):
        for j in range(3):
            uu, uw, wu, ww = K[i, j], K[i, 3 + j], K[3 + i, j], K[3 + i, 3 + j]
            H[i, j], H[i, 3 + j], H[i, 6 + j] = uu, uw - uu, -uw
            H[3 + i, j], H[3 + i, 3 + j], H[3 + i, 6 + j] = wu - uu, uu - uw - wu + ww, uw - ww
            H[6 + i, j], H[6 + i, 3 + j], H[6 + i, 6 + j] = -wu, wu - ww, ww
