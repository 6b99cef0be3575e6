"""SoftVertexStitch, springs between vertices of two bodies (libuipc's constitution 22).

    E = κ/2 (|x₀ - x₁| - L₀)²,   times dt² in a step

The energy is that of `hookean_spring` with k = κ. With L₀ = 0 it is κ/2 |x₀ - x₁|², which is smooth where the vertices
meet: there the Hessian is κ in all directions. With L₀ > 0 vertices that meet are at the peak of a cone: no force.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import hookean_spring
from ipc_articulation.elasticity.kernel import inlined
from ipc_articulation.elasticity.over_elements import nothing, over_elements

energy = hookean_spring.energy


def rest(X: Array, pairs: Ints, kappa: Array | float, rest_length: Array | float = 0.0) -> Array:
    """Constants of k elements, (k, 2): κ [N/m], L₀ [m].

    Args:
        X: (n, 3) positions, not used.
        pairs: (k, 2).
        kappa: κ [N/m], one number or (k,).
        rest_length: L₀ [m], likewise.
    """
    return np.column_stack([np.broadcast_to(kappa, len(pairs)), np.broadcast_to(rest_length, len(pairs))])


@inlined
def write_derivatives(x, c, project, scratch, g, H):
    """Write ∂E/∂x into g (6,) and ∂²E/∂x² into H (6, 6), exact or projected; both are 0 before."""
    if c[1] != 0.0:
        hookean_spring.write_derivatives(x, c, project, scratch, g, H)
    else:
        for i in range(3):
            g[i], g[3 + i] = c[0] * (x[0, i] - x[1, i]), c[0] * (x[1, i] - x[0, i])
            H[i, i] = H[3 + i, 3 + i] = c[0]
            H[i, 3 + i] = H[3 + i, i] = -c[0]


energies, derivatives, gradients, hessians = over_elements(2, nothing, energy, write_derivatives)
