"""A matrix by vertices whose diagonal blocks are identities, row by row, and sweeps through it, for numba.

All rows are split (see `block_matrix`). With Cholesky's factors H_vv = C_v C_vᵀ,

    C⁻¹ H C⁻ᵀ = L + 1 + Lᵀ,     L_ij = C_i⁻¹ H_ij C_j⁻ᵀ for i > j.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import islands


class ScaledRows(NamedTuple):
    """The matrix of n vertices."""

    inverse: Array  # (n, 3, 3) C⁻¹, lower triangles
    first: Ints  # (n + 1,) L has the blocks first[i] : first[i + 1] in row i
    cols: Ints  # (m,)
    blocks: Array  # (m, 3, 3)


@compiled
def scaled_rows(H):
    """The matrix of a `Matrix`, and whether all its diagonal blocks are definite."""
    n = 4 * len(H.diagonal)
    inverse, first = np.zeros((n, 3, 3)), np.zeros(n + 2, dtype=np.int64)
    for v in range(n):
        if not _invert_factor(H.diagonal[v // 4], 3 * (v % 4), inverse[v]):
            return ScaledRows(inverse, first, first, np.empty((0, 3, 3))), False
    cols, blocks = np.empty(0, dtype=np.int64), np.empty((0, 3, 3))
    for is_counted in (False, True):  # first they are counted, then listed
        if is_counted:
            first = np.cumsum(first)
            cols, blocks = np.empty(first[-1], dtype=np.int64), np.empty((first[-1], 3, 3))
        _list_blocks(H, is_counted, first, cols, blocks)
    _scale(inverse, first, cols, blocks)
    return ScaledRows(inverse, first[:-1], cols, blocks), True


@compiled
def _invert_factor(block, at, inverse):
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


@compiled
def _list_blocks(H, is_counted, first, cols, blocks):
    """Count the blocks of each row in first[i + 2], or list them from first[i + 1] on."""
    for i in range(len(H.diagonal)):
        for a in range(4):
            for b in range(a):
                if (H.own_masks[i] >> (4 * b + a)) & 1:
                    if is_counted:
                        _list(4 * i + a, 4 * i + b, H.diagonal, i, 3 * b, 3 * a, True, first, cols, blocks)
                    else:
                        first[4 * i + a + 2] += 1
    for m in range(len(H.rows)):
        i, j, mask = 4 * H.rows[m], 4 * H.cols[m], H.masks[m]
        for a in range(4):
            for b in range(4):
                if (mask >> (4 * a + b)) & 1:
                    if is_counted:
                        _list(i + a, j + b, H.blocks, m, 3 * a, 3 * b, i < j, first, cols, blocks)
                    else:
                        first[max(i + a, j + b) + 2] += 1


@compiled
def _list(i, j, source, m, row, col, is_upper, first, cols, blocks):
    """List the block at (row, col) of source[m], of vertices i and j or, above the diagonal, its transpose."""
    high = max(i, j)
    at = first[high + 1]
    first[high + 1] += 1
    cols[at] = min(i, j)
    for k in range(3):
        for n in range(3):
            blocks[at, k, n] = source[m, row + n, col + k] if is_upper else source[m, row + k, col + n]


@compiled
def _scale(inverse, first, cols, blocks):
    """Make the blocks H_ij of rows L_ij."""
    half = np.empty((3, 3))
    for i in range(len(inverse)):
        left = inverse[i]
        for s in range(first[i], first[i + 1]):
            right, block = inverse[cols[s]], blocks[s]
            for m in range(3):
                half[0, m] = left[0, 0] * block[0, m]
                half[1, m] = left[1, 0] * block[0, m] + left[1, 1] * block[1, m]
                half[2, m] = left[2, 0] * block[0, m] + left[2, 1] * block[1, m] + left[2, 2] * block[2, m]
            for k in range(3):
                block[k, 0] = half[k, 0] * right[0, 0]
                block[k, 1] = half[k, 0] * right[1, 0] + half[k, 1] * right[1, 1]
                block[k, 2] = half[k, 0] * right[2, 0] + half[k, 1] * right[2, 1] + half[k, 2] * right[2, 2]


@compiled(fastmath={"contract", "reassoc"})
def solve_lower(first, cols, blocks, z):
    """Make (1 + L)⁻¹ z of z (n, 3)."""
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
def solve_upper(first, cols, blocks, t):
    """Make (1 + Lᵀ)⁻¹ t of t (n, 3)."""
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
def parts_of_rows(first, cols):
    """Labels (n,) of the parts of the matrix, not connected with each other."""
    pairs = np.empty((len(cols), 2), dtype=np.int64)
    for i in range(len(first) - 1):
        for s in range(first[i], first[i + 1]):
            pairs[s, 0], pairs[s, 1] = i, cols[s]
    n = len(first) - 1
    return islands.join(np.arange(n), pairs, np.ones(n, dtype=np.bool_))


@compiled
def multiply(first, cols, blocks, x):
    """(L + 1 + Lᵀ) x for x (n, 3)."""
    result = x.copy()
    for i in range(len(x)):
        for s in range(first[i], first[i + 1]):
            j = cols[s]
            for k in range(3):
                for m in range(3):
                    result[i, k] += blocks[s, k, m] * x[j, m]
                    result[j, m] += blocks[s, k, m] * x[i, k]
    return result


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


@compiled
def scale_step(inverses, x):
    """Cᵀ x for x (n, 3): what `unscale` makes x of."""
    result = np.empty_like(x)
    for v in range(len(x)):
        inverse = inverses[v]
        result[v, 2] = x[v, 2] / inverse[2, 2]
        result[v, 1] = (x[v, 1] - inverse[2, 1] * result[v, 2]) / inverse[1, 1]
        result[v, 0] = (x[v, 0] - inverse[1, 0] * result[v, 1] - inverse[2, 0] * result[v, 2]) / inverse[0, 0]
    return result
