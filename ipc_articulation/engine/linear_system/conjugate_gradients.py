"""Solves H x = b by conjugate gradients, for solids of many elements, whose Cholesky factors fill up.

All rows are split (see `block_matrix`). Preconditioned by the blocks H_vv of the vertices,

    r₀ = b,  z = H_vv⁻¹ r,  p = z + β p,   α = rᵀz / pᵀHp,   x ← x + α p,   r ← r - α H p,

until rᵀz is 1e-8 of what it was: the residual is then 1e-4 of b, in the norm of the preconditioner. Every x is the
lowest point of ½ xᵀHx - bᵀx in a space that grows, so the step is one of descent however early this ends.

Source: Nocedal & Wright, «Numerical Optimization», 2nd ed., algorithms 5.3 and 7.1.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation import tetrads
from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_matrix import Matrix
from ipc_articulation.engine.linear_system.by_fronts.split_rows import by_vertices

FORCING = 1e-4  # of the residual
MOST = 300  # iterations; with more, factorising is faster


def solve_by_gradients(H: Matrix, b: Array) -> Array | None:
    """The step x (k, 12) of H x = b (k, 12), all rows being split.

    None if H is seen not to be positive definite, or more iterations are needed than are worth it.
    """
    right = by_vertices(H.is_split, b).reshape(-1, 3)
    x, is_solved = _solve(_inverse_blocks(H.diagonal), *_entries(H), H.diagonal, right)
    return tetrads.coordinates(x.reshape(-1, 4, 3)) if is_solved else None


@compiled
def _entries(H):
    """Rows, columns (m,) and blocks (m, 3, 3) of the pairs of vertices that are coupled."""
    count = 0
    for mask in H.own_masks:
        for a in range(4):
            for b in range(a + 1, 4):
                count += (mask >> (4 * a + b)) & 1
    for mask in H.masks:
        for bit in range(16):
            count += (mask >> bit) & 1
    rows, cols, blocks = np.empty(count, np.int64), np.empty(count, np.int64), np.empty((count, 3, 3))
    count = 0
    for i in range(len(H.diagonal)):
        for a in range(4):
            for b in range(a + 1, 4):
                if (H.own_masks[i] >> (4 * a + b)) & 1:
                    rows[count], cols[count] = 4 * i + a, 4 * i + b
                    _copy(H.diagonal, i, a, b, blocks, count)
                    count += 1
    for m in range(len(H.rows)):
        for a in range(4):
            for b in range(4):
                if (H.masks[m] >> (4 * a + b)) & 1:
                    rows[count], cols[count] = 4 * H.rows[m] + a, 4 * H.cols[m] + b
                    _copy(H.blocks, m, a, b, blocks, count)
                    count += 1
    return rows, cols, blocks


@compiled
def _copy(source, m, a, b, blocks, count):
    for k in range(3):
        for n in range(3):
            blocks[count, k, n] = source[m, 3 * a + k, 3 * b + n]


@compiled
def _inverse_blocks(diagonal):
    """H_vv⁻¹ (4k, 3, 3) from diagonal blocks (k, 12, 12); of a block that is not definite a negative number."""
    inverse = np.empty((4 * len(diagonal), 3, 3))
    for v in range(len(inverse)):
        i, at = v // 4, 3 * (v % 4)
        A = diagonal[i, at : at + 3, at : at + 3]
        inverse[v, 0, 0] = A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1]
        inverse[v, 0, 1] = A[0, 2] * A[2, 1] - A[0, 1] * A[2, 2]
        inverse[v, 0, 2] = A[0, 1] * A[1, 2] - A[0, 2] * A[1, 1]
        inverse[v, 1, 1] = A[0, 0] * A[2, 2] - A[0, 2] * A[2, 0]
        inverse[v, 1, 2] = A[0, 2] * A[1, 0] - A[0, 0] * A[1, 2]
        inverse[v, 2, 2] = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
        inverse[v, 1, 0], inverse[v, 2, 0], inverse[v, 2, 1] = inverse[v, 0, 1], inverse[v, 0, 2], inverse[v, 1, 2]
        determinant = A[0, 0] * inverse[v, 0, 0] + A[0, 1] * inverse[v, 1, 0] + A[0, 2] * inverse[v, 2, 0]
        inverse[v] /= determinant
        if not (determinant > 0.0 and A[0, 0] > 0.0 and inverse[v, 2, 2] > 0.0):
            inverse[v, 0, 0] = -1.0
    return inverse


@compiled
def _solve(inverse, rows, cols, blocks, diagonal, b):
    """Returns: x (n, 3), and whether it solves the system to `FORCING`."""
    n = len(b)
    x, r, z, p, Hp = np.zeros((n, 3)), b.copy(), np.empty((n, 3)), np.zeros((n, 3)), np.empty((n, 3))
    for v in range(n):
        if not inverse[v, 0, 0] > 0.0:
            return x, False
    first, last = 0.0, 1.0
    for iteration in range(MOST):
        product = _precondition(inverse, r, z)
        if iteration == 0:
            first = product
        if not product > FORCING * FORCING * first:
            return x, np.isfinite(product)
        beta = product / last if iteration else 0.0
        for v in range(n):
            for k in range(3):
                p[v, k] = z[v, k] + beta * p[v, k]
        curvature = _multiply(rows, cols, blocks, diagonal, p, Hp)
        if not curvature > 0.0:
            return x, False
        alpha, last = product / curvature, product
        for v in range(n):
            for k in range(3):
                x[v, k] += alpha * p[v, k]
                r[v, k] -= alpha * Hp[v, k]
    return x, False


@compiled(fastmath={"contract", "reassoc"})
def _precondition(inverse, r, z):
    """Make z = H_vv⁻¹ r. Returns: rᵀz."""
    total = 0.0
    for v in range(len(r)):
        for k in range(3):
            z[v, k] = inverse[v, k, 0] * r[v, 0] + inverse[v, k, 1] * r[v, 1] + inverse[v, k, 2] * r[v, 2]
            total += z[v, k] * r[v, k]
    return total


@compiled(fastmath={"contract", "reassoc"})
def _multiply(rows, cols, blocks, diagonal, p, Hp):
    """Make Hp = H p. Returns: pᵀHp."""
    for v in range(len(p)):
        i, at = v // 4, 3 * (v % 4)
        for k in range(3):
            Hp[v, k] = (
                diagonal[i, at + k, at] * p[v, 0]
                + diagonal[i, at + k, at + 1] * p[v, 1]
                + diagonal[i, at + k, at + 2] * p[v, 2]
            )
    for m in range(len(rows)):
        i, j = rows[m], cols[m]
        for k in range(3):
            Hp[i, k] += blocks[m, k, 0] * p[j, 0] + blocks[m, k, 1] * p[j, 1] + blocks[m, k, 2] * p[j, 2]
            Hp[j, k] += blocks[m, 0, k] * p[i, 0] + blocks[m, 1, k] * p[i, 1] + blocks[m, 2, k] * p[i, 2]
    total = 0.0
    for v in range(len(p)):
        for k in range(3):
            total += p[v, k] * Hp[v, k]
    return total
