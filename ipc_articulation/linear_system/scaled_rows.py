"""A matrix by vertices whose diagonal blocks are identities, row by row, and sweeps through it, for numba.

With Cholesky's factors H_vv = C_v C_vᵀ,

    C⁻¹ H C⁻ᵀ = L + 1 + Lᵀ,     L_ij = C_i⁻¹ H_ij C_j⁻ᵀ for i > j.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled


class ScaledRows(NamedTuple):
    """The matrix of n vertices."""

    inverse: Array  # (n, 3, 3) C⁻¹, lower triangles
    first: Ints  # (n + 1,) L has the blocks first[i] : first[i + 1] in row i
    cols: Ints  # (m,)
    blocks: Array  # (m, 3, 3)


@compiled
def invert_factor(block, at, inverse):
    """Write C⁻¹ of the block of a vertex; False if it is not definite."""
    a = block[at, at]
    if not a > 0.0:
        return False
    a = np.sqrt(a)
    b, d = block[at + 1, at] / a, block[at + 2, at] / a
    c = block[at + 1, at + 1] - b * b
    if not c > 0.0:
        return False
    c = np.sqrt(c)
    e = (block[at + 2, at + 1] - b * d) / c
    f = block[at + 2, at + 2] - d * d - e * e
    if not f > 0.0:
        return False
    f = np.sqrt(f)
    inverse[0, 0], inverse[1, 1], inverse[2, 2] = 1.0 / a, 1.0 / c, 1.0 / f
    inverse[1, 0] = -b / (a * c)
    inverse[2, 1] = -e / (c * f)
    inverse[2, 0] = (b * e / c - d) / (a * f)
    return True


@compiled(fastmath={"contract", "reassoc"})
def solve_lower(rows, z):
    """Make (1 + L)⁻¹ z of z (3 n,)."""
    first, cols, blocks, z = rows.first, rows.cols, rows.blocks, z.reshape(-1, 3)
    for i in range(np.uint64(len(z))):
        a, b, c = z[i, 0], z[i, 1], z[i, 2]
        for s in range(np.uint64(first[i]), np.uint64(first[i + np.uint64(1)])):
            j = np.uint64(cols[s])
            x, y, w = z[j, 0], z[j, 1], z[j, 2]
            a -= blocks[s, 0, 0] * x + blocks[s, 0, 1] * y + blocks[s, 0, 2] * w
            b -= blocks[s, 1, 0] * x + blocks[s, 1, 1] * y + blocks[s, 1, 2] * w
            c -= blocks[s, 2, 0] * x + blocks[s, 2, 1] * y + blocks[s, 2, 2] * w
        z[i, 0], z[i, 1], z[i, 2] = a, b, c


@compiled(fastmath={"contract", "reassoc"})
def solve_upper(rows, t):
    """Make (1 + Lᵀ)⁻¹ t of t (3 n,)."""
    first, cols, blocks, t = rows.first, rows.cols, rows.blocks, t.reshape(-1, 3)
    one = np.uint64(1)
    for back in range(np.uint64(len(t))):
        i = np.uint64(len(t)) - one - back
        x, y, w = t[i, 0], t[i, 1], t[i, 2]
        for s in range(np.uint64(first[i]), np.uint64(first[i + one])):
            j = np.uint64(cols[s])
            t[j, 0] -= blocks[s, 0, 0] * x + blocks[s, 1, 0] * y + blocks[s, 2, 0] * w
            t[j, 1] -= blocks[s, 0, 1] * x + blocks[s, 1, 1] * y + blocks[s, 2, 1] * w
            t[j, 2] -= blocks[s, 0, 2] * x + blocks[s, 1, 2] * y + blocks[s, 2, 2] * w


@compiled
def scale(inverse, b):
    """C⁻¹ b for b (n, 3)."""
    result = np.empty_like(b)
    for v in range(len(b)):
        for k in range(3):
            s = 0.0
            for m in range(k + 1):
                s += inverse[v, k, m] * b[v, m]
            result[v, k] = s
    return result


@compiled
def unscale(inverse, y):
    """C⁻ᵀ y for y (n, 3)."""
    result = np.empty_like(y)
    for v in range(len(y)):
        for k in range(3):
            s = 0.0
            for m in range(k, 3):
                s += inverse[v, m, k] * y[v, m]
            result[v, k] = s
    return result
