"""Fronts with numbers: their elimination, one after the other, and substitutions. For numba.

A front is a square array. When its pivots are eliminated, its first rows are rows of U, and the square beside and below
them is what it leaves, which is added to the front of its parent.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled


@compiled
def front(U, starts, sizes, f):
    """The square array of a front."""
    return U[starts[f] : starts[f + 1]].reshape(sizes[f], sizes[f])


@compiled
def clear(F):
    for r in range(len(F)):
        row = F[r]
        for c in range(r - r % 3, len(F)):
            row[c] = 0.0


@compiled
def add_child(C, place, F):
    """Add what a child C has left, whose threes have a place in F."""
    width = len(C) - 3 * len(place)
    for i in range(len(place)):
        for a in range(3):
            source, target = C[width + 3 * i + a], F[3 * place[i] + a]
            for j in range(i, len(place)):
                from_, to = np.uint64(width + 3 * j), np.uint64(3 * place[j])
                for b in range(np.uint64(3)):
                    target[to + b] += source[from_ + b]
