"""Stencils of weighted nodes: what contact needs of two primitives, whatever bodies they belong to, for numba.

The shortest vector between both is c = Σ_v w_v y_v over the points of the stencil, so by the m ≤ 8 nodes of their rows

    c = Σ_a l_a x_a,     l_a = Σ_v w_v W_va     (l the lever, W_va the weight of node a in point v).

Edges along which the closest points may move are E = Σ_a e_a x_a with levers e likewise. A stencil of affine bodies has
the four nodes of each, one of soft vertices one node a vertex, one with a half-plane only those of its point, and a
vertex of a soft body on a face of an affine one 1 + 4: all formulas are the same.

Hessians of stencils with the same nodes are summed in one array before they go to the system. Its rows and columns are
k m + a for axis k and node a, and it is only a half: the Hessian is that and its transpose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES, closest_points, row
from ipc_articulation.linear_system.system import find

PLANE = 3  # kind of a stencil, besides those of `contact.stencils`: a point and a half-plane
NODES = 8  # of a stencil at most
ROOM = NODES + 4  # of a lever: weights of a point are always four


@compiled
def place_points(points, rows, x, begin, end, y):
    """Write the points from `begin` to `end` to y (V, 3), with nodes at x (N, 3); of velocities likewise."""
    row_of, weight, first = points.row, points.weight, rows.first
    for v in range(begin, end):
        r = row_of[v]
        for k in range(3):
            s = 0.0
            for n in range(first[r], first[r + 1]):
                s += weight[v, n - first[r]] * x[n, k]
            y[v, k] = s


@compiled
def place_sides(kind, vertices, s, row_of, place):
    """The same for two affine bodies, whose nodes are known, or for one and itself."""
    if kind[s] != PLANE:
        one, other = row_of[vertices[s, 0]], row_of[vertices[s, 3]]
        place[0], place[2] = 4 * int(one > other), 4 * int(other > one)
        place[1], place[3] = place[0 if kind[s] == EDGES else 2], place[2]


@compiled
def place_rows(kind, vertices, s, row_of, first, place, nodes):
    """Fill the place of each point's row among the nodes of stencil s, (4,), and these, (8,), by ascending rows.

    Returns:
        Their number.
    """
    m, count = 0, 1 if kind[s] == PLANE else 4
    for v in range(count):
        r, place[v] = row_of[vertices[s, v]], 0
        is_new = True
        for u in range(count):
            other = row_of[vertices[s, u]]
            if other < r and not _is_before(vertices, s, row_of, other, u):
                place[v] += first[other + 1] - first[other]
            is_new &= not (u < v and other == r)
        for n in range(first[r], first[r + 1]):
            nodes[place[v] + n - first[r]] = n
        m += first[r + 1] - first[r] if is_new else 0
    return m


@compiled
def _is_before(vertices, s, row_of, r, u):
    """Whether a point of stencil s before its u-th has the row r."""
    found = False
    for v in range(u):
        found |= row_of[vertices[s, v]] == r
    return found


@compiled
def add_point(scale, v, at, weight, lever):
    """Add point v, whose row is at a place, to a lever (12,); soft vertices have the weights (1, 0, 0, 0)."""
    for a in range(4):
        lever[at + a] += scale * weight[v, a]


@compiled
def place_point(points, rows, x, v, y):
    """Write the place of point v to y (3,), with nodes x (N, 3)."""
    first, end = rows.first[points.row[v]], rows.first[points.row[v] + 1]
    for k in range(3):
        y[k] = 0.0
        for n in range(first, end):
            y[k] += points.weight[v, n - first] * x[n, k]


@compiled
def lever_of(kind, vertices, s, w, place, m, weight, lever):
    """Fill the lever (m,) of stencil s for weights w (4,) of its points."""
    for a in range(m):
        lever[a] = 0.0
    for v in range(1 if kind[s] == PLANE else 4):
        add_point(w[v], vertices[s, v], place[v], weight, lever)


@compiled
def distance(kind, vertices, s, y, planes, w, n):
    """The distance of stencil s, with points y (V, 3); fills w (4,) and the normal n (3,), 0 where both touch.

    Planes are (n, n·p).
    """
    if kind[s] == PLANE:
        p, v = vertices[s, 1], vertices[s, 0]
        w[0] = 1.0
        n[0], n[1], n[2] = planes[p, 0], planes[p, 1], planes[p, 2]
        return n[0] * y[v, 0] + n[1] * y[v, 1] + n[2] * y[v, 2] - planes[p, 3]
    d = np.sqrt(closest_points(kind[s], y, row(vertices, s), w, n))
    if d > 0.0:  # else they intersect
        n[0], n[1], n[2] = n[0] / d, n[1] / d, n[2] / d
    return d


@compiled
def is_apart(kind, vertices, s, y, reach):
    """Whether boxes prove that the primitives of stencil s are farther apart than a distance."""
    if kind[s] == PLANE:
        return False
    for k in range(3):
        a, b, c, d = y[vertices[s, 0], k], y[vertices[s, 1], k], y[vertices[s, 2], k], y[vertices[s, 3], k]
        low, high = min(c, d), max(c, d)
        if kind[s] == EDGES:
            if min(a, b) - high >= reach or low - max(a, b) >= reach:
                return True
        elif a - max(b, high) >= reach or min(b, low) - a >= reach:
            return True
    return False


class Slides(NamedTuple):
    """Of a stencil its lever and the edges along which closest points can move; room for any."""

    lever: Array  # (ROOM,) of the shortest vector
    levers: Array  # (2, ROOM) of edges
    E: Array  # (2, 3) edges
    G: Array  # (2, 2) inverse of E Eᵀ
    c: Array  # (2, 3 NODES) columns of their Hessian, see `contact.curvature`


@compiled
def make_slides():
    """Room for those of one stencil after the other."""
    of_edges = np.empty((2, ROOM)), np.zeros((2, 3)), np.zeros((2, 2)), np.empty((2, 3 * NODES))
    return Slides(np.empty(ROOM), *of_edges)


@compiled
def sliding(kind, vertices, s, w, of, y, slides):
    """Fill levers and vectors of the edges along which closest points can move; their number.

    `of` are the places (4,) of points among the m nodes, m, and the weights of points.
    """
    (place, m, weight), levers, E, count, base = of, slides.levers, slides.E, 0, -1
    if kind[s] == PLANE:
        return 0
    for v in range(4):
        if kind[s] == EDGES and v == 2:
            base = -1
        if (kind[s] != EDGES and v == 0) or w[v] == 0.0:
            continue
        if base < 0:
            base = v
            continue
        i, j = vertices[s, base], vertices[s, v]
        for a in range(m):
            levers[count, a] = 0.0
        add_point(1.0, j, place[v], weight, levers[count])
        add_point(-1.0, i, place[base], weight, levers[count])
        for k in range(3):
            E[count, k] = y[j, k] - y[i, k]
        count += 1
    return count


@compiled
def add_rows(N, lever, n, levers, c, m, H):
    """Add N ⊗ l lᵀ/2 + Σ_e (n ⊗ l_e) c_eᵀ to the half of a Hessian, for N (3, 3), l (m,), l_e (E, m) and c (E, 3m)."""
    count = len(c)
    of_axis, width = np.empty(3 * NODES), 3 * m
    for k in range(3):
        for q in range(3):
            for b in range(m):
                of_axis[q * m + b] = 0.5 * N[k, q] * lever[b]
        for a in range(m):
            row_of_H, t = H[k * m + a], lever[a]
            if count == 2:
                u, v = n[k] * levers[0, a], n[k] * levers[1, a]
                for b in range(width):
                    row_of_H[b] += t * of_axis[b] + u * c[0, b] + v * c[1, b]
            elif count == 1:
                u = n[k] * levers[0, a]
                for b in range(width):
                    row_of_H[b] += t * of_axis[b] + u * c[0, b]
            else:
                for b in range(width):
                    row_of_H[b] += t * of_axis[b]


@compiled
def add_rank_one(s, u, m, H):
    """Add s u uᵀ/2, for u (3m,)."""
    for a in range(3 * m):
        row_of_H, t = H[a], 0.5 * s * u[a]
        for b in range(3 * m):
            row_of_H[b] += t * u[b]


@compiled
def add_outer(s, n, lever, m, u):
    """u (3m,) += s n ⊗ l."""
    for k in range(3):
        for a in range(m):
            u[k * m + a] += s * n[k] * lever[a]


@compiled
def add_gradient(s, n, lever, nodes, m, g):
    """g (N, 3) += s n ⊗ l."""
    for a in range(m):
        for k in range(3):
            g[nodes[a], k] += s * n[k] * lever[a]


@compiled
def add_to_matrix(H, nodes, m, sums):
    """Add H by the nodes (m,) to `Sums`, and set it to 0; rows that are not free are left out."""
    row_of_node, is_free, matrix, a = sums.row_of_node, sums.is_free, sums.matrix, 0
    while a < m:
        i = row_of_node[nodes[a]]
        high = matrix.first[i + 1] - matrix.first[i]
        b = a
        while b < m and is_free[i]:
            j = row_of_node[nodes[b]]
            wide = matrix.first[j + 1] - matrix.first[j]
            if is_free[j]:
                at = matrix.own[i] if i == j else matrix.start[find(matrix, i, j)]
                block = matrix.numbers[at : at + 9 * high * wide].reshape(3 * high, 3 * wide)
                for c in range(high):
                    for k in range(3):
                        one, target = k * m + a + c, block[3 * c + k]
                        for d in range(wide):
                            for q in range(3):
                                other = q * m + b + d
                                target[3 * d + q] += H[one, other] + H[other, one]
            b += wide
        a += high
    for k in range(3 * m):
        for c in range(3 * m):
            H[k, c] = 0.0
