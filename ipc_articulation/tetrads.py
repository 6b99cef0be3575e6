"""Tetrads: four vertices of a soft body in one row of twelve coordinates, like an affine body.

A row (p, A) of affine coordinates moves the points x = A x̄ + p. With the labels x̄₀ = 0, x̄₁ = e₁, x̄₂ = e₂, x̄₃ = e₃

    x₀ = p,   x_s = p + A e_s,   that is   p = x₀,   A e_s = x_s - x₀:

four free vertices, and linear one to one. So everything that is linear or quadratic in the coordinates of bodies holds
for vertices too: time integration, contact with half-planes, collision detection, the Newton system in blocks of
twelve. With masses m_s on the vertices, the mass matrix is that of a body with

    m = Σ m_s,   s = Σ m_s x̄_s,   S = Σ m_s x̄_s x̄_sᵀ.

Four vertices that are neighbours in the mesh share a row, so that the system has few blocks. Only vertices of one kind
do: a fixed row is fixed as a whole. A row with fewer vertices has others that nothing touches, and that never move.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.signals import interrupts_deferred

SIZE = 4  # vertices of a row
LABELS = np.vstack([np.zeros(3), np.eye(3)])  # (4, 3) x̄ of the vertices of a row
NOBODY = -1  # in place of a vertex


def coordinates(x: Array) -> Array:
    """Coordinates (m, 12) of rows with vertices at x (m, 4, 3), or their rates by the vertices' velocities."""
    edges = x[:, 1:] - x[:, :1]
    return np.concatenate([x[:, 0], np.swapaxes(edges, 1, 2).reshape(-1, 9)], axis=1)


def vertices(q: Array) -> Array:
    """The inverse of `coordinates`: (m, 12) -> (m, 4, 3)."""
    p, A = q[:, None, :3], q[:, 3:].reshape(-1, 3, 3)
    return np.concatenate([p, p + np.swapaxes(A, 1, 2)], axis=1)


def mass_matrices(mass: Array) -> Array:
    """Mass matrices (m, 12, 12) of rows whose vertices have masses (m, 4) [kg]."""
    return np.array([affine.mass_matrix(m.sum(), m @ LABELS, np.diag(m[1:])) for m in mass]).reshape(-1, 12, 12)


def group(kind: Ints, edges: Ints) -> Ints:
    """Rows of vertices: (m, 4), NOBODY where a row has fewer.

    Args:
        kind: Of each vertex, (V,); the vertices of a row have the same.
        edges: Neighbours, (E, 2).
    """
    count = len(kind)
    both = np.concatenate([edges, edges[:, ::-1]]).astype(np.int64)
    with interrupts_deferred:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import reverse_cuthill_mckee
    graph = coo_array((np.ones(len(both), dtype=np.int8), tuple(both.T)), shape=(count, count)).tocsr()
    order = reverse_cuthill_mckee(graph, symmetric_mode=True) if len(both) else np.arange(count)
    return _group(order.astype(np.int64), kind, graph.indptr.astype(np.int64), graph.indices.astype(np.int64))


@compiled
def _group(order, kind, first, neighbours):
    """Rows: each vertex in order begins one, unless it is in one already, with those nearest to it in the mesh.

    What is left of rows that did not become full is joined, kind by kind.
    """
    count = len(order)
    rows, full = np.full((count, SIZE), NOBODY), 0
    taken, links = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.int64)
    alone, lonely = np.empty(count, dtype=np.int64), 0
    row = np.empty(SIZE, dtype=np.int64)
    for begin in order:
        if taken[begin]:
            continue
        row[0], size = begin, 1
        taken[begin] = True
        while size < SIZE:
            best = _most_linked(row[:size], kind, first, neighbours, taken, links)
            if best < 0:
                break
            row[size], taken[best] = best, True
            size += 1
        if size == SIZE:
            rows[full] = row
            full += 1
        else:
            alone[lonely : lonely + size] = row[:size]
            lonely += size
    of_kind, size = -1, SIZE
    left = alone[:lonely]
    for v in left[np.argsort(kind[left], kind="mergesort")]:
        if kind[v] != of_kind or size == SIZE:
            of_kind, size = kind[v], 0
            full += 1
        rows[full - 1, size] = v
        size += 1
    return rows[:full]


@compiled
def _most_linked(row, kind, first, neighbours, taken, links):
    """The free vertex of the same kind with the most neighbours in a row; -1 without any. `links` is scratch of 0."""
    best, most = -1, 0
    for v in row:
        for w in neighbours[first[v] : first[v + 1]]:
            if not taken[w] and kind[w] == kind[row[0]]:
                links[w] += 1
                if links[w] > most:
                    best, most = w, links[w]
    for v in row:
        for w in neighbours[first[v] : first[v + 1]]:
            links[w] = 0
    return best
