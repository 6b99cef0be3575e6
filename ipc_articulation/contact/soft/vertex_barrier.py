"""The barrier by vertices: E = κ m B(d², d̂²) of one stencil, and its derivatives by its four vertices.

The difference of the closest points is c = Σ w_a x_a (see `closest_points`), d = |c|, n = c/d, so that

    ∂d/∂x_a = w_a n,   ∂E = κ B' ∂d,   ∂²E = κ B'' ∂d ∂dᵀ + κ B' ∂²d.

The projected Hessian is that of `pair_barrier`: B'' and -∂²d by their positive parts, the latter by the forms of
`curvature`; likewise the mollifier of edges that are almost parallel (see `mollified`). Vectors by vertices are in the
order of the vertices, three numbers each.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges, length_squared, mollifier
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.soft.vertex_curvature import add_curvature
from ipc_articulation.contact.soft.vertex_mollifier import add_mollified
from ipc_articulation.contact.soft.vertex_rows import SIZE, add_rank_one, add_vector, outer


@compiled(nogil=True)
def derivatives(pair, kind, vertices, mollified, x, kappa, d_hat, xi, project, slopes):
    """Gradients (k, 12) and Hessians (k, 12, 12) of stencils within d̂ at x (V, 3), projected or exact.

    Args:
        pair: This and the next three are columns of `Stencils`.
        kind: (k,).
        vertices: (k, 4).
        mollified: (k,).
        x: Positions of vertices [m].
        kappa: κ = dt² κ_c of each pair, (P,).
        d_hat: d̂ [m].
        xi: ξ [m].
        project: Whether the Hessians of a pair are projected, (P,).
        slopes: B' and the slope that takes the place of B'', (k, 2), see `foresight.slopes`.
    """
    g, H = np.zeros((len(pair), SIZE)), np.zeros((len(pair), SIZE, SIZE))
    w, n, u = np.empty(4), np.empty(3), np.empty(SIZE)
    e1, e2, z = np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(pair)):
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, w, n))
        for k in range(3):
            n[k] /= d
        outer(w, n, u)
        B, slope, _ = barrier(d - xi, d_hat, xi)
        curvature = slopes[s, 1]
        square = cross_of_edges(x, v, e1, e2, z) if mollified[s] > 0.0 else np.inf
        scale, is_projected = kappa[pair[s]], project[pair[s]]
        if square < mollified[s]:
            add_mollified(scale, B, slope, curvature, u, square, mollified[s], e1, e2, z, is_projected, g[s], H[s])
            if is_projected and 2.0 * square >= d * d * max(length_squared(e1), length_squared(e2)):
                continue
            slope *= mollifier(square, mollified[s])[0]
        else:
            add_vector(scale * slope, u, g[s])
            add_rank_one(scale * (max(curvature, 0.0) if is_projected else curvature), u, H[s])
        add_curvature(-scale * slope, d, kind[s], x, v, w, n, is_projected, H[s])
    return g, H
