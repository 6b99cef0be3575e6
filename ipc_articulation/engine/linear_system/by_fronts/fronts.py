"""Fronts with numbers: their elimination, one after the other, and substitutions. For numba.

A front is a square array. When its pivots are eliminated, its first rows are rows of U, and the square beside and below
them is what it leaves, which is added to the front of its parent.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.by_fronts import dense
from ipc_articulation.engine.linear_system.by_fronts.split_rows import in_rows, ordered


@compiled
def factorise(pattern, diagonal, blocks, U):
    """Make the fronts U of H, each after its children; parts of H that no block connects do not need each other.

    Returns:
        Which rows (k,) are in positive definite parts alone.
    """
    fronts, on_diagonal, above = pattern.fronts, diagonal.reshape(diagonal.size), blocks.reshape(blocks.size)
    pivots, parent, is_definite = fronts.pivots, fronts.parent, np.ones(len(fronts.parent), dtype=np.bool_)
    for f in range(len(parent)):
        if is_definite[f]:
            F = _front(U, pattern.starts, fronts.sizes, f)
            _clear(F)
            _load(pattern.own, f, on_diagonal, F)
            _load(pattern.pairs, f, above, F)
            child = fronts.child[f]
            while child >= 0:
                place = fronts.place[fronts.first[child] : fronts.first[child + 1]]
                _add_child(_front(U, pattern.starts, fronts.sizes, child), place, F)
                child = fronts.sibling[child]
            is_definite[f] = dense.eliminate(F, 3 * (pivots[f + 1] - pivots[f]))
        if parent[f] >= 0:
            is_definite[parent[f]] &= is_definite[f]
    for f in range(len(parent) - 1, -1, -1):
        if parent[f] >= 0:
            is_definite[f] = is_definite[parent[f]]
    result, of_three = np.ones(len(diagonal), dtype=np.bool_), np.repeat(is_definite, np.diff(pivots))
    for t in range(len(pattern.threes)):
        result[t // 4] &= of_three[pattern.threes[t]]
    return result


@compiled
def _front(U, starts, sizes, f):
    """The square array of a front."""
    return U[starts[f] : starts[f + 1]].reshape(sizes[f], sizes[f])


@compiled
def _clear(F):
    for r in range(len(F)):
        row = F[r]
        for c in range(r - r % 3, len(F)):
            row[c] = 0.0


@compiled
def _load(sources, f, entries, F):
    """Add the parts of blocks of H to F, in its upper triangle."""
    for s in range(sources.first[f], sources.first[f + 1]):
        part = sources.parts[s]
        height, width, is_upper = np.uint64(part[3]), np.uint64(part[4]), part[1] <= part[2]
        numbers, at = (F[part[1] :], np.uint64(part[2])) if is_upper else (F[part[2] :], np.uint64(part[1]))
        for a in range(height):
            row = entries[part[0] + DOF * a :]
            for b in range(width):
                if is_upper:
                    numbers[a, at + b] += row[b]
                else:
                    numbers[b, at + a] += row[b]


@compiled
def _add_child(C, place, F):
    """Add what a child C has left, whose threes have a place in F."""
    width = len(C) - 3 * len(place)
    for i in range(len(place)):
        for a in range(3):
            source, target = C[width + 3 * i + a], F[3 * place[i] + a]
            for j in range(i, len(place)):
                from_, to = np.uint64(width + 3 * j), np.uint64(3 * place[j])
                for b in range(np.uint64(3)):
                    target[to + b] += source[from_ + b]


@compiled
def solution(pattern, U, b):
    """The x (k, 12) of UᵀU x = b, for b (k, 12) by the vertices of split rows."""
    x, near, fronts = ordered(pattern, b), np.empty(b.size), pattern.fronts
    for f in range(len(fronts.parent)):
        P, begin, border = _rows(pattern, U, f)
        for c in range(len(P)):
            near[c] = x[begin + c]
        near[len(P) : len(P[0])] = 0.0
        dense.forward(P, near)
        for c in range(len(P)):
            x[begin + c] = near[c]
        for s in range(len(border)):
            for c in range(3):
                x[3 * border[s] + c] += near[len(P) + 3 * s + c]
    for f in range(len(fronts.parent) - 1, -1, -1):
        P, begin, border = _rows(pattern, U, f)
        for c in range(len(P)):
            near[c] = x[begin + c]
        for s in range(len(border)):
            for c in range(3):
                near[len(P) + 3 * s + c] = x[3 * border[s] + c]
        dense.backward(P, near)
        for c in range(len(P)):
            x[begin + c] = near[c]
    return in_rows(pattern, x)


@compiled
def _rows(pattern, U, f):
    """The rows of U of a front, (w, m), the first of its unknowns, and the threes of its border."""
    fronts, begin = pattern.fronts, 3 * pattern.fronts.pivots[f]
    F = _front(U, pattern.starts, fronts.sizes, f)
    return F[: 3 * fronts.pivots[f + 1] - begin], begin, fronts.border[fronts.first[f] : fronts.first[f + 1]]
