"""Singular values of a 3x3 matrix with rotations on both sides, for numba.

    A = U diag(s) Vᵀ,   det U = det V = 1,   s₀ ≥ s₁ ≥ |s₂|

s₂ carries the sign of det A, so U Vᵀ is the nearest rotation, for reflections too (Irving et al. 2004, «Invertible
finite elements»). V diagonalises AᵀA by Jacobi's rotations, on numbers instead of arrays: 0.4 µs, numpy's svd within
numba takes 2.0 µs.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.vectors import mix

_SWEEPS = 12  # Jacobi's method is done after three or four


@kernel
def signed_svd(A, U, s, V):
    """Fill U (3, 3), s (3,) and V (3, 3); works for every matrix A (3, 3), also for singular ones."""
    _, V0, V1, V2 = _diagonal(
        (_dot(A, 0, A, 0), _dot(A, 1, A, 1), _dot(A, 2, A, 2)), _dot(A, 0, A, 1), _dot(A, 1, A, 2), _dot(A, 2, A, 0)
    )
    for k in range(3):
        V[k, 0], V[k, 1], V[k, 2] = V0[k], V1[k], V2[k]
    for i in range(3):
        for j in range(3):
            U[i, j] = A[i, 0] * V[0, j] + A[i, 1] * V[1, j] + A[i, 2] * V[2, j]
    _sort_columns(U, V)
    _orthonormal_columns(U, s)


@kernel
def eigenvectors(S, V):
    """V becomes the eigenvectors of the symmetric S, which becomes diagonal."""
    values, V0, V1, V2 = _diagonal((S[0, 0], S[1, 1], S[2, 2]), S[0, 1], S[1, 2], S[2, 0])
    for k in range(3):
        V[k, 0], V[k, 1], V[k, 2] = V0[k], V1[k], V2[k]
        S[k, 0] = S[k, 1] = S[k, 2] = 0.0
    S[0, 0], S[1, 1], S[2, 2] = values


@kernel
def _diagonal(diagonal, xy, yz, zx):
    """Eigenvalues (x, y, z) and eigenvectors of ((x, xy, zx), (xy, y, yz), (zx, yz, z)).

    Each rotation makes xy zero; then the axes take turns, so three of them are a sweep.
    """
    x, y, z = diagonal
    u, v, w = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for _ in range(_SWEEPS):
        if xy * xy + yz * yz + zx * zx <= 1e-34 * (x * x + y * y + z * z):
            break
        for _ in range(3):
            t = _tangent(x, y, xy)
            c = 1.0 / np.sqrt(1.0 + t * t)
            s = c * t
            x, y, z = y + t * xy, z, x - t * xy
            xy, yz, zx = s * zx + c * yz, c * zx - s * yz, 0.0
            u, v, w = mix(s, u, c, v), w, mix(c, u, -s, v)
    return (x, y, z), u, v, w


@inlined
def _tangent(x, y, xy):
    """tan φ of the rotation, |φ| ≤ π/4, that makes ((x, xy), (xy, y)) diagonal."""
    if xy == 0.0:
        return 0.0
    return 2.0 * xy / (y - x + np.copysign(np.sqrt((y - x) ** 2 + 4.0 * xy**2), y - x))


@inlined
def _sort_columns(B, V):
    """Order the columns of B by length, the longest first; V follows and stays a rotation."""
    for a, b in ((0, 1), (1, 2), (0, 1)):
        if _dot(B, b, B, b) > _dot(B, a, B, a):
            for k in range(3):
                B[k, a], B[k, b] = B[k, b], -B[k, a]
                V[k, a], V[k, b] = V[k, b], -V[k, a]


@inlined
def _orthonormal_columns(B, s):
    """Turn B = U diag(s) into U, a rotation: its columns are nearly orthogonal, and may be zero."""
    length = np.sqrt(_dot(B, 0, B, 0))
    for k in range(3):
        B[k, 0] = B[k, 0] / length if length > 0.0 else 1.0 * (k == 0)
    s[0] = length
    x, y, z = _normal_part(B, (B[0, 1], B[1, 1], B[2, 1]))
    square = x * x + y * y + z * z
    s[1] = np.sqrt(square)
    if square <= (1e-14 * length) ** 2:  # A has rank one at most: any normal will do
        x, y, z = _any_normal(B)
        square = x * x + y * y + z * z
    shrink = 1.0 / np.sqrt(square)
    x, y, z = x * shrink, y * shrink, z * shrink
    p, q, r = B[1, 0] * z - B[2, 0] * y, B[2, 0] * x - B[0, 0] * z, B[0, 0] * y - B[1, 0] * x
    s[2] = p * B[0, 2] + q * B[1, 2] + r * B[2, 2]
    B[0, 1], B[1, 1], B[2, 1] = x, y, z
    B[0, 2], B[1, 2], B[2, 2] = p, q, r


@inlined
def _any_normal(U):
    """A vector along which there is nothing of the unit vector U₀, not unit."""
    smallest = 0
    for k in range(1, 3):
        if abs(U[k, 0]) < abs(U[smallest, 0]):
            smallest = k
    return _normal_part(U, (1.0 * (smallest == 0), 1.0 * (smallest == 1), 1.0 * (smallest == 2)))


@inlined
def _normal_part(U, m):
    """m without its component along the unit vector U₀."""
    along = U[0, 0] * m[0] + U[1, 0] * m[1] + U[2, 0] * m[2]
    return m[0] - along * U[0, 0], m[1] - along * U[1, 0], m[2] - along * U[2, 0]


@inlined
def _dot(M, i, N, j):
    """Product of column i of M and column j of N."""
    return M[0, i] * N[0, j] + M[1, i] * N[1, j] + M[2, i] * N[2, j]
