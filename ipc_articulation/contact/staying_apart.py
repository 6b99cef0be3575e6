"""Stencils that a motion does not bring near each other: left out of the candidates, because boxes are a coarse test.

A unit axis n proves that two primitives stay at least g apart while their vertices move straight, if n·rₖ ≥ g at the
start and at the end, for all corners rₖ of the polygon of differences (see `ccd`). Tried are the axis that served the
stencil before, and the direction of the shortest vector at the end.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.ccd import keeps, load
from ipc_articulation.contact.closest_points import EDGES, closest_points, row

_MORE = 1.0 + 1e-6  # of the distance, so that rounding leaves out no stencil that is within it


@compiled
def come_near(pair, kind, vertices, start, end, distance):
    """The stencils that are not proven to stay the distance of their pair of bodies apart.

    Args:
        pair: (k,).
        kind: (k,).
        vertices: (k, 4).
        start: Positions (V, 3) [m].
        end: Positions (V, 3) [m]; vertices move straight from start to end.
        distance: Of each pair of bodies, (P,) [m].

    Returns:
        Their rows, and how far apart they are at the end [m], (c,) each.
    """
    found, count, apart = np.empty(len(kind), dtype=np.int64), 0, np.empty(len(kind))
    r, v, w, n = np.empty((4, 3)), np.empty((4, 3)), np.empty(4), np.zeros(3)
    for s in range(len(kind)):
        enough, sides = _MORE * distance[pair[s]], load(kind[s], vertices, s, start, end, r, v)
        if keeps(r, v, sides, 1.0, n, enough):
            continue
        d = np.sqrt(closest_points(kind[s], end, row(vertices, s), w, n))
        for k in range(3):
            n[k] *= (1.0 if kind[s] == EDGES else -1.0) / d if d > enough else 0.0
        if not keeps(r, v, sides, 1.0, n, enough):
            found[count], apart[count] = s, d
            count += 1
    return found[:count], apart[:count]
