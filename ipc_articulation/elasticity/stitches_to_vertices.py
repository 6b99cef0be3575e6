"""SoftVertexStitch, springs between vertices of two bodies (libuipc's constitution 22).

    E = κ/2 (|x₀ - x₁| - L₀)²,   times dt² in a step

The energy is that of `hookean_spring` with k = κ. With L₀ = 0 it is κ/2 |x₀ - x₁|², which is smooth where the vertices
meet: there the Hessian is κ in all directions. With L₀ > 0 vertices that meet are at the peak of a cone: no force.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity import hookean_spring
from ipc_articulation.elasticity.over_elements import over_elements

energy, gradient = hookean_spring.energy, hookean_spring.gradient


def rest(X: Array, pairs: Ints, kappa: Array | float, rest_length: Array | float = 0.0) -> Array:
    """Constants of k elements, (k, 2): κ [N/m], L₀ [m].

    Args:
        X: (n, 3) positions, not used.
        pairs: (k, 2).
        kappa: κ [N/m], one number or (k,).
        rest_length: L₀ [m], likewise.
    """
    return np.column_stack([np.broadcast_to(kappa, len(pairs)), np.broadcast_to(rest_length, len(pairs))])


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (6, 6), exact or projected."""
    if c[1] != 0.0:
        hookean_spring.hessian(x, c, project, H)
    else:
        H[:] = 0.0
        for i in range(3):
            H[i, i] = H[3 + i, 3 + i] = c[0]
            H[i, 3 + i] = H[3 + i, i] = -c[0]


energies, gradients, hessians = over_elements(energy, gradient, hessian)
