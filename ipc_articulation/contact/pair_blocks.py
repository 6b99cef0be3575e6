"""From two points of two affine bodies to derivatives by their coordinates, for numba.

The difference of a point of each body, moved along with them, is c_k = Σ_a y_a Q_ka with y = (1, x̄_i, -1, -x̄_j) and
Q_k = (p_k, A_k0, A_k1, A_k2) of body i, then of body j. Vectors and matrices by coordinates are kept in the order
8 k + a while they are summed, so inner loops run over neighbours in memory; `by_coordinates` brings them to the order
of q: p, then A by rows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.stencils import VERTEX_OF_SECOND


@njit(cache=True)
def lever(kind, points, vertices, w, y):
    """Fill y (8,) for the points of both bodies that the weights w (4,) of a stencil make; c then is Σ y_a Q_a."""
    y[:] = 0.0
    left = 2 if kind == EDGES else 1
    first = 4 if kind == VERTEX_OF_SECOND else 0
    for k in range(4):
        at = first if k < left else 4 - first
        y[at] += w[k]
        for m in range(3):
            y[at + 1 + m] += w[k] * points[vertices[k], m]


@njit(cache=True)
def outer(n, y, u):
    """Fill u (24,) = n ⊗ y."""
    for k in range(3):
        for a in range(8):
            u[8 * k + a] = n[k] * y[a]


@njit(cache=True)
def add_rank_one(s, u, H):
    """H (24, 24) += s u uᵀ."""
    for i in range(24):
        t = s * u[i]
        for j in range(24):
            H[i, j] += t * u[j]


@njit(cache=True)
def add_by_points(N, y, H):
    """H (24, 24) += N ⊗ (y yᵀ), for N (3, 3) by points of space."""
    for k in range(3):
        for m in range(3):
            for a in range(8):
                t = N[k, m] * y[a]
                for b in range(8):
                    H[8 * k + a, 8 * m + b] += t * y[b]


@njit(cache=True)
def add_gradient(s, u, i, j, g):
    """Add s u, u (24,) of the bodies i and j, to g (n, 12)."""
    for k in range(3):
        g[i, k] += s * u[8 * k]
        g[j, k] += s * u[8 * k + 4]
        for a in range(3):
            g[i, 3 + 3 * k + a] += s * u[8 * k + 1 + a]
            g[j, 3 + 3 * k + a] += s * u[8 * k + 5 + a]


_ORDER = np.array(
    [8 * k for k in range(3)]
    + [8 * k + 1 + a for k in range(3) for a in range(3)]
    + [8 * k + 4 for k in range(3)]
    + [8 * k + 5 + a for k in range(3) for a in range(3)]
)


@njit(cache=True)
def by_coordinates(H):
    """Blocks (P, 24, 24) in the order of q of both bodies."""
    sorted_ = np.empty_like(H)
    for p in range(len(H)):
        for i in range(24):
            for j in range(24):
                sorted_[p, i, j] = H[p, _ORDER[i], _ORDER[j]]
    return sorted_


@njit(cache=True)
def clear(blocks, moving):
    """Set the blocks of moving bodies to zero."""
    for b in range(len(moving)):
        if moving[b]:
            blocks[b] = 0.0
