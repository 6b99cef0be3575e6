"""Islands: sets of bodies that are not coupled to other bodies, so that each is a separate minimisation problem.

An island is identified by its label, the smallest row of its bodies; labels (n,) have one entry per body. A fixed
body couples nothing and is a separate island.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled


@compiled
def join(labels, pairs, movable):
    """Labels (n,) after joining the islands of pairs (m, 2) of bodies that can both move."""
    parent = labels.copy()
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        if movable[i] and movable[j]:
            a, b = _root(parent, i), _root(parent, j)
            parent[max(a, b)] = min(a, b)
    for b in range(len(parent)):
        parent[b] = _root(parent, b)
    return parent


@compiled
def _root(parent, b):
    while parent[b] != b:
        parent[b] = parent[parent[b]]
        b = parent[b]
    return b


@compiled
def total(labels, values):
    """For each body the sum over its island, (n,)."""
    sums = np.zeros(len(values))
    for b in range(len(values)):
        sums[labels[b]] += values[b]
    _spread(labels, sums)
    return sums


@compiled
def largest(labels, values):
    """For each body the largest value in its island, (n,)."""
    best = values.copy()
    for b in range(len(values)):
        best[labels[b]] = max(best[labels[b]], values[b])
    _spread(labels, best)
    return best


@compiled
def anyone(labels, flags):
    """Returns: for each body, whether a flag is set in its island, (n,)."""
    found = np.zeros(len(flags), dtype=np.bool_)
    for b in range(len(flags)):
        if flags[b]:
            found[labels[b]] = True
    _spread(labels, found)
    return found


@compiled
def _spread(labels, values):
    """Give all bodies of an island the value of the first, in place."""
    for b in range(len(values)):
        values[b] = values[labels[b]]  # a label is a body of its island, the one with the smallest row


@compiled
def unfinished(labels, moving, ended, movable):
    """The movable bodies of islands of which one moves and has not ended, (n,); their number, and that at rest."""
    goes_on, number, resting = np.zeros(len(labels), dtype=np.bool_), 0, 0
    for b in range(len(labels)):
        if moving[b] and not ended[b]:
            goes_on[labels[b]] = True
    _spread(labels, goes_on)
    for b in range(len(labels)):
        goes_on[b] = goes_on[b] and movable[b]
        if goes_on[b]:
            number += 1
            resting += not moving[b]
    return goes_on, number, resting
