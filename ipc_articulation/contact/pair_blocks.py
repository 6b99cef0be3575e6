"""Derivatives of two points of two affine bodies by the bodies' coordinates, for numba.

The difference of a point of each body, moved along with them, is c_k = Σ_a y_a Q_ka with y = (1, x̄_i, -1, -x̄_j) and
Q_k = (p_k, A_k0, A_k1, A_k2) of body i, then of body j. Vectors and matrices by coordinates are summed in the order
LEVER k + a, so that inner loops run over neighbours in memory; `by_coordinates` brings them to the order of q: p, then
A by rows.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.stencils import VERTEX_OF_SECOND

LEVER = PAIR_DOF // 3  # coordinates of two bodies on which one axis depends
HALF = LEVER // 2  # those of the first body


@compiled
def lever(kind, points, vertices, w, y):
    """Fill y (8,), with c = Σ y_a Q_a, for the points of both bodies given by the weights w (4,) of a stencil."""
    y[:] = 0.0
    left = 2 if kind == EDGES else 1
    first = HALF if kind == VERTEX_OF_SECOND else 0
    for k in range(4):
        at = first if k < left else HALF - first
        y[at] += w[k]
        for m in range(3):
            y[at + 1 + m] += w[k] * points[vertices[k], m]


@compiled
def outer(n, y, u):
    """Fill u (24,) = n ⊗ y."""
    for k in range(3):
        for a in range(LEVER):
            u[LEVER * k + a] = n[k] * y[a]


@compiled
def add_rank_one(s, u, H):
    """H (24, 24) += s u uᵀ."""
    for i in range(PAIR_DOF):
        t = s * u[i]
        for j in range(PAIR_DOF):
            H[i, j] += t * u[j]


@compiled
def add_by_points(N, y, H):
    """H (24, 24) += N ⊗ (y yᵀ), for N (3, 3) by points of space."""
    for k in range(3):
        for m in range(3):
            for a in range(LEVER):
                t = N[k, m] * y[a]
                for b in range(LEVER):
                    H[LEVER * k + a, LEVER * m + b] += t * y[b]


@compiled
def add_gradient(s, u, i, j, g):
    """Add s u, u (24,) by the coordinates of the bodies i and j, to g (n, 12)."""
    for k in range(3):
        g[i, k] += s * u[LEVER * k]
        g[j, k] += s * u[LEVER * k + HALF]
        for a in range(3):
            g[i, 3 + 3 * k + a] += s * u[LEVER * k + 1 + a]
            g[j, 3 + 3 * k + a] += s * u[LEVER * k + HALF + 1 + a]


@compiled
def add_rows(g, rows, values):
    """Add values (k, 12), one after the other, to some rows (k,) of g (n, 12)."""
    for k in range(len(rows)):
        for i in range(PAIR_DOF // 2):
            g[rows[k], i] += values[k, i]


_PLACES = np.arange(PAIR_DOF).reshape(3, 2, HALF)  # by axis, body and (p, A₀, A₁, A₂)
_ORDER = np.concatenate([part.ravel() for b in range(2) for part in (_PLACES[:, b, 0], _PLACES[:, b, 1:])])


@compiled
def by_coordinates(H):
    """Blocks (P, 24, 24) in the order of q of both bodies."""
    sorted_ = np.empty_like(H)
    for p in range(len(H)):
        for i in range(PAIR_DOF):
            for j in range(PAIR_DOF):
                sorted_[p, i, j] = H[p, _ORDER[i], _ORDER[j]]
    return sorted_


@compiled
def clear(blocks, moving):
    """Set the blocks of moving bodies to zero."""
    for b in range(len(moving)):
        if moving[b]:
            blocks[b] = 0.0
