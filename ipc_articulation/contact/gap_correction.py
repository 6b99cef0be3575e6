"""The second-order part of a gap, by which a step that turns surfaces closes it, for numba.

To first order a step δx changes the gap d of a stencil by n·δc, with c = Σ w_k x_k and n = c/|c|. Where a vertex slides
by s over a face that turns by φ this is wrong by s φ, many times a small gap. Newton's method then opens a gap that is
pressed again and again, and the face comes back each time (the effect of Maratos 1978, «Exact penalty function
algorithms for finite dimensional and control optimization problems»). By the slips a = (EᵀE)⁻¹ Eᵀδc along the edges E_k
after the step, along which the closest points can move (see `curvature`), the gap changes besides by

    e = -Σ_k a_k b_k,     b_k = n·E_k.

Where that alone closes a gap, e < -d, the linear model of its barrier starts from d + e in place of d: the second-order
correction of sequential quadratic programming (Nocedal, Wright 2006, «Numerical optimization», section 18.3),

    dq ← dq - H⁻¹ Σ κ B″(d) e ∂d/∂q.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges, dot
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.curvature import invert_gram, sliding_edges
from ipc_articulation.contact.pair_blocks import LEVER, add_gradient, lever, outer


@compiled
def add_corrections(bodies, pair, kind, vertices, mollified, points, x, ahead, kappa, d_hat, xi, loads):
    """Add κ B″(d) e ∂d/∂q of the gaps that close to loads (n, 12).

    Args:
        bodies: This and the next four are the columns of `Stencils` within d̂.
        pair: (k,).
        kind: (k,).
        vertices: (k, 4).
        mollified: (k,).
        points: Local positions of the vertices, (V, 3) [m].
        x: Their positions, (V, 3) [m].
        ahead: After the step, (V, 3) [m].
        kappa: κ = dt² κ_c of each pair, (P,).
        d_hat: d̂ [m].
        xi: ξ [m].
        loads: (n, 12).

    Returns:
        Whether there is any.
    """
    w, n, y, u = np.empty(4), np.empty(3), np.empty(LEVER), np.empty(PAIR_DOF)
    e1, e2, z, found = np.empty(3), np.empty(3), np.empty(3), False
    for s in range(len(pair)):
        v, i, j = row(vertices, s), bodies[pair[s], 0], bodies[pair[s], 1]
        d = np.sqrt(closest_points(kind[s], x, v, w, n))
        for k in range(3):
            n[k] /= d
        e = _sunk(kind[s], v, w, n, x, ahead)
        if e < xi - d and not cross_of_edges(x, v, e1, e2, z) < mollified[s]:
            lever(kind[s], points, v, w, y)
            outer(n, y, u)
            add_gradient(kappa[pair[s]] * barrier(d - xi, d_hat, xi)[2] * e, u, i, j, loads)
            found = True
    return found


@compiled
def _sunk(kind, v, w, n, x, ahead):
    """e [m] of a stencil with the normal n (3,) for a step from x to ahead, (V, 3) each."""
    ends, at = np.empty((2, 2), dtype=np.int64), np.empty(2, dtype=np.int64)
    E, G, moved, e = np.zeros((2, 3)), np.zeros((2, 2)), np.zeros(3), 0.0
    count = sliding_edges(kind, v, w, ends, at)
    for m in range(3):
        for k in range(count):
            E[k, m] = ahead[ends[k, 1], m] - ahead[ends[k, 0], m]
        for k in range(4):
            moved[m] += w[k] * (ahead[v[k], m] - x[v[k], m])
    if invert_gram(E, count, G):
        for k in range(count):
            for j in range(count):
                e -= G[k, j] * dot(E[j], moved) * dot(E[k], n)
    return e
