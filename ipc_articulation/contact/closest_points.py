"""The closest points of two primitives, for numba (Ericson 2005, «Real-time collision detection», chapter 5).

The difference of the two points is c = Σ w_k x_k over the four vertices: w = (1, -β₀, -β₁, -β₂) for a vertex and a
face, w = (1-s, s, -(1-t), -t) for two edges. c is the shortest vector between both, so changes of w do not contribute
to the derivative of D = c·c: ∂D/∂x_k = 2 w_k c.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

EDGES = 0  # kind of a stencil: two edges; otherwise a vertex and a face
_PARALLEL = 1e-14  # squared sine below which only the ends of two edges are compared


@compiled
def row(vertices, s):
    """The four vertices of stencil s as a tuple: numba reads it faster than a row of an array."""
    return vertices[s, 0], vertices[s, 1], vertices[s, 2], vertices[s, 3]


@compiled
def closest_points(kind, x, vertices, w, c):
    """Fill w (4,) and c (3,) for the stencil of four vertices (see `row`) at x (V, 3); returns D = c·c."""
    if kind == EDGES:
        _two_edges(x, vertices, w)
    else:
        _vertex_and_face(x, vertices, w)
    return _difference(x, vertices, w, c)


@compiled
def _difference(x, vertices, w, c):
    for m in range(3):
        c[m] = 0.0
        for k in range(4):
            c[m] += w[k] * x[vertices[k], m]
    return c[0] * c[0] + c[1] * c[1] + c[2] * c[2]


@compiled
def _dot(x, a, b, c, d):
    """(x_b - x_a)·(x_d - x_c)."""
    return (
        (x[b, 0] - x[a, 0]) * (x[d, 0] - x[c, 0])
        + (x[b, 1] - x[a, 1]) * (x[d, 1] - x[c, 1])
        + (x[b, 2] - x[a, 2]) * (x[d, 2] - x[c, 2])
    )


@compiled
def _place(x, p, a, b):
    """Parameter in [0, 1] of the point of the edge (a, b) closest to vertex p."""
    length = _dot(x, a, b, a, b)
    return min(max(_dot(x, a, b, a, p) / length, 0.0), 1.0) if length > 0.0 else 0.0


@compiled
def _vertex_and_face(x, vertices, w):
    """Fill w according to the region of the face's plane in which the projection of p lies (Ericson, 5.1.5)."""
    p, a, b, c = vertices[0], vertices[1], vertices[2], vertices[3]
    w[0], w[1], w[2], w[3] = 1.0, 0.0, 0.0, 0.0
    d1, d2 = _dot(x, a, b, a, p), _dot(x, a, c, a, p)
    if d1 <= 0.0 and d2 <= 0.0:
        w[1] = -1.0
        return
    d3, d4 = _dot(x, a, b, b, p), _dot(x, a, c, b, p)
    if d3 >= 0.0 and d4 <= d3:
        w[2] = -1.0
        return
    d5, d6 = _dot(x, a, b, c, p), _dot(x, a, c, c, p)
    if d6 >= 0.0 and d5 <= d6:
        w[3] = -1.0
        return
    area_c, area_b, area_a = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    if area_c <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s = _place(x, p, a, b)
        w[1], w[2] = s - 1.0, -s
    elif area_b <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s = _place(x, p, a, c)
        w[1], w[3] = s - 1.0, -s
    elif area_a <= 0.0 and d4 >= d3 and d5 >= d6:
        s = _place(x, p, b, c)
        w[2], w[3] = s - 1.0, -s
    else:
        total = area_a + area_b + area_c
        w[2], w[3] = -area_b / total, -area_c / total
        w[1] = -1.0 - w[2] - w[3]


@compiled
def _two_edges(x, vertices, w):
    """Fill w: for the closest points of the lines if these are inside both edges, else for one of the four ends."""
    a, b, c, d = vertices[0], vertices[1], vertices[2], vertices[3]
    aa, ab, bb = _dot(x, a, b, a, b), _dot(x, a, b, c, d), _dot(x, c, d, c, d)
    square = aa * bb - ab * ab
    if square > _PARALLEL * aa * bb:
        ra, rb = _dot(x, a, b, a, c), _dot(x, c, d, a, c)
        s, t = (ra * bb - rb * ab) / square, (ra * ab - rb * aa) / square
        if 0.0 < s < 1.0 and 0.0 < t < 1.0:
            w[0], w[1], w[2], w[3] = 1.0 - s, s, t - 1.0, -t
            return
    _ends_of_edges(x, vertices, w)


@compiled
def _ends_of_edges(x, vertices, w):
    best, end, place = np.inf, 0, 0.0
    for k in range(4):
        other = 2 if k < 2 else 0  # the other edge than that of the end
        s = _place(x, vertices[k], vertices[other], vertices[other + 1])
        D = 0.0
        for m in range(3):
            c = x[vertices[k], m] - (1.0 - s) * x[vertices[other], m] - s * x[vertices[other + 1], m]
            D += c * c
        if best > D:
            best, end, place = D, k, s
    other, sign = (2, 1.0) if end < 2 else (0, -1.0)
    w[0], w[1], w[2], w[3] = 0.0, 0.0, 0.0, 0.0
    w[end], w[other], w[other + 1] = sign, sign * (place - 1.0), -sign * place
