"""The deformation gradient of a linear element, and derivatives carried from it to the vertices.

    F = Σᵥ xᵥ bᵥᵀ = Σ_{v>0} (xᵥ - x₀) bᵥᵀ,   bᵥ the gradient of vertex v's shape function in the rest shape,

is linear in the vertices x: 3×3 for tetrahedra (libuipc's D_s D_m⁻¹), 3×2 for triangles. With P = ∂Ψ/∂F and the second
derivatives C_jl = ∂²Ψ/∂F_j∂F_l (3×3) in the columns of F

    ∂Ψ/∂xᵥ = P bᵥ,   ∂²Ψ/∂xᵥ∂x_w = Σ_jl b_vj C_jl b_wl.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.elasticity.kernel import inlined


def shape_gradients(D: Array) -> Array:
    """The bᵥ, (k, d + 1, d) [1/m], of elements whose rest shape has the edges D (k, d, d) as columns, from vertex 0."""
    others = np.linalg.inv(D)
    return np.concatenate([-others.sum(axis=1, keepdims=True), others], axis=1)


@inlined
def of_tetrahedron(x, b, F):
    """Write the F (3, 3) of vertices x (4, 3) with shape gradients b (12, or more)."""
    for i in range(3):
        u, v, w = x[1, i] - x[0, i], x[2, i] - x[0, i], x[3, i] - x[0, i]
        for j in range(3):
            F[i, j] = u * b[3 + j] + v * b[6 + j] + w * b[9 + j]


@inlined
def of_triangle(x, b):
    """The columns of F (3, 2) of vertices x (3, 3) with shape gradients b (6, or more)."""
    ux, uy, uz = x[1, 0] - x[0, 0], x[1, 1] - x[0, 1], x[1, 2] - x[0, 2]
    vx, vy, vz = x[2, 0] - x[0, 0], x[2, 1] - x[0, 1], x[2, 2] - x[0, 2]
    return (
        (ux * b[2] + vx * b[4], uy * b[2] + vy * b[4], uz * b[2] + vz * b[4]),
        (ux * b[3] + vx * b[5], uy * b[3] + vy * b[5], uz * b[3] + vz * b[5]),
    )
