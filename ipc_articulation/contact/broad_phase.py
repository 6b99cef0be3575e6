"""The primitives of surfaces that may come near each other: boxes around bodies first, then around their primitives.

Only pairs of bodies that touch are looked at, so bodies that overlap by construction (neighbouring links at their
joint) cost nothing. Boxes are those of straight motions from one set of positions to another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.surfaces import Surfaces

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ranges:
    """Where each body's vertices, edges and faces are: body b has first[b] to first[b + 1]."""

    vertices: Ints  # (n + 1,)
    edges: Ints  # (n + 1,)
    faces: Ints  # (n + 1,)


def make_ranges(surfaces: Surfaces, body_count: int) -> Ranges:
    """Ranges of surfaces that are joined body after body."""
    bodies = np.arange(body_count + 1)
    owners = surfaces.body, surfaces.body[surfaces.edges[:, 0]], surfaces.body[surfaces.faces[:, 0]]
    return Ranges(*(np.searchsorted(owner, bodies).astype(np.int64) for owner in owners))


def find_pairs(
    surfaces: Surfaces, ranges: Ranges, allowed: NDArray[np.bool_], start: Array, end: Array, distance: float
) -> tuple[Ints, Ints]:
    """Pairs whose boxes come within a distance [m] on the way from start to end, (V, 3) each.

    Returns:
        Pairs of edges (k, 2), and pairs of a face and a vertex (k, 2), in an order that does not depend on positions:
        so sums over them have the same bits whenever they were found.
    """
    low, high = np.minimum(start, end), np.maximum(start, end)
    boxes = [_boxes(low, high, primitives) for primitives in (surfaces.edges, surfaces.faces)]
    around = _body_boxes(low, high, ranges.vertices)
    pairs = _in_order(_near_bodies(*around, allowed, distance))
    edges = _near_primitives(pairs, *around, ranges.edges, *boxes[0], ranges.edges, *boxes[0], distance)
    vertices = np.ascontiguousarray(low), np.ascontiguousarray(high)
    sides = [
        _near_primitives(side, *around, ranges.faces, *boxes[1], ranges.vertices, *vertices, distance)
        for side in (pairs, pairs[:, ::-1].copy())
    ]
    return _apart_in_mesh(surfaces, edges, np.concatenate(sides), pairs)


def _in_order(pairs: Ints) -> Ints:
    """Pairs (k, 2) sorted by their smaller body, then by the other; the smaller one first."""
    pairs = np.sort(pairs, axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _apart_in_mesh(surfaces: Surfaces, edges: Ints, faces: Ints, pairs: Ints) -> tuple[Ints, Ints]:
    """The pairs without those of neighbours in a mesh and without doublets, which a body that touches itself brings."""
    if not np.any(pairs[:, 0] == pairs[:, 1]):
        return edges, faces
    first, second = surfaces.edges[edges[:, 0]], surfaces.edges[edges[:, 1]]
    shared = (first[:, :, None] == second[:, None, :]).any(axis=(1, 2))
    same_body = surfaces.body[first[:, 0]] == surfaces.body[second[:, 0]]
    edges = edges[~shared & ~(same_body & (edges[:, 0] >= edges[:, 1]))]
    own = (surfaces.faces[faces[:, 0]] == faces[:, 1, None]).any(axis=1)
    return edges, np.unique(faces[~own], axis=0)


def near_bodies(ranges: Ranges, allowed: NDArray[np.bool_], x: Array, distance: float) -> Ints:
    """Pairs of bodies that touch and whose boxes at x (V, 3) are within a distance of each other, (k, 2)."""
    return _near_bodies(*_body_boxes(x, x, ranges.vertices), allowed, distance)


@njit(cache=True)
def _boxes(low, high, primitives):
    """Boxes of edges or faces from those of their vertices."""
    box_low, box_high = np.empty((len(primitives), 3)), np.empty((len(primitives), 3))
    for p in range(len(primitives)):
        for k in range(3):
            box_low[p, k], box_high[p, k] = low[primitives[p, 0], k], high[primitives[p, 0], k]
            for v in primitives[p, 1:]:
                box_low[p, k], box_high[p, k] = min(box_low[p, k], low[v, k]), max(box_high[p, k], high[v, k])
    return box_low, box_high


@njit(cache=True)
def _body_boxes(low, high, first):
    n = len(first) - 1
    body_low, body_high = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
    for b in range(n):
        for v in range(first[b], first[b + 1]):
            for k in range(3):
                body_low[b, k] = min(body_low[b, k], low[v, k])
                body_high[b, k] = max(body_high[b, k], high[v, k])
    return body_low, body_high


@njit(cache=True)
def _apart(low_a, high_a, low_b, high_b, distance):
    gap = max(low_a[0] - high_b[0], low_b[0] - high_a[0])
    for k in range(1, 3):
        gap = max(gap, low_a[k] - high_b[k], low_b[k] - high_a[k])
    return gap > distance


@njit(cache=True)
def _near_bodies(low, high, allowed, distance):
    """Sweep along x: bodies in the order of their lower ends, each against those that begin before it ends."""
    n = len(low)
    order = np.argsort(low[:, 0])
    pairs, count = np.empty((64, 2), dtype=np.int64), 0
    for s in range(n):
        i = order[s]
        for t in range(s, n):
            j = order[t]
            if low[j, 0] - high[i, 0] > distance:
                break
            if allowed[i, j] and not _apart(low[i], high[i], low[j], high[j], distance):
                if count == len(pairs):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return pairs[:count]


@njit(cache=True)
def _inside(first, low, high, box_low, box_high, distance):
    """The primitives of a range whose boxes are within a distance of another box."""
    found, count = np.empty(first[1] - first[0], dtype=np.int64), 0
    for p in range(first[0], first[1]):
        if not _apart(low[p], high[p], box_low, box_high, distance):
            found[count] = p
            count += 1
    return found[:count]


@njit(cache=True)
def _near_primitives(bodies, around_low, around_high, first_a, low_a, high_a, first_b, low_b, high_b, distance):
    """Pairs of a primitive of the first body and one of the second whose boxes are within a distance, (k, 2)."""
    pairs, count = np.empty((256, 2), dtype=np.int64), 0
    for p in range(len(bodies)):
        i, j = bodies[p, 0], bodies[p, 1]
        a_s = _inside(first_a[i : i + 2], low_a, high_a, around_low[j], around_high[j], distance)
        b_s = _inside(first_b[j : j + 2], low_b, high_b, around_low[i], around_high[i], distance)
        for a in a_s:
            for b in b_s:
                if not _apart(low_a[a], high_a[a], low_b[b], high_b[b], distance):
                    if count == len(pairs):
                        pairs = np.concatenate((pairs, np.empty_like(pairs)))
                    pairs[count, 0], pairs[count, 1] = a, b
                    count += 1
    return pairs[:count]
