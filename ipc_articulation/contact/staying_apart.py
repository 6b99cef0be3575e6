"""Stencils that a motion does not bring near each other: left out of the candidates, because boxes are a coarse test.

A unit axis n proves that two primitives stay at least g apart while their vertices move straight, if n·rₖ ≥ g at the
start and at the end, for all corners rₖ of the polygon of differences (see `ccd`). Tried are the axis that served the
stencil before, and the directions of the shortest vector at the start and at the end.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.ccd import keeps, load
from ipc_articulation.contact.closest_points import EDGES, closest_points, row

_MORE = 1.0 + 1e-6  # of the distance, so that rounding leaves out no stencil that is within it


@compiled
def come_near(kind, vertices, start, end, distance):
    """Rows of the stencils, (c,), that are not proven to stay a distance [m] apart.

    Args:
        kind: (k,).
        vertices: (k, 4).
        start: Positions (V, 3) [m].
        end: Positions (V, 3) [m]; vertices move straight from start to end.
        distance: [m].
    """
    found, count, enough = np.empty(len(kind), dtype=np.int64), 0, _MORE * distance
    r, v, w, n = np.empty((4, 3)), np.empty((4, 3)), np.empty(4), np.zeros(3)
    for s in range(len(kind)):
        sides = load(kind[s], vertices, s, start, end, r, v)
        if keeps(r, v, sides, 1.0, n, enough):
            continue
        ends = row(vertices, s)
        if not _shortest(kind[s], start, ends, enough, w, n) or not (
            keeps(r, v, sides, 1.0, n, enough)
            or (_shortest(kind[s], end, ends, enough, w, n) and keeps(r, v, sides, 1.0, n, enough))
        ):
            found[count] = s
            count += 1
    return found[:count]


@compiled
def _shortest(kind, x, ends, enough, w, n):
    """Fill n (3,) with the direction of the shortest vector at x (V, 3). Returns: whether it is longer than enough."""
    d = np.sqrt(closest_points(kind, x, ends, w, n))
    if d <= enough:
        n[:] = 0.0
        return False
    sign = 1.0 if kind == EDGES else -1.0
    for k in range(3):
        n[k] *= sign / d
    return True
