"""Positions in a Cholesky factor: the part of a factorisation that does not depend on values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.by_fronts.front_tree import Fronts, front_tree
from ipc_articulation.engine.linear_system.masks import OWN, couplings, graph, grouped, nodes
from ipc_articulation.engine.linear_system.minimum_degree import minimum_degree


class Sources(NamedTuple):
    """Parts of blocks of H that are to be added in fronts, front by front.

    Each has the number of its first entry in the array of blocks (.., 12, 12); its row and column in the front, where a
    column left of the row stands for the transposed part; its height and its width.
    """

    first: Ints  # (f + 1,)
    parts: Ints  # (c, 5)


class FrontPattern(NamedTuple):
    """Pattern of H = UᵀU, H in k rows of twelve, U in f fronts; see `Fronts`."""

    is_split: Ints  # (k,) 1: a row by vertices, see `masks`
    threes: Ints  # (4 k,) three s of row i is number threes[4 i + s] of the order of elimination
    fronts: Fronts
    starts: Ints  # (f + 1,) front i is at U[starts[i] : starts[i + 1]]
    own: Sources  # in the blocks on H's diagonal
    pairs: Sources  # in those above it


@compiled
def front_pattern(is_split, rows, cols, own_masks, masks):
    """The pattern for diagonal blocks of k rows, and others at (rows, cols), (m,) each, no place twice, nor transposed.

    Args:
        is_split: (k,), 1 where a row of four vertices is four nodes of the graph.
        rows: (m,).
        cols: (m,).
        own_masks: Which vertices of a split row are coupled, (k,), see `masks`.
        masks: What is coupled in the other blocks, (m,).
    """
    node, weight = nodes(is_split)
    k = np.arange(len(is_split))
    own = couplings(is_split, node, k, k, own_masks | OWN)
    pairs = couplings(is_split, node, rows, cols, masks)
    order, first, members = minimum_degree(*graph(own, pairs, len(weight)), weight)
    fronts = front_tree(order, first, members, weight)
    threes = np.empty(len(node), dtype=np.int64)
    for t in range(len(node)):
        threes[t] = fronts.start[node[t]] + (0 if is_split[t // 4] else t % 4)
    starts = np.zeros(len(fronts.first), dtype=np.int64)
    starts[1:] = np.cumsum(fronts.sizes**2)
    of_front = np.repeat(np.arange(len(fronts.parent)), np.diff(fronts.pivots))
    sources = _sources(own, weight, fronts, of_front), _sources(pairs, weight, fronts, of_front)
    return FrontPattern(is_split, threes, fronts, starts, *sources)


@compiled
def _sources(coupled, weight, fronts, of_front):
    """What `Couplings` of nodes with a weight (n,) add to fronts; `of_front` (4 k,) is the front of each three."""
    left, right = fronts.start[coupled.left], fronts.start[coupled.right]
    first, some = grouped(of_front[np.minimum(left, right)], np.arange(len(left)), len(fronts.parent))
    parts = np.empty((len(some), 5), dtype=np.int64)
    for f in range(len(fronts.parent)):
        for s in range(first[f], first[f + 1]):
            c = some[s]
            parts[s, 0] = coupled.entry[c]
            parts[s, 1], parts[s, 2] = 3 * _place(fronts, f, left[c]), 3 * _place(fronts, f, right[c])
            parts[s, 3], parts[s, 4] = 3 * weight[coupled.left[c]], 3 * weight[coupled.right[c]]
    return Sources(first, parts)


@compiled
def _place(fronts, f, three):
    """Of a three in front f."""
    begin, end = fronts.pivots[f], fronts.pivots[f + 1]
    if three < end:
        return three - begin
    return end - begin + np.searchsorted(fronts.border[fronts.first[f] : fronts.first[f + 1]], three)
