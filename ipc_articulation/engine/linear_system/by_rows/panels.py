"""Arithmetic of panels: the 12 rows of an upper triangular factor that belong to one body.

A panel P = [U_ii U_ij ...] is (12, width) and keeps 1/U_rr on the diagonal of its first block; below it are zeros.
`near` holds a right-hand side in the same columns: twelve numbers of i, then those of its neighbours.

The innermost loops run along rows of panels, so that the compiler vectorises them. It may reorder their sums, but in
the same way in every run. Their indices must be known to be nonnegative: hence uint64.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled

_SUMS = {"contract", "reassoc"}  # what fast mathematics may do: fuse a·b + c, reorder sums


@compiled(fastmath=_SUMS)
def factorise(P):
    """[H_ii H_ij ...] -> [U_ii U_ij ...] with U_iiᵀ U_ii = H_ii, U_iiᵀ U_ij = H_ij; False unless H_ii is definite."""
    width = P.shape[1]
    for r in range(DOF):
        for s in range(r):
            factor = P[s, r]
            for b in range(width):  # from r on would do, but would not fill vectors
                P[r, b] -= factor * P[s, b]
        if not P[r, r] > 0.0:
            return False
        inverse = 1.0 / np.sqrt(P[r, r])
        for b in range(width):
            P[r, b] *= inverse
        for b in range(r):
            P[r, b] = 0.0
        P[r, r] = inverse
    return True


@compiled(fastmath=_SUMS)
def multiply(P, at, begin, width, product):
    """Make product = P_atᵀ P[:, begin : begin + width], with P_at the block of columns of P that begins at `at`."""
    at, begin, width = np.uint64(at), np.uint64(begin), np.uint64(width)
    for a in range(np.uint64(DOF)):
        for b in range(width):
            s = 0.0
            for k in range(DOF):
                s += P[k, at + a] * P[k, begin + b]
            product[a, b] = s


@compiled
def subtract(product, slots, P):
    """Subtract the blocks of a product from those of P at the given slots, runs of adjacent ones at once."""
    t = 0
    while t < len(slots):
        begin = t
        while t < len(slots) and slots[t] - slots[begin] == t - begin:
            t += 1
        for a in range(DOF):
            target, source = P[a, DOF * slots[begin] :], product[a, DOF * begin : DOF * t]
            for b in range(len(source)):
                target[b] -= source[b]


@compiled(fastmath=_SUMS)
def forward(P, near):
    """[b_i b_j ...] -> [y_i, b_j - U_ijᵀ y_i ...] with U_iiᵀ y_i = b_i."""
    for r in range(DOF):
        y = near[r] * P[r, r]
        for b in range(P.shape[1]):
            near[b] -= P[r, b] * y
        near[r] = y


@compiled(fastmath=_SUMS)
def backward(P, near):
    """[y_i x_j ...] -> [x_i x_j ...] with U_ii x_i + Σ U_ij x_j = y_i."""
    for r in range(11, -1, -1):
        row, known = P[r, r + 1 :], near[r + 1 : P.shape[1]]
        s = 0.0
        for b in range(len(known)):
            s += row[b] * known[b]
        near[r] = (near[r] - s) * P[r, r]
