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
from ipc_articulation.elasticity.kernel import inlined
from ipc_articulation.elasticity.over_elements import nothing, over_elements
from ipc_articulation.elasticity.vectors import between, dot
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


@inlined
def energy(x, c, scratch):
    """E [J] of x (2, 3) with constants c (2,)."""
    d = between(x, 0, 1)
    return 0.5 * c[0] * (np.sqrt(dot(d, d)) - c[1]) ** 2


@inlined
def write_derivatives(x, c, project, scratch, g, H):
    """Write ∂E/∂x into g (6,) and ∂²E/∂x² into H (6, 6), exact or projected; both are 0 before."""
    d = between(x, 0, 1)
    length = np.sqrt(dot(d, d))
    if length == 0.0:
        return
    across = c[0] * (1.0 - c[1] / length)
    stiff = max(across, 0.0) if project else across
    along = (c[0] - stiff) / length**2
    for i in range(3):
        g[i], g[3 + i] = -across * d[i], across * d[i]
        for j in range(3):
            h = along * d[i] * d[j] + (stiff if i == j else 0.0)
            H[i, j] = H[3 + i, 3 + j] = h
            H[i, 3 + j] = H[3 + i, j] = -h


energies, derivatives, gradients, hessians = over_elements(2, nothing, energy, write_derivatives)
