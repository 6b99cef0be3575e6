"""Fronts: unknowns that are eliminated together, as a dense matrix.

Unknowns count in threes: a node is a body, with four threes, or a vertex, with one. Minimum degree gives the order in
which nodes are eliminated, and the neighbours L_k that the k-th one has then. The parent of a node is the first of
them; what its elimination leaves is added to the front of the parent. A front takes in that of a child where that saves
more than the multiplications with the zeros that it gets from the child's columns: with w unknowns to eliminate and u
others, m = w + u, a front costs

    (m³ - u³)/3  additions and multiplications,  m² numbers to clear, to add to and to store,  and a number of calls.

Source: Duff, Reid, «The multifrontal solution of indefinite sparse symmetric linear equations», ACM Trans. Math. Softw.
9 (1983); Ashcraft, Grimes, «The influence of relaxed supernode partitions on the multifrontal method», ibid. 15 (1989).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.compiled import compiled

_MOVED = 30.0  # additions and multiplications that take as long as moving one number
_CALLS = 3000.0  # and as long as the calls for a front


class Fronts(NamedTuple):
    """The tree of f fronts, each after its children; threes of unknowns are numbered in the order of elimination."""

    start: Ints  # (n,) first three of each node
    pivots: Ints  # (f + 1,) front i eliminates the threes pivots[i] : pivots[i + 1]
    first: Ints  # (f + 1,) and leaves border[first[i] : first[i + 1]]
    border: Ints  # ascending in each front
    place: Ints  # of a three of the border: its place in the front of the parent
    parent: Ints  # (f,) -1 of a root
    child: Ints  # (f,) the last child, -1 without
    sibling: Ints  # (f,) the child before it of the same parent
    sizes: Ints  # (f,) unknowns of a front


@compiled
def front_tree(order, first, members, weight):
    """The tree.

    Args:
        order: The nodes as they are eliminated, (n,).
        first: Neighbours of the k-th are members[first[k] : first[k + 1]] at its elimination, (n + 1,).
        members: Nodes.
        weight: Threes of each node, (n,).
    """
    n = len(order)
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    parent, top = _merged(order, first, members, weight, position)
    fronts, front, upper = _postorder(parent, top)
    start, pivots = _numbered(order, weight, front, len(fronts))
    begin, border = _borders(fronts, first, members, weight, start)
    child, sibling = np.full(len(fronts), -1), np.full(len(fronts), -1)
    for f in range(len(fronts)):
        if upper[f] >= 0:
            sibling[f], child[upper[f]] = child[upper[f]], f
    sizes = 3 * np.diff(pivots + begin)
    return Fronts(start, pivots, begin, border, _places(pivots, begin, border, upper), upper, child, sibling, sizes)


@compiled
def _merged(order, first, members, weight, position):
    """Of each elimination its parent (n,), -1 without, and the last of its front (n,)."""
    n = len(order)
    parent, into = np.full(n, -1), np.arange(n)
    width, below = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for k in range(n):
        width[k] = weight[order[k]]
        for node in members[first[k] : first[k + 1]]:
            below[k] += weight[node]
            if parent[k] < 0 or position[node] < parent[k]:
                parent[k] = position[node]
    for k in range(n):
        p = parent[k]
        if p >= 0:
            apart = cost(width[k], below[k]) + cost(width[p], below[p])
            if cost(width[k] + width[p], below[p]) <= apart:
                into[k] = p
                width[p] += width[k]
    for k in range(n - 1, -1, -1):
        into[k] = into[into[k]]
    return parent, into


@compiled
def cost(width, below):
    """Of a front with so many threes, in additions and multiplications."""
    u, m = 3.0 * below, 3.0 * (width + below)
    return (m * m * m - u * u * u) / 3.0 + _MOVED * m * m + _CALLS


@compiled
def _postorder(parent, top):
    """Fronts (f,) by their last eliminations, of each elimination its front (n,), and the parents (f,) of fronts."""
    n = len(top)
    child, sibling = np.full(n + 1, -1), np.full(n, -1)  # the last child has the parent of roots, -1
    above = np.empty(n, dtype=np.int64)
    for k in range(n - 1, -1, -1):
        if top[k] == k:
            above[k] = top[parent[k]] if parent[k] >= 0 else -1
            sibling[k], child[above[k]] = child[above[k]], k
    fronts, number = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    k, count = child[-1], 0
    while k >= 0:
        while child[k] >= 0:
            child[k], k = -1, child[k]
        fronts[count], number[k] = k, count
        count += 1
        k = sibling[k] if sibling[k] >= 0 else above[k]
    upper = np.full(count, -1)
    for f in range(count):
        if above[fronts[f]] >= 0:
            upper[f] = number[above[fronts[f]]]
    return fronts[:count], number[top], upper


@compiled
def _numbered(order, weight, front, count):
    """First three of each node (n,), and of each front (count + 1,)."""
    pivots = np.zeros(count + 1, dtype=np.int64)
    for k in range(len(order)):
        pivots[front[k] + 1] += weight[order[k]]
    pivots = np.cumsum(pivots)
    start, following = np.empty(len(order), dtype=np.int64), pivots[:-1].copy()
    for k in range(len(order)):
        start[order[k]] = following[front[k]]
        following[front[k]] += weight[order[k]]
    return start, pivots


@compiled
def _borders(fronts, first, members, weight, start):
    """The threes that each front leaves, those of its last elimination: where they begin (f + 1,), and they."""
    begin = np.zeros(len(fronts) + 1, dtype=np.int64)
    for f in range(len(fronts)):
        begin[f + 1] = begin[f]
        for node in members[first[fronts[f]] : first[fronts[f] + 1]]:
            begin[f + 1] += weight[node]
    border = np.empty(begin[-1], dtype=np.int64)
    for f in range(len(fronts)):
        at = begin[f]
        for node in members[first[fronts[f]] : first[fronts[f] + 1]]:
            for t in range(weight[node]):
                border[at] = start[node] + t
                at += 1
        border[begin[f] : at] = np.sort(border[begin[f] : at])
    return begin, border


@compiled
def _places(pivots, begin, border, upper):
    """Of each three of a border its place in the parent's front: among its pivots, or after them in its border."""
    place = np.empty_like(border)
    for f in range(len(upper)):
        p = upper[f]
        for s in range(begin[f], begin[f + 1]):
            if border[s] < pivots[p + 1]:
                place[s] = border[s] - pivots[p]
            else:
                at = np.searchsorted(border[begin[p] : begin[p + 1]], border[s])
                place[s] = pivots[p + 1] - pivots[p] + at
    return place
