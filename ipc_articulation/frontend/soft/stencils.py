"""Hinges of shells and corners of rods: the stencils of bending, numbered as libuipc does."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Ints


def hinges(triangles: Ints) -> Ints:
    """Vertices (k, 4) of the inner edges, the edge in the middle: x₁ < x₂ are its ends, x₀ < x₃ opposite to it.

    As in libuipc, an edge bends if it has two opposite vertices: not at a border, nor where three triangles meet.
    """
    sides = [np.column_stack([np.sort(triangles[:, [a, b]], axis=1), triangles[:, c]]) for a, b, c in _SIDES]
    found = np.unique(np.concatenate(sides), axis=0)  # (edge, opposite vertex), sorted
    starts = np.flatnonzero(np.r_[True, np.any(found[1:, :2] != found[:-1, :2], axis=1)])
    first = starts[np.diff(np.r_[starts, len(found)]) == 2] if len(found) else starts[:0]
    return np.column_stack([found[first, 2], found[first, 0], found[first, 1], found[first + 1, 2]])


_SIDES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))  # an edge of a triangle, and the vertex opposite to it


def corners(edges: Ints) -> Ints:
    """Vertices (k, 3) of the corners of rods, the middle one second: every pair of edges that meet at a vertex."""
    found = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)  # (vertex, neighbour), sorted
    pairs = [np.zeros((0, 3), dtype=np.int64)]
    for k in range(1, len(found)):
        same = found[k:, 0] == found[:-k, 0]
        if not same.any():
            break
        pairs.append(np.column_stack([found[:-k][same, 1], found[:-k][same, 0], found[k:][same, 1]]))
    return np.concatenate(pairs)


def find_edges(edges: Ints, wanted: Ints) -> Ints:
    """Index in edges (E, 2) of each wanted one (k, 2), whatever their directions; -1 if it is not there."""
    if len(edges) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    size = 1 + max(edges.max(), wanted.max(initial=0))
    keys, sought = (np.min(e, axis=1) * size + np.max(e, axis=1) for e in (edges, wanted))
    order = np.argsort(keys)
    at = order[np.minimum(np.searchsorted(keys, sought, sorter=order), len(keys) - 1)]
    return np.where(keys[at] == sought, at, -1)
