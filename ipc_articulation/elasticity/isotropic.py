"""Derivatives of isotropic energies of the deformation gradient, in the frames of its singular values.

An isotropic Ψ(F) is a symmetric function of the signed singular values s of F = U diag(s) Vᵀ. In the frames U and V a
change dF is D = Uᵀ dF V. With Ψᵢ = ∂Ψ/∂sᵢ, A = ∂²Ψ/∂s² and, for each pair (i, j), the eigenvalues of its twist
(Dᵢⱼ = -Dⱼᵢ) and of its flip (Dᵢⱼ = Dⱼᵢ) (Smith, de Goes and Kim 2019, «Analytic eigensystems for isotropic distortion
energies», section 4)

    dΨ = Σ Ψᵢ Dᵢᵢ,   d²Ψ = Σ Aᵢⱼ Dᵢᵢ Dⱼⱼ + Σ_{i<j} [p (Dᵢⱼ² + Dⱼᵢ²) + 2 q Dᵢⱼ Dⱼᵢ]
    twist p - q = (Ψᵢ + Ψⱼ)/(sᵢ + sⱼ),   flip p + q = (Ψᵢ - Ψⱼ)/(sᵢ - sⱼ).

Each energy gives twists and flips in a form without the division, which is safe where singular values are equal. The
projection replaces those that are negative, and the negative eigenvalues of A, by 0. With B_v = Vᵀ b_v (`deformation`)

    ∂Ψ/∂x_v = U (Ψᵢ B_vi)ᵢ,   ∂²Ψ/∂x_v∂x_w = U M Uᵀ
    Mᵢᵢ = Aᵢᵢ B_vi B_wi + Σ_{j≠i} p B_vj B_wj,   Mᵢⱼ = Aᵢⱼ B_vi B_wj + q B_vj B_wi.

A membrane has three vertices and no third column: B_v2 = 0. Then p of the pairs (0, 2) and (1, 2) is the second
derivative for turns of the first and second direction out of the plane, Ψᵢ/sᵢ.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.elasticity.deformation import of_tetrahedron
from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.signed_svd import eigenvectors, signed_svd


@inlined
def scratch():
    """U, s, V; B (4, 3); Ψᵢ (3,), A (3, 3), twists and flips (3,), for (i, j) at the third index k."""
    return (
        np.empty((3, 3)),
        np.empty(3),
        np.empty((3, 3)),
        np.empty((4, 3)),
        np.empty(3),
        np.empty((3, 3)),
        np.empty(3),
        np.empty(3),
    )


@inlined
def to_frames(x, b, arrays):
    """Fill U, s, V and B for a tetrahedron x (4, 3) with shape gradients b (12, or more)."""
    U, s, V, B, _, F, _, _ = arrays
    of_tetrahedron(x, b, F)
    signed_svd(F, U, s, V)
    for v in range(4):
        for i in range(3):
            B[v, i] = b[3 * v] * V[0, i] + b[3 * v + 1] * V[1, i] + b[3 * v + 2] * V[2, i]


@kernel
def to_vertices(arrays, scale, project, g, H):
    """Write scale · ∂Ψ/∂x into g (3v,) and scale · ∂²Ψ/∂x² into H (3v, 3v); `arrays` as of `scratch`, overwritten."""
    U, _, V, B, slope, A, twists, flips = arrays
    if project:
        _positive_part(A, V)
        for k in range(3):
            twists[k], flips[k] = max(twists[k], 0.0), max(flips[k], 0.0)
    for k in range(3):  # to p and q
        twists[k], flips[k] = 0.5 * (flips[k] + twists[k]), 0.5 * (flips[k] - twists[k])
    for v in range(len(g) // 3):
        x, y, z = scale * B[v, 0], scale * B[v, 1], scale * B[v, 2]
        for i in range(3):
            g[3 * v + i] = U[i, 0] * slope[0] * x + U[i, 1] * slope[1] * y + U[i, 2] * slope[2] * z
        for w in range(v + 1):
            _block(U, A, twists, flips, (x, y, z), (B[w, 0], B[w, 1], B[w, 2]), 3 * v, 3 * w, H)


@inlined
def _block(U, A, p, q, b, c, row, column, H):
    """Write U M Uᵀ and its transpose: b = B_v, c = B_w."""
    xx, yy, zz = b[0] * c[0], b[1] * c[1], b[2] * c[2]
    xy, yx = A[0, 1] * b[0] * c[1] + q[2] * b[1] * c[0], A[1, 0] * b[1] * c[0] + q[2] * b[0] * c[1]
    yz, zy = A[1, 2] * b[1] * c[2] + q[0] * b[2] * c[1], A[2, 1] * b[2] * c[1] + q[0] * b[1] * c[2]
    zx, xz = A[2, 0] * b[2] * c[0] + q[1] * b[0] * c[2], A[0, 2] * b[0] * c[2] + q[1] * b[2] * c[0]
    x = A[0, 0] * xx + p[2] * yy + p[1] * zz
    y = A[1, 1] * yy + p[0] * zz + p[2] * xx
    z = A[2, 2] * zz + p[1] * xx + p[0] * yy
    for i in range(3):
        s = U[i, 0] * x + U[i, 1] * yx + U[i, 2] * zx
        t = U[i, 0] * xy + U[i, 1] * y + U[i, 2] * zy
        r = U[i, 0] * xz + U[i, 1] * yz + U[i, 2] * z
        for j in range(3):
            h = s * U[j, 0] + t * U[j, 1] + r * U[j, 2]
            H[row + i, column + j] = h
            H[column + j, row + i] = h


@inlined
def _positive_part(A, axes):
    """Replace negative eigenvalues of A (3, 3) by 0; axes (3, 3) is scratch."""
    minor = A[0, 0] * A[1, 1] - A[0, 1] ** 2
    rest = A[2, 2] * minor + 2.0 * A[0, 1] * A[1, 2] * A[0, 2] - A[0, 0] * A[1, 2] ** 2 - A[1, 1] * A[0, 2] ** 2
    if A[0, 0] > 0.0 and minor > 0.0 and rest > 0.0:  # Sylvester
        return
    eigenvectors(A, axes)
    x, y, z = max(A[0, 0], 0.0), max(A[1, 1], 0.0), max(A[2, 2], 0.0)
    for i in range(3):
        for j in range(3):
            A[i, j] = x * axes[i, 0] * axes[j, 0] + y * axes[i, 1] * axes[j, 1] + z * axes[i, 2] * axes[j, 2]
