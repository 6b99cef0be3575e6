"""Positions in a Cholesky factor: the part of a factorisation that does not depend on values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.by_fronts.branches import branches
from ipc_articulation.engine.linear_system.by_fronts.front_tree import Fronts, front_tree
from ipc_articulation.engine.linear_system.masks import nodes_of
from ipc_articulation.engine.linear_system.minimum_degree import minimum_degree


class Sources(NamedTuple):
    """Where blocks of three by three of H are to be added in fronts, front by front."""

    first: Ints  # (f + 1,)
    entry: Ints  # number of a block's first entry in the array of blocks (.., 12, 12)
    row: Ints  # in the front
    col: Ints  # a column left of the row stands for the transposed block


class FrontPattern(NamedTuple):
    """Pattern of H = UᵀU, H in k rows of twelve, U in f fronts; see `Fronts`."""

    is_split: Ints  # (k,) 1: a row by vertices, see `masks`
    threes: Ints  # (4 k,) three s of row i is number threes[4 i + s] of the order of elimination
    fronts: Fronts
    starts: Ints  # (f + 1,) the rows of U of front i are at U[starts[i] : starts[i + 1]]
    bounds: Ints  # (p + 1,) piece i has the fronts bounds[i] : bounds[i + 1], but for those at the top
    is_top: Bools  # (f,) see `branches`
    stack: Ints  # (f + 1,) where on the stack what a front leaves is, and the size of the stack
    widths: Ints  # (p + 1,) of the widest front of each piece, and of the top
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
    node, weight, begin, neighbours = nodes_of(is_split, rows, cols, own_masks, masks)
    order, first, members = minimum_degree(begin, neighbours, weight)
    fronts = front_tree(order, first, members, weight)
    threes = np.empty(len(node), dtype=np.int64)
    for t in range(len(node)):
        threes[t] = fronts.start[node[t]] + (0 if is_split[t // 4] else t % 4)
    widths, borders = 3 * np.diff(fronts.pivots), 3 * np.diff(fronts.first)
    starts = np.zeros(len(widths) + 1, dtype=np.int64)
    starts[1:] = np.cumsum(widths * (widths + borders))
    bounds, is_top = branches(fronts.pivots, fronts.first, fronts.parent)
    stack = _stack(borders, fronts.parent, bounds, is_top)
    widest = _widest(widths + borders, bounds, is_top)
    k = np.arange(len(is_split))
    own = _sources(k, k, own_masks, is_split, threes, fronts)
    pairs = _sources(rows, cols, masks, is_split, threes, fronts)
    return FrontPattern(is_split, threes, fronts, starts, bounds, is_top, stack, widest, own, pairs)


@compiled
def _stack(borders, parent, bounds, is_top):
    """Where what each front leaves is on the stack, in place of what its children left, (f + 1,), and the size.

    Each piece has a part of the stack, and so has the top; what branches leave stays until the top has taken it.
    """
    count, size = len(borders), 0
    at, low = np.zeros(count + 1, dtype=np.int64), np.full(count, -1)  # low: where the first child's begins
    for piece in range(len(bounds)):
        is_last, used = piece == len(bounds) - 1, size
        for f in range(0 if is_last else bounds[piece], count if is_last else bounds[piece + 1]):
            if is_top[f] != is_last:
                continue
            if low[f] >= 0:
                used = low[f]
            at[f] = used
            if parent[f] >= 0 and low[parent[f]] < 0 and is_top[parent[f]] == is_last:
                low[parent[f]] = used
            used += borders[f] * borders[f]
            size = max(size, used)
    at[count] = size
    return at


@compiled
def _widest(widths, bounds, is_top):
    """Of the fronts of each piece, and of those at the top, (p + 1,)."""
    result = np.zeros(len(bounds), dtype=np.int64)
    for piece in range(len(bounds) - 1):
        for f in range(bounds[piece], bounds[piece + 1]):
            at = len(bounds) - 1 if is_top[f] else piece
            result[at] = max(result[at], widths[f])
    return result


@compiled
def _sources(rows, cols, masks, is_split, threes, fronts):
    """Blocks of three by three in blocks (m, 12, 12) at (rows, cols)."""
    of_front = np.repeat(np.arange(len(fronts.parent)), np.diff(fronts.pivots))
    count = np.zeros(len(fronts.parent) + 1, dtype=np.int64)
    for m in range(len(rows)):
        for a in range(4):
            for b in range(4):
                if _is_source(rows[m], cols[m], a, b, masks[m], is_split):
                    low = min(threes[4 * rows[m] + a], threes[4 * cols[m] + b])
                    count[of_front[low] + 1] += 1
    first = np.cumsum(count)
    entry, row, col = np.empty(first[-1], np.int64), np.empty(first[-1], np.int64), np.empty(first[-1], np.int64)
    following = first[:-1].copy()
    for m in range(len(rows)):
        for a in range(4):
            for b in range(4):
                if _is_source(rows[m], cols[m], a, b, masks[m], is_split):
                    left, right = threes[4 * rows[m] + a], threes[4 * cols[m] + b]
                    f = of_front[min(left, right)]
                    s = following[f]
                    following[f] += 1
                    entry[s] = (DOF * DOF) * m + 3 * (DOF * a + b)
                    row[s], col[s] = _place(fronts, f, left), _place(fronts, f, right)
    return Sources(first, entry, row, col)


@compiled
def _is_source(i, j, a, b, mask, is_split):
    """Whether there is a block of three by three; of those on the diagonal, the lower triangle is not one."""
    if i == j and (a >= b or not is_split[i]):
        return a <= b
    return (mask >> (4 * a + b)) & 1 == 1


@compiled
def _place(fronts, f, three):
    """Of a three in front f."""
    begin, end = fronts.pivots[f], fronts.pivots[f + 1]
    if three < end:
        return three - begin
    return end - begin + np.searchsorted(fronts.border[fronts.first[f] : fronts.first[f + 1]], three)
