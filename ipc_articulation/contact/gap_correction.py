"""The second-order part of a gap: along the normal that a step turns, for numba.

To first order a step δx changes the gap d of a stencil by n·δc, with c = Σ w_k x_k and n = c/|c|. Where a vertex slides
by s over a face that turns by φ this is wrong by s φ, many times a small gap. Newton's method then opens a gap that is
pressed again and again, and the face comes back each time (the effect of Maratos 1978, «Exact penalty function
algorithms for finite dimensional and control optimization problems»). But with w held, the edges of a stencil's
features (two of a face, one of an edge) change linearly, and the normal n' that is orthogonal to them after the step is
known. With c' = c + δc,

    d' = n'·c' = d + n·δc + e,     e = (n' - n)·c'

is the signed distance, after the step, of the planes or lines in which the features lie. The linear model of a gap
starts from d + e in place of d: the second-order correction of sequential quadratic programming (Nocedal, Wright 2006,
«Numerical optimization», section 18.3).

On the way, at the part τ of the step, the gap is d + τ n·δc + τ² e and terms of higher order. So only e < 0 is used:
with e > 0 a gap that is open at the end may be closed halfway. And only small gaps have it, which a hit has pressed:
around fine meshes the plane of a face says little of the surface where a step leads (a chain net takes 12 % more
iterations if all gaps have it, and none more so).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, dot, length_squared
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.stencils import VERTEX_OF_SECOND

PRESSED = 0.03  # of d̂: gaps below this are corrected
_FLAT = 1e-6  # squared sine of two edges below which they have no normal
_TURNED = 0.5  # cosine of the angle of n and n' below which n' tells nothing


@compiled
def gap_correction(kind, vertices, w, c, points, x, dq, i, j, scratch):
    """Returns: min(e, 0) [m] of a stencil for a step dq (n, 12).

    Args:
        kind: As in `Stencils`.
        vertices: Its four vertices, see `closest_points.row`.
        w: Its weights, (4,).
        c: Its vector between the closest points, (3,) [m].
        points: Local positions of all vertices, (V, 3) [m].
        x: Their positions, (V, 3) [m].
        dq: The step.
        i: The first body.
        j: The second body.
        scratch: (8, 3).
    """
    to, edges, after, normal = scratch[:4], scratch[4:6], scratch[6], scratch[7]
    _place_ahead(kind, vertices, points, x, dq, i, j, to)
    if not _find_normal(c, edges, _edges(kind, w, to, edges), normal):
        return 0.0
    d = np.sqrt(length_squared(c))
    for m in range(3):
        after[m] = w[0] * to[0, m] + w[1] * to[1, m] + w[2] * to[2, m] + w[3] * to[3, m]
    return min(dot(normal, after) - dot(c, after) / d, 0.0)


@compiled
def _place_ahead(kind, vertices, points, x, dq, i, j, to):
    """Write where the vertices are after the step to (4, 3)."""
    left = 2 if kind == EDGES else 1
    for k in range(4):
        b, v = i if (k < left) != (kind == VERTEX_OF_SECOND) else j, vertices[k]
        for m in range(3):
            a = 3 + 3 * m
            turned = dq[b, a] * points[v, 0] + dq[b, a + 1] * points[v, 1] + dq[b, a + 2] * points[v, 2]
            to[k, m] = x[v, m] + dq[b, m] + turned


@compiled
def _edges(kind, w, to, edges):
    """Write edges (2, 3) of the features with the closest points, whose weights are not zero. Returns: their number."""
    count, middle = 0, 2 if kind == EDGES else 1
    for low, high in ((0, middle), (middle, 4)):
        first = -1
        for k in range(low, high):
            if w[k] != 0.0 and first < 0:
                first = k
            elif w[k] != 0.0:
                for m in range(3):
                    edges[count, m] = to[k, m] - to[first, m]
                count += 1
    return count


@compiled
def _find_normal(c, edges, count, normal):
    """Write n' (3,), orthogonal to the edges, and nearest to c if there is only one. Returns: whether there is any."""
    if count == 2:
        cross(edges[0], edges[1], normal)
        has_none = length_squared(normal) <= _FLAT * length_squared(edges[0]) * length_squared(edges[1])
    else:
        square = length_squared(edges[0])
        has_none = count == 0 or square == 0.0
        along = 0.0 if has_none else dot(c, edges[0]) / square
        for m in range(3):
            normal[m] = c[m] - along * edges[0, m]
    length = np.sqrt(length_squared(normal) * length_squared(c))
    cosine = 0.0 if has_none or length == 0.0 else dot(c, normal) / length
    if abs(cosine) < _TURNED:
        return False
    scale = np.sign(cosine) / np.sqrt(length_squared(normal))
    for m in range(3):
        normal[m] *= scale
    return True
