"""Second-order corrections of Newton steps: gaps that close by what turns them.

To first order a step δx changes the gap d of a stencil by n·δc. Where a vertex slides by s over a face that turns by φ
this is wrong by s φ, many times a small gap. Newton's method then opens a gap that is pressed again and again, and the
face comes back each time (the effect of Maratos 1978, «Exact penalty function algorithms for finite dimensional and
control optimization problems»). By the slips a = (EᵀE)⁻¹ Eᵀδc along the edges E_k after the step, along which the
closest points can move, the gap changes besides by

    e = -Σ_k a_k b_k,     b_k = n·E_k.

Where that alone closes a gap, e < -d, the linear model of its barrier starts from d + e in place of d: the second-order
correction of sequential quadratic programming (Nocedal, Wright 2006, «Numerical optimization», section 18.3),

    dx ← dx - H⁻¹ Σ κ B''(d) e ∂d/∂x.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.barriers import cross_of, is_led
from ipc_articulation.contact.curvature import invert_gram
from ipc_articulation.contact.stencils import NODES, add_gradient, lever_of, make_slides, place_rows, sliding


@compiled
def add_corrections(scene, square, stencils, some, y, ahead, loads):
    """Add loads (N, 3) of gaps that close by what turns them; whether there is any."""
    weight, table, vertices = scene.points.weight, scene.table, stencils.vertices
    place, nodes, slides = np.empty(4, dtype=np.int64), np.empty(NODES, dtype=np.int64), make_slides()
    lever, E, G, e, moved, found = slides.lever, slides.E, slides.G, np.empty((3, 3)), np.empty(3), False
    for k in range(len(some.of)):
        s, d, w, n = some.of[k], some.distance[k], some.w[k], some.n[k]
        if is_led(scene.points.is_soft, stencils.pair, s):
            continue
        place[:] = 0
        count, sunk = sliding(stencils.kind, vertices, s, w, (place, 0, weight), ahead, slides), 0.0
        if count == 0 or not invert_gram(E, count, G):
            continue
        for c in range(3):
            moved[c] = 0.0
            for v in range(4):
                moved[c] += w[v] * (ahead[vertices[s, v], c] - y[vertices[s, v], c])
        for a in range(count):
            for b in range(count):
                sunk -= (
                    G[a, b]
                    * (E[b, 0] * moved[0] + E[b, 1] * moved[1] + E[b, 2] * moved[2])
                    * (E[a, 0] * n[0] + E[a, 1] * n[1] + E[a, 2] * n[2])
                )
        model = table.model[stencils.pair[s, 0], stencils.pair[s, 1]]
        xi, eps = table.xi[model], stencils.mollified[s]
        if sunk >= xi - d or (eps > 0.0 and cross_of(vertices, s, y, e) < eps):
            continue
        m = place_rows(stencils.kind, vertices, s, scene.points.row, scene.rows.first, place, nodes)
        lever_of(stencils.kind, vertices, s, w, place, m, weight, lever)
        curvature = barrier(d - xi, table.d_hat[model], xi)[2]
        add_gradient(square * stencils.kappa[s] * curvature * sunk, n, lever, nodes, m, loads)
        found = True
    return found
