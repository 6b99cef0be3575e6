"""The curvature of a distance under rotation and sliding of its primitives, for numba.

The distance is d = min over w of ‖C(w, x)‖, w the coordinates on edges or in a face. If the closest points are inside,

    -½ δ²d = Σ_k a_k b_k + ½ d bᵀG b   (+ terms that open the gap, left out)

where a = G Eᵀδc with G = (EᵀE)⁻¹ is the slip along the edges E_k = ∂C/∂w_k, and b_k = n·δE_k their rotation towards the
normal n: surfaces that slide while they rotate come closer. The slope of the barrier is negative, so this is a
stiffness, which prevents Newton steps that close a small gap. Two positive forms bound it; the smaller one is used:

    Σ_k ¼ (λa_k + b_k/λ)²            for small d, with the λ that gives both the same weight by vertices
    1/(2d) (Eᵀδc + d b)ᵀ G (…)       for large d: thick surfaces, and edges that are almost parallel

The terms that open the gap are those of what no edge follows: exactly,

    -½ δ²d = Σ_k a_k b_k + ½ d bᵀG b - ‖P δc‖²/(2d),   P = 1 - nnᵀ - E G Eᵀ,

where the first two are Σ_k c_k b_k for c = a + ½ d G b.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.pair_blocks import LEVER, add_by_points, add_rank_one
from ipc_articulation.contact.stencils import VERTEX_OF_FIRST

_FLAT = 1e-12  # squared sine of two edges below which they count as parallel


@compiled
def add_curvature(force, d, kind, points, x, v, w, n, y, H):
    """Add force times the positive part of -∂²d to H (24, 24), n (3,) the normal and y (8,) the lever."""
    ends, at = np.empty((2, 2), dtype=np.int64), np.empty(2, dtype=np.int64)
    count = sliding_edges(kind, v, w, ends, at)
    E = np.empty((2, 3))
    for k in range(count):
        for m in range(3):
            E[k, m] = x[ends[k, 1], m] - x[ends[k, 0], m]  # its sign cancels in a_k b_k
    G = np.zeros((2, 2))
    if not invert_gram(E, count, G):
        return
    slip, turn, u = np.zeros((2, 2)), np.zeros((2, 2)), np.empty(PAIR_DOF)
    scale = forms(d, w, G, slip, turn)
    for k in range(count):
        u[:] = 0.0
        for j in range(count):
            if slip[k, j] != 0.0:
                for i in range(3):
                    for a in range(LEVER):
                        u[LEVER * i + a] += slip[k, j] * E[j, i] * y[a]
            if turn[k, j] != 0.0:
                for i in range(3):
                    for a in range(3):
                        edge = points[ends[j, 1], a] - points[ends[j, 0], a]
                        u[LEVER * i + at[j] + 1 + a] += turn[k, j] * n[i] * edge
        add_rank_one(force * scale, u, H)


@compiled
def add_exact_curvature(force, d, kind, points, x, v, w, n, y, H):
    """Add force times -∂²d to H (24, 24); arguments as for `add_curvature`."""
    ends, at = np.empty((2, 2), dtype=np.int64), np.empty(2, dtype=np.int64)
    count = sliding_edges(kind, v, w, ends, at)
    E, G, P, c = np.zeros((2, 3)), np.zeros((2, 2)), np.eye(3), np.empty(PAIR_DOF)
    for k in range(count):
        for m in range(3):
            E[k, m] = x[ends[k, 1], m] - x[ends[k, 0], m]
    if count > 0 and not invert_gram(E, count, G):
        return
    for i in range(3):
        for j in range(3):
            P[i, j] -= n[i] * n[j]
            for k in range(count):
                for m in range(count):
                    P[i, j] -= E[k, i] * G[k, m] * E[m, j]
            P[i, j] *= -force / d
    add_by_points(P, y, H)
    for k in range(count):
        for i in range(3):
            for m in range(LEVER):
                c[LEVER * i + m] = (G[k, 0] * E[0, i] + G[k, 1] * E[1, i]) * y[m]
            for j in range(count):
                for m in range(3):
                    edge = points[ends[j, 1], m] - points[ends[j, 0], m]
                    c[LEVER * i + at[j] + 1 + m] += 0.5 * d * G[k, j] * n[i] * edge
        for i in range(3):
            for m in range(3):
                t = force * n[i] * (points[ends[k, 1], m] - points[ends[k, 0], m])
                _add_cross(t, LEVER * i + at[k] + 1 + m, c, H)


@compiled
def _add_cross(t, at, c, H):
    """H (24, 24) += t (c eᵀ + e cᵀ), e the unit vector of coordinate `at`."""
    for i in range(PAIR_DOF):
        H[at, i] += t * c[i]
        H[i, at] += t * c[i]


@compiled
def forms(d, w, G, slip, turn):
    """Fill slip and turn (2, 2), with which scale Σ_k (Σ_j slip_kj E_j·δc + turn_kj b_j)² bounds -δ²d.

    Returns:
        The scale.
    """
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]
    if d * d * max(G[0, 0], G[1, 1]) <= 2.0 * square:
        for k in range(2):
            if G[k, k] > 0.0:
                ratio = np.sqrt(np.sqrt(2.0 / (square * G[k, k])))  # λ: ‖∂a_k‖² = square G_kk and ‖∂b_k‖² = 2
                slip[k, 0], slip[k, 1], turn[k, k] = ratio * G[k, 0], ratio * G[k, 1], 1.0 / ratio
        return 0.5
    slip[0, 0] = np.sqrt(G[0, 0])  # the factor Lᵀ of G = L Lᵀ
    slip[0, 1] = G[0, 1] / slip[0, 0]
    slip[1, 1] = np.sqrt(max(G[1, 1] - slip[0, 1] * slip[0, 1], 0.0))
    turn[:] = d * slip
    return 1.0 / d


@compiled
def sliding_edges(kind, v, w, ends, at):
    """Fill `ends` with the edges along which closest points can move, and `at` with the index of their body in a lever.

    Returns:
        Their number: two inside a face or two edges, one inside an edge, none at a vertex.
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


@compiled
def invert_gram(E, count, G):
    """Fill G = (EᵀE)⁻¹ of one or two vectors. Returns: False if there are none, or they are almost dependent."""
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
