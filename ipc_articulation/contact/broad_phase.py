"""The primitives of surfaces that may come near each other: boxes around bodies first, then around their primitives.

Only pairs of bodies that touch are looked at, so bodies that overlap by construction (neighbouring links at their
joint) cost nothing. Boxes are those of straight motions from one set of positions to another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.stencils import Stencils, columns_of
from ipc_articulation.contact.surfaces import Surfaces

FEW = 16  # of how many bodies one moves, where it is faster not to sort them


@dataclass(frozen=True)
class Ranges:
    """Where each body's vertices, edges and faces are: body b has first[b] to first[b + 1]."""

    vertices: Ints  # (n + 1,)
    edges: Ints  # (n + 1,)
    faces: Ints  # (n + 1,)


def make_ranges(surfaces: Surfaces) -> Ranges:
    """Ranges of surfaces that are joined body after body."""
    bodies = np.arange(len(surfaces.first))
    owners = surfaces.body[surfaces.edges[:, 0]], surfaces.body[surfaces.faces[:, 0]]
    return Ranges(surfaces.first, *(np.searchsorted(owner, bodies).astype(np.int64) for owner in owners))


def find_stencils(
    surfaces: Surfaces, ranges: Ranges, allowed: Bools, start: Array, end: Array, distance: float
) -> Stencils:
    """Pairs whose boxes come within a distance [m] as vertices move straight from start to end, (V, 3) each.

    Their order does not depend on positions, so sums over them have the same bits whenever they were found.
    """
    primitives = surfaces.body, surfaces.dimension, surfaces.edges, surfaces.faces, surfaces.squared_lengths
    where = ranges.vertices, ranges.edges, ranges.faces
    return Stencils(*_find(*primitives, *where, allowed, start, end, distance))


@compiled
def _find(body, dimension, edges, faces, squares, of_vertices, of_edges, of_faces, allowed, start, end, distance):
    """The columns of the stencils."""
    low, high = np.minimum(start, end), np.maximum(start, end)
    around_low, around_high = _body_boxes(low, high, of_vertices)
    bodies = _in_order(_near_bodies(around_low, around_high, allowed, distance), len(allowed))
    near = np.zeros(len(allowed), dtype=np.bool_)
    for i, j in bodies:
        near[i] = near[j] = True
    edge_low, edge_high = _boxes(low, high, edges, body, near)
    face_low, face_high = _boxes(low, high, faces, body, near)
    around, boxes = (around_low, around_high), (face_low, face_high)
    crossing = _near_primitives(bodies, *around, of_edges, edge_low, edge_high, of_edges, edge_low, edge_high, distance)
    first = _near_primitives(bodies[:, ::-1].copy(), *around, of_faces, *boxes, of_vertices, low, high, distance)
    second = _near_primitives(bodies, *around, of_faces, *boxes, of_vertices, low, high, distance)
    pair, kind, vertices, mollified = columns_of(bodies, dimension, edges, faces, squares, crossing, first, second)
    return bodies, pair, kind, vertices, mollified


@compiled
def _in_order(pairs, n):
    """Pairs (k, 2) of n bodies sorted by their smaller body, then by the other; the smaller one first."""
    keys = np.empty(len(pairs), dtype=np.int64)
    for p in range(len(pairs)):
        keys[p] = min(pairs[p, 0], pairs[p, 1]) * n + max(pairs[p, 0], pairs[p, 1])
    keys.sort()
    ordered = np.empty_like(pairs)
    for p in range(len(pairs)):
        ordered[p, 0], ordered[p, 1] = keys[p] // n, keys[p] % n
    return ordered


def motion_boxes(
    ranges: Ranges, moving: Bools, start: Array, end: Array, low: Array, high: Array
) -> tuple[Array, Array]:
    """Boxes (n, 3) around the motions of moving bodies from start to end, (V, 3) each; of the others low and high."""
    low, high = low.copy(), high.copy()
    _motion_boxes(ranges.vertices, moving, start, end, low, high)
    return low, high


def body_boxes(ranges: Ranges, x: Array) -> tuple[Array, Array]:
    """Boxes (n, 3) around all bodies with vertices at x (V, 3)."""
    return _body_boxes(x, x, ranges.vertices)


def near_moving(low: Array, high: Array, allowed: Bools, moving: Bools, distance: float) -> Ints:
    """Pairs of bodies that touch, one of them moving, whose boxes are within a distance of each other, (k, 2)."""
    if FEW * np.count_nonzero(moving) < len(moving):
        return _near_few(low, high, allowed, np.flatnonzero(moving), distance)
    pairs = _near_bodies(low, high, allowed, distance)
    return pairs[moving[pairs[:, 0]] | moving[pairs[:, 1]]]


def near_bodies(ranges: Ranges, allowed: Bools, x: Array, distance: float) -> Ints:
    """Pairs of bodies that touch and whose boxes at x (V, 3) are within a distance of each other, (k, 2)."""
    return _near_bodies(*_body_boxes(x, x, ranges.vertices), allowed, distance)


@compiled
def _boxes(low, high, primitives, body, near):
    """Boxes of edges or faces from those of their vertices, for the bodies that are near others."""
    box_low, box_high = np.empty((len(primitives), 3)), np.empty((len(primitives), 3))
    for p in range(len(primitives)):
        if not near[body[primitives[p, 0]]]:
            continue
        for k in range(3):
            box_low[p, k], box_high[p, k] = low[primitives[p, 0], k], high[primitives[p, 0], k]
            for v in primitives[p, 1:]:
                box_low[p, k], box_high[p, k] = min(box_low[p, k], low[v, k]), max(box_high[p, k], high[v, k])
    return box_low, box_high


@compiled
def _body_boxes(low, high, first):
    n = len(first) - 1
    body_low, body_high = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
    for b in range(n):
        for v in range(first[b], first[b + 1]):
            for k in range(3):
                body_low[b, k] = min(body_low[b, k], low[v, k])
                body_high[b, k] = max(body_high[b, k], high[v, k])
    return body_low, body_high


@compiled
def have_moved(low, high, low_now, high_now):
    """Which of the boxes (n, 3) differ from what they are now, (n,)."""
    moved = np.zeros(len(low), dtype=np.bool_)
    for b in range(len(low)):
        for k in range(3):
            if low[b, k] != low_now[b, k] or high[b, k] != high_now[b, k]:
                moved[b] = True
    return moved


@compiled
def _motion_boxes(first, moving, start, end, low, high):
    for b in range(len(moving)):
        if moving[b]:
            for k in range(3):
                low[b, k], high[b, k] = np.inf, -np.inf
                for v in range(first[b], first[b + 1]):
                    low[b, k] = min(low[b, k], start[v, k], end[v, k])
                    high[b, k] = max(high[b, k], start[v, k], end[v, k])


@compiled
def _near_few(low, high, allowed, moving, distance):
    """Each of a few bodies against all others."""
    pairs, count = np.empty((64, 2), dtype=np.int64), 0
    for i in moving:
        left, right = low[i, 0] - distance, high[i, 0] + distance
        for j in range(len(low)):
            if high[j, 0] < left or low[j, 0] > right or not allowed[i, j]:
                continue
            if not _apart(low[i], high[i], low[j], high[j], distance):
                if count == len(pairs):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return pairs[:count]


@compiled
def _apart(low_a, high_a, low_b, high_b, distance):
    apart = False
    for k in range(3):
        apart |= low_a[k] - high_b[k] > distance or low_b[k] - high_a[k] > distance
    return apart


@compiled
def _near_bodies(low, high, allowed, distance):
    """Sweep along x: bodies in the order of their lower ends, each against those that begin before it ends."""
    order = np.argsort(low[:, 0])
    low, high = low[order], high[order]  # neighbours in memory
    pairs, count = np.empty((64, 2), dtype=np.int64), 0
    for i in range(len(low)):
        right, front, back = high[i, 0] + distance, low[i, 1] - distance, high[i, 1] + distance
        for j in range(i, len(low)):
            if low[j, 0] > right:
                break
            if high[j, 1] < front or low[j, 1] > back:
                continue
            if not _apart(low[i], high[i], low[j], high[j], distance) and allowed[order[i], order[j]]:
                if count == len(pairs):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[count, 0], pairs[count, 1] = order[i], order[j]
                count += 1
    return pairs[:count]


@compiled
def _inside(first, low, high, box_low, box_high, distance):
    """The primitives of a range whose boxes are within a distance of another box."""
    found, count = np.empty(first[1] - first[0], dtype=np.int64), 0
    for p in range(first[0], first[1]):
        if not _apart(low[p], high[p], box_low, box_high, distance):
            found[count] = p
            count += 1
    return found[:count]


@compiled
def _near_primitives(bodies, around_low, around_high, first_a, low_a, high_a, first_b, low_b, high_b, distance):
    """Rows (pair, a, b): a primitive of its first body and one of its second whose boxes are within a distance."""
    rows, count = np.empty((256, 3), dtype=np.int64), 0
    for p in range(len(bodies)):
        i, j = bodies[p, 0], bodies[p, 1]
        a_s = _inside(first_a[i : i + 2], low_a, high_a, around_low[j], around_high[j], distance)
        b_s = _inside(first_b[j : j + 2], low_b, high_b, around_low[i], around_high[i], distance)
        for a in a_s:
            for b in b_s:
                if not _apart(low_a[a], high_a[a], low_b[b], high_b[b], distance):
                    if count == len(rows):
                        rows = np.concatenate((rows, np.empty_like(rows)))
                    rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
                    count += 1
    return rows[:count]
