"""The deformation gradient of a linear element, and derivatives carried from it to the vertices.

    F = Σᵥ xᵥ bᵥᵀ,   bᵥ the gradient of vertex v's shape function in the rest shape,

is linear in the vertices x: 3×3 for tetrahedra (libuipc's D_s D_m⁻¹), 3×2 for triangles. A matrix of F's shape is
flattened row by row. With P = ∂Ψ/∂F and the second derivatives C = ∂²Ψ/∂F²

    ∂Ψ/∂xᵥ = P bᵥ,   ∂²Ψ/∂xᵥ∂x_w = Σ_jl b_vj C_(·j)(·l) b_wl.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled


def shape_gradients(D: Array) -> Array:
    """The bᵥ, (k, d + 1, d) [1/m], of elements whose rest shape has the edges D (k, d, d) as columns, from vertex 0."""
    others = np.linalg.inv(D)
    return np.concatenate([-others.sum(axis=1, keepdims=True), others], axis=1)


@compiled
def deformation_gradient(x, b):
    """F (3, d) of vertices x (v, 3) with shape gradients b (v, d)."""
    F = np.zeros((3, b.shape[1]))
    for v in range(len(b)):
        for i in range(3):
            for j in range(b.shape[1]):
                F[i, j] += x[v, i] * b[v, j]
    return F


@compiled
def gradient_to_vertices(P, scale, b, g):
    """Write scale · ∂Ψ/∂x into g (3v,): P (3, d)."""
    for v in range(len(b)):
        for i in range(3):
            s = 0.0
            for j in range(b.shape[1]):
                s += P[i, j] * b[v, j]
            g[3 * v + i] = scale * s


@compiled
def hessian_to_vertices(C, scale, b, H):
    """Write scale · ∂²Ψ/∂x² into H (3v, 3v): C (3d, 3d)."""
    vertices, d = b.shape
    half = np.empty((3 * d, 3 * vertices))  # ∂P/∂x
    for row in range(3 * d):
        for w in range(vertices):
            for k in range(3):
                s = 0.0
                for m in range(d):
                    s += C[row, d * k + m] * b[w, m]
                half[row, 3 * w + k] = scale * s
    for v in range(vertices):
        for i in range(3):
            for column in range(3 * vertices):
                s = 0.0
                for j in range(d):
                    s += b[v, j] * half[d * i + j, column]
                H[3 * v + i, column] = s
