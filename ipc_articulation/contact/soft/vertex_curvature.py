"""The curvature of a distance by vertices; `contact.curvature` has the formulas, by coordinates of affine bodies."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.curvature import forms, invert_gram
from ipc_articulation.contact.soft.vertex_rows import SIZE, add_by_weights, add_rank_one, add_symmetric


@compiled
def add_curvature(force, d, kind, x, v, w, n, project, H):
    """Add force times -∂²d to H (12, 12), or its positive part if `project`.

    Args:
        force: At least 0 where `project`.
        d: Distance [m].
        kind: Of the stencil.
        x: Positions (V, 3) [m].
        v: The vertices of the stencil.
        w: Their weights (4,).
        n: (3,) direction of the shortest vector.
        project: Whether to add the positive part.
        H: Hessian by the vertices.
    """
    ends, E, G = np.zeros((2, 2), dtype=np.int64), np.zeros((2, 3)), np.zeros((2, 2))
    count = _edges(kind, w, ends)
    for k in range(count):
        for m in range(3):
            E[k, m] = x[v[ends[k, 1]], m] - x[v[ends[k, 0]], m]
    if count > 0 and not invert_gram(E, count, G):
        return
    if project:
        _add_positive(force, d, count, ends, E, G, w, n, H)
    else:
        _add_exact(force, d, count, ends, E, G, w, n, H)


@compiled
def _add_positive(force, d, count, ends, E, G, w, n, H):
    slip, turn, u = np.zeros((2, 2)), np.zeros((2, 2)), np.empty(SIZE)
    if count == 0:
        return
    scale = forms(d, w, G, slip, turn)
    for k in range(count):
        u[:] = 0.0
        for j in range(count):
            for i in range(3):
                for a in range(4):
                    u[3 * a + i] += slip[k, j] * E[j, i] * w[a]
                u[3 * ends[j, 1] + i] += turn[k, j] * n[i]
                u[3 * ends[j, 0] + i] -= turn[k, j] * n[i]
        add_rank_one(force * scale, u, H)


@compiled
def _add_exact(force, d, count, ends, E, G, w, n, H):
    b, c, P = np.zeros((2, SIZE)), np.empty(SIZE), np.eye(3)
    for k in range(count):
        for i in range(3):
            b[k, 3 * ends[k, 1] + i] += n[i]
            b[k, 3 * ends[k, 0] + i] -= n[i]
    for i in range(3):
        for j in range(3):
            P[i, j] -= n[i] * n[j]
            for k in range(count):
                for m in range(count):
                    P[i, j] -= E[k, i] * G[k, m] * E[m, j]
            P[i, j] *= -force / d
    add_by_weights(P, w, H)
    for k in range(count):
        for a in range(4):
            for i in range(3):
                slip = (G[k, 0] * E[0, i] + G[k, 1] * E[1, i]) * w[a]
                c[3 * a + i] = slip + 0.5 * d * (G[k, 0] * b[0, 3 * a + i] + G[k, 1] * b[1, 3 * a + i])
        add_symmetric(force, c, b[k], H)


@compiled
def _edges(kind, w, ends):
    """Fill `ends` with the edges along which closest points can move, by the places of their ends in the stencil.

    Returns:
        Their number: two inside a face or two edges, one inside an edge, none at a vertex.
    """
    count = 0
    if kind == EDGES:
        for side in range(2):
            if w[2 * side] != 0.0 and w[2 * side + 1] != 0.0:
                ends[count, 0], ends[count, 1] = 2 * side, 2 * side + 1
                count += 1
        return count
    base = 0
    for k in range(1, 4):
        if w[k] != 0.0 and base == 0:
            base = k
        elif w[k] != 0.0:
            ends[count, 0], ends[count, 1] = base, k
            count += 1
    return count
