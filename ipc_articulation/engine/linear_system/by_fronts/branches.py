"""Branches of the tree of fronts, which cores factorise side by side, and its top, which comes after them.

A front depends on those below it alone, so the factor has the same bits in whatever order branches are done. A branch
costs at most a share of the whole tree; small ones that follow each other are one piece of work.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.by_fronts.front_tree import cost

_SHARE = 0.25  # of the whole that a branch costs at most; with less, more of the tree is its top
_WORTH = 2e7  # additions and multiplications for which more than one core are used: a millisecond


@compiled
def branches(pivots, first, parent):
    """Where pieces begin and end, (p + 1,), in the order of the fronts, and which fronts are at the top, (f,).

    Args:
        pivots: See `Fronts`, as the others.
        first: (f + 1,).
        parent: (f,).
    """
    n = len(parent)
    below, whole = np.zeros(n), 0.0
    for f in range(n):
        below[f] += cost(pivots[f + 1] - pivots[f], first[f + 1] - first[f])
        if parent[f] >= 0:
            below[parent[f]] += below[f]
        else:
            whole += below[f]
    is_top = below > (_SHARE * whole if whole > _WORTH else np.inf)
    bounds, count, piece = np.zeros(n + 2, dtype=np.int64), 0, 0.0
    for f in range(n):
        if not is_top[f] and (parent[f] < 0 or is_top[parent[f]]):
            piece += below[f]
            if whole > _WORTH and piece > 0.5 * _SHARE * whole:
                count, piece = count + 1, 0.0
                bounds[count] = f + 1
    if bounds[count] < n or count == 0:
        count += 1
    bounds[count] = n
    return bounds[: count + 1], is_top
