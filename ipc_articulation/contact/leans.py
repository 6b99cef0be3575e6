"""What two soft sides do not slip by: the turn of the gap between them.

The closest points are c = d n apart. If both sides turn alike, by a rotation vector ω, the points are displaced against
each other by ω × c = d δn, though nothing slips. The edges e of the stencil tell how n turns, as n·δe + e·δn = 0:

    δn = -Σᵢ gᵢ n·δeᵢ,   gᵢ·T eⱼ = δᵢⱼ,   T = 1 - nnᵀ,

for two edges of the face, or for both edges. So u = T Σ w_a δx_a - d δn, linear in the vertices, does not change when
both turn, and its forces turn nothing either: the leans l_a are ± d gᵢ. Seen along n, edges that are almost parallel or
very short tell too little, and the leans are 0: so they are where a vertex is beside a face, not above it.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import dot
from ipc_articulation.contact.closest_points import EDGES

_SEEN = 0.1  # of the edges' squared lengths: squared area seen along n, below which they tell too little


@compiled
def leans(kind, vertices, normal, c, is_soft, x):
    """Leans (k, 4, 3) of stencils whose sides are both soft, (k,); of others 0.

    Args:
        kind: (k,) see `Stencils`.
        vertices: (k, 4).
        normal: n, (k, 3).
        c: From the second side's point to the first one's, (k, 3) [m].
        is_soft: (k,).
        x: Vertices (V, 3).
    """
    lean, e1, e2 = np.zeros((len(kind), 4, 3)), np.empty(3), np.empty(3)
    for r in range(len(kind)):
        if not is_soft[r]:
            continue
        i, j, k, m = _ends(kind[r])
        n = normal[r]
        for a in range(3):
            e1[a] = x[vertices[r, j], a] - x[vertices[r, i], a]
            e2[a] = x[vertices[r, m], a] - x[vertices[r, k], a]
        whole = dot(e1, e1) * dot(e2, e2)
        e1 -= dot(e1, n) * n
        e2 -= dot(e2, n) * n
        a11, a12, a22 = dot(e1, e1), dot(e1, e2), dot(e2, e2)
        det = a11 * a22 - a12 * a12
        if det <= _SEEN * whole:
            continue
        d = np.sqrt(dot(c[r], c[r]))
        for a in range(3):
            first, second = d * (a22 * e1[a] - a12 * e2[a]) / det, d * (a11 * e2[a] - a12 * e1[a]) / det
            lean[r, j, a] += first
            lean[r, i, a] -= first
            lean[r, m, a] += second
            lean[r, k, a] -= second
    return lean


@compiled
def _ends(kind):
    """Numbers of the first and last vertices of two edges of a stencil."""
    if kind == EDGES:
        return 0, 1, 2, 3
    return 1, 2, 1, 3
