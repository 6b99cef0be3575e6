"""How a distance bends as its primitives turn and slide, for numba.

The distance is d = min over w of ‖C(w, x)‖, w the place on an edge or in a face. Where the closest points are inside,

    -½ δ²d = Σ_k a_k b_k   (+ terms of the order of d, and what opens the gap, left out)

a = (EᵀE)⁻¹Eᵀ δc is the slip along the edges E_k = ∂C/∂w_k, b_k = n·δE_k their turn towards the normal n: surfaces that
slide while they turn come closer. The barrier, whose slope is negative, makes this a stiffness; it keeps Newton from
steps along which a small gap closes. Now a b = ¼ (λa + b/λ)² - ¼ (λa - b/λ)², and of that the first part is taken, with
the λ that gives both the same weight by vertices.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.pair_blocks import add_rank_one
from ipc_articulation.contact.stencils import VERTEX_OF_FIRST

_FLAT = 1e-12  # squared sine of two edges below which they count as parallel


@njit(cache=True)
def add_bend(force, kind, points, x, v, w, n, y, H):
    """Add force times the positive part of -∂²d to H (24, 24), n (3,) the normal and y (8,) the lever."""
    ends, at = np.empty((2, 2), dtype=np.int64), np.empty(2, dtype=np.int64)
    count = _edges(kind, v, w, ends, at)
    E, u = np.empty((2, 3)), np.empty(24)
    for k in range(count):
        for m in range(3):
            E[k, m] = x[ends[k, 1], m] - x[ends[k, 0], m]  # its sign is that of a_k and of b_k, and drops out
    G = np.zeros((2, 2))
    if not _invert_gram(E, count, G):
        return
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]
    for k in range(count):
        ratio = np.sqrt(np.sqrt(2.0 / (square * G[k, k])))  # λ: ‖∂a_k‖² = square G_kk and ‖∂b_k‖² = 2 by vertices
        for i in range(3):
            slip = G[k, 0] * E[0, i] + (G[k, 1] * E[1, i] if count == 2 else 0.0)
            for a in range(8):
                u[8 * i + a] = ratio * slip * y[a]
            for a in range(3):
                edge = points[ends[k, 1], a] - points[ends[k, 0], a]
                u[8 * i + at[k] + 1 + a] += n[i] * edge / ratio
        add_rank_one(0.5 * force, u, H)


@njit(cache=True)
def _edges(kind, v, w, ends, at):
    """The edges inside which the closest points are free to move, with the place of their body in a lever.

    Returns:
        Their number: two inside of a face or of two edges, one inside of an edge, none at a vertex.
    """
    count = 0
    if kind == EDGES:
        for side in range(2):
            a, b = 2 * side, 2 * side + 1
            if w[a] != 0.0 and w[b] != 0.0:
                ends[count, 0], ends[count, 1] = v[a], v[b]
                at[count] = 4 * side
                count += 1
        return count
    base = 0
    for k in range(1, 4):
        if w[k] != 0.0 and base == 0:
            base = k
        elif w[k] != 0.0:
            ends[count, 0], ends[count, 1] = v[base], v[k]
            at[count] = 4 if kind == VERTEX_OF_FIRST else 0
            count += 1
    return count


@njit(cache=True)
def _invert_gram(E, count, G):
    """Fill G = (EᵀE)⁻¹ of one or two vectors; False where there are none, or they span too little."""
    if count == 0:
        return False
    aa = E[0, 0] ** 2 + E[0, 1] ** 2 + E[0, 2] ** 2
    if count == 1:
        if aa > 0.0:
            G[0, 0] = 1.0 / aa
        return aa > 0.0
    bb = E[1, 0] ** 2 + E[1, 1] ** 2 + E[1, 2] ** 2
    ab = E[0, 0] * E[1, 0] + E[0, 1] * E[1, 1] + E[0, 2] * E[1, 2]
    det = aa * bb - ab * ab
    if det <= _FLAT * aa * bb:
        return False
    G[0, 0], G[1, 1], G[0, 1], G[1, 0] = bb / det, aa / det, -ab / det, -ab / det
    return True
