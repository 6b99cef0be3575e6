"""HookeanSpring, the stretch of rods (libuipc's constitution 12).

    E = π r² L₀ · κ/2 ((L - L₀)/L₀)² = k/2 (L - L₀)²,   L = |d|,   d = x₁ - x₀,   k = κ π r²/L₀

κ is Young's modulus, r the radius. With d̂ = d/L

    ∂E/∂x₁ = k (L - L₀) d̂,   ∂²E/∂x₁² = k [d̂d̂ᵀ + (1 - L₀/L)(1 - d̂d̂ᵀ)]:

eigenvalues k along and k (1 - L₀/L) across the spring, so the projection drops the latter where the spring is
compressed. A spring of length 0 is at the peak of a cone; it has no direction, so no force and no stiffness.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.errors import MeshError


def rest(X: Array, edges: Ints, kappa: Array | float, radius: Array | float) -> Array:
    """Constants of k elements, (k, 2): k [N/m], L₀ [m].

    Args:
        X: (n, 3) rest positions [m].
        edges: (k, 2).
        kappa: κ [Pa], one number or (k,).
        radius: r [m], libuipc's thickness, likewise.

    Raises:
        MeshError: An edge has no length.
    """
    length = np.linalg.norm(X[edges[:, 1]] - X[edges[:, 0]], axis=1)
    if not np.all(length > 0.0):
        raise MeshError(f"edge {int(np.argmin(length > 0.0))} has no length at rest")
    return np.column_stack([kappa * np.pi * np.square(radius) / length, length])


@compiled
def energy(x, c):
    """E [J] of x (2, 3) with constants c (2,)."""
    return 0.5 * c[0] * (_length(x) - c[1]) ** 2


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (6,)."""
    length = _length(x)
    g[:] = 0.0
    if length != 0.0:
        g[3:] = c[0] * (1.0 - c[1] / length) * (x[1] - x[0])
        g[:3] = -g[3:]


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (6, 6), exact or projected."""
    length = _length(x)
    H[:] = 0.0
    if length != 0.0:
        along = (x[1] - x[0]) / length
        across = 1.0 - c[1] / length
        if project:
            across = max(across, 0.0)
        for i in range(3):
            for j in range(3):
                h = c[0] * ((1.0 - across) * along[i] * along[j] + across * (i == j))
                H[i, j] = H[3 + i, 3 + j] = h
                H[i, 3 + j] = H[3 + i, j] = -h


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _length(x):
    return np.sqrt(np.sum((x[1] - x[0]) ** 2))
