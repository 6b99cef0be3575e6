"""Dense arithmetic of a front: a square array of which only the upper triangle counts, eliminated from the top.

All sizes are multiples of three. The innermost loops run along rows, so that the compiler vectorises them: three rows
at a time lose three others, which takes nine multiplications for six numbers that are read and three that are written.
The compiler may reorder sums, but in the same way in every run. Indices must be known to be nonnegative: hence uint64.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

_SUMS = {"contract", "reassoc"}  # what fast mathematics may do: fuse a·b + c, reorder sums
_STRIP = 12  # rows that are eliminated before the others are updated


@compiled
def eliminate(F, width):
    """Make the first rows of F (m, m) those of U with UᵀU = F, and the rest what remains; False unless F is definite.

    On the diagonal of these rows is 1/U_rr.
    """
    for begin in range(0, width, _STRIP):
        end = min(begin + _STRIP, width)
        if not _factorise(F, begin, end):
            return False
        _subtract_square(F, begin, end)
    return True


@compiled(fastmath=_SUMS)
def _factorise(F, begin, end):
    """[H_ii H_ij ...] -> [U_ii U_ij ...] with U_iiᵀ U_ii = H_ii, U_iiᵀ U_ij = H_ij, rows of F; False if indefinite."""
    begin, end, width = np.uint64(begin), np.uint64(end), np.uint64(len(F))
    for r in range(begin, end):
        for s in range(begin, r):
            factor = F[s, r]
            for b in range(begin, width):  # from r on would do, but would not fill vectors
                F[r, b] -= factor * F[s, b]
        if not F[r, r] > 0.0:
            return False
        inverse = 1.0 / np.sqrt(F[r, r])
        for b in range(begin, width):
            F[r, b] *= inverse
        F[r, r] = inverse
    return True


@compiled(fastmath=_SUMS)
def _subtract_square(F, begin, end):
    """Subtract the part RᵀR of rows R = F[begin:end, end:] from the upper triangle of F[end:, end:]."""
    begin, end, width = np.uint64(begin), np.uint64(end), np.uint64(len(F))
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    for a in range(end, width, three):
        for k in range(begin, end, three):
            c00, c01, c02 = F[k, a], F[k, a + one], F[k, a + two]
            c10, c11, c12 = F[k + one, a], F[k + one, a + one], F[k + one, a + two]
            c20, c21, c22 = F[k + two, a], F[k + two, a + one], F[k + two, a + two]
            for b in range(a, width):
                p0, p1, p2 = F[k, b], F[k + one, b], F[k + two, b]
                F[a, b] -= c00 * p0 + c10 * p1 + c20 * p2
                F[a + one, b] -= c01 * p0 + c11 * p1 + c21 * p2
                F[a + two, b] -= c02 * p0 + c12 * p1 + c22 * p2


@compiled(fastmath=_SUMS)
def forward(P, near):
    """[b_i b_j ...] -> [y_i, b_j - U_ijᵀ y_i ...] with U_iiᵀ y_i = b_i, for the rows P = [U_ii U_ij ...]."""
    height, width = P.shape
    for r in range(height):
        y = near[r] * P[r, r]
        for b in range(r + 1, width):
            near[b] -= P[r, b] * y
        near[r] = y


@compiled(fastmath=_SUMS)
def backward(P, near):
    """[y_i x_j ...] -> [x_i x_j ...] with U_ii x_i + Σ U_ij x_j = y_i."""
    height, width = P.shape
    for r in range(height - 1, -1, -1):
        row, known = P[r, r + 1 :], near[r + 1 : width]
        s = 0.0
        for b in range(len(known)):
            s += row[b] * known[b]
        near[r] = (near[r] - s) * P[r, r]
