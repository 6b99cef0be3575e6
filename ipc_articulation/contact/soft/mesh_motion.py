"""How much nearer to each other the vertices of two meshes may have come, without a look at their surfaces.

See `soft_proximity`: the mean motion of the first mesh does not count.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled


@compiled
def holds(first, last, second, after, start, end, skin, x, x_end):
    """Whether both ends of a motion from x to x_end (V, 3) are as near as the skin [m] to places on a way."""
    for to in (x, x_end):
        share = _share(first, last, second, after, start, end, to)
        if not drift(first, last, second, after, start, end, share, to) <= skin:
            return False
    return True


@compiled
def _share(first, last, second, after, start, end, x):
    """The part s of the way from start to end (v + w, 3) of two meshes that is nearest to x (V, 3)."""
    along, square = 0.0, 0.0
    for side in range(2):
        begin, stop, shift = (first, last, -first) if side == 0 else (second, after, last - first - second)
        for v in range(begin, stop):
            for k in range(3):
                way = end[v + shift, k] - start[v + shift, k]
                along += way * (x[v, k] - start[v + shift, k])
                square += way * way
    return min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0


@compiled
def drift(first, last, second, after, start, end, share, x):
    """How much nearer at x (V, 3) two meshes may be than at start + share (end - start), (v + w, 3) [m]."""
    t, worst = np.zeros(3), np.zeros(2)
    for v in range(first, last):
        for k in range(3):
            before = start[v - first, k] + share * (end[v - first, k] - start[v - first, k])
            t[k] += (x[v, k] - before) / (last - first)
    for side in range(2):
        begin, stop, shift = (first, last, -first) if side == 0 else (second, after, last - first - second)
        for v in range(begin, stop):
            square = 0.0
            for k in range(3):
                before = start[v + shift, k] + share * (end[v + shift, k] - start[v + shift, k])
                square += (x[v, k] - before - t[k]) ** 2
            worst[side] = max(worst[side], square)
    return np.sqrt(worst[0]) + np.sqrt(worst[1])
