"""The broad phase: pairs of primitives with close bounding boxes, searched first by bodies, then by primitives.

Only pairs of bodies that may touch are searched, so bodies that overlap by construction (neighbouring links at their
joint) cost nothing. Bounding boxes are those of straight motions from one set of positions to another.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.stencils import Stencils, columns_of
from ipc_articulation.contact.surfaces import Surfaces

_FEW = 16  # if fewer than 1/16 of the bodies move, sorting all bodies is slower
_MANY = 64  # primitives of a body beyond which sorting them is faster
_ROUNDING = 1e-12  # of sums and differences of ends of boxes, relative to these


def find_stencils(surfaces: Surfaces, allowed: Bools, start: Array, end: Array, distance: float) -> Stencils:
    """Pairs whose bounding boxes come within a distance [m] while vertices move from start to end, (V, 3) each.

    Their order does not depend on positions, so sums over them are the same to the last bit for every search.
    """
    s = surfaces
    primitives = s.body, s.dimension, s.edges, s.faces, s.squared_lengths
    return Stencils(*_find(*primitives, s.first, s.first_edges, s.first_faces, allowed, start, end, distance))


@compiled
def _find(body, dimension, edges, faces, squares, of_vertices, of_edges, of_faces, allowed, start, end, distance):
    """The columns of the stencils."""
    n = len(allowed)
    around = motion_boxes(of_vertices, np.ones(n, np.bool_), start, end, np.empty((n, 3)), np.empty((n, 3)))
    bodies = _in_order(_near_bodies(*around, allowed, distance), n)
    near = np.zeros(n, dtype=np.bool_)
    for i, j in bodies:
        near[i] = near[j] = True
    low, high = np.minimum(start, end), np.maximum(start, end)
    by_vertex, by_edge = (of_vertices, low, high), (of_edges, *_boxes(low, high, edges, body, near))
    by_face = (of_faces, *_boxes(low, high, faces, body, near))
    crossing = _near_primitives(bodies, around, by_edge, by_edge, distance)
    first = _near_primitives(bodies[:, ::-1].copy(), around, by_face, by_vertex, distance)
    second = _near_primitives(bodies, around, by_face, by_vertex, distance)
    pair, kind, vertices, mollified = columns_of(bodies, dimension, edges, faces, squares, crossing, first, second)
    return bodies, pair, kind, vertices, mollified


@compiled
def _in_order(pairs, n):
    """Pairs (k, 2) of n bodies sorted by their smaller body, then by the other; the smaller one first."""
    keys = np.minimum(pairs[:, 0], pairs[:, 1]) * n + np.maximum(pairs[:, 0], pairs[:, 1])
    keys.sort()
    return np.stack((keys // n, keys % n), axis=1)


@compiled
def motion_boxes(first, moving, start, end, low, high):
    """Bounding boxes of all bodies, recomputed for those that move.

    Args:
        first: First vertex of each body, and the number of vertices, (n + 1,).
        moving: Bodies that move, (n,).
        start: Positions (V, 3) [m].
        end: Positions (V, 3) [m]; vertices move straight from start to end.
        low: Lower corners of the boxes of the other bodies, (n, 3) [m].
        high: Upper corners, (n, 3) [m].

    Returns:
        Lower and upper corners, (n, 3) each [m].
    """
    low, high = low.copy(), high.copy()
    for b in range(len(moving)):
        if moving[b]:
            for k in range(3):
                least, greatest = np.inf, -np.inf
                for v in range(first[b], first[b + 1]):
                    least, greatest = min(least, start[v, k], end[v, k]), max(greatest, start[v, k], end[v, k])
                low[b, k], high[b, k] = least, greatest
    return low, high


@compiled
def have_moved(low, high, low_now, high_now):
    """Whether each old bounding box (n, 3) differs from the present one, (n,)."""
    moved = np.zeros(len(low), dtype=np.bool_)
    for b in range(len(low)):
        for k in range(3):
            moved[b] |= low[b, k] != low_now[b, k] or high[b, k] != high_now[b, k]
    return moved


@compiled
def unmoved(pairs, moved):
    """The pairs of bodies (k, 2) without a moved body; moved (n,)."""
    return pairs[~(moved[pairs[:, 0]] | moved[pairs[:, 1]])]


@compiled
def near_moving(low, high, allowed, moving, distance):
    """Pairs of bodies that may touch, one of them moving, whose boxes are within a distance of each other, (k, 2)."""
    if _FEW * np.count_nonzero(moving) < len(moving):
        return _near_few(low, high, allowed, np.flatnonzero(moving), distance)
    pairs = _near_bodies(low, high, allowed, distance)
    return pairs[moving[pairs[:, 0]] | moving[pairs[:, 1]]]


@compiled
def smallest_distance(low, high, pairs):
    """The smallest distance along an axis between the boxes (n, 3) of pairs of bodies (k, 2); 0 if boxes overlap."""
    least = np.inf
    for i, j in pairs:
        distance = 0.0
        for k in range(3):
            distance = max(distance, low[i, k] - high[j, k], low[j, k] - high[i, k])
        least = min(least, distance)
    return least


@compiled
def _boxes(low, high, primitives, body, near):
    """Bounding boxes of edges or faces from those of their vertices, for the bodies that are near others."""
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
def _near_few(low, high, allowed, moving, distance):
    """Pairs of a few moving bodies, each tested against all others."""
    pairs, count = np.empty((64, 2), dtype=np.int64), 0
    for i in moving:
        left, right = low[i, 0] - distance, high[i, 0] + distance
        for j in range(len(low)):
            if high[j, 0] < left or low[j, 0] > right or not allowed[i, j]:
                continue
            if not _apart(low[i], high[i], low[j], high[j], distance):
                pairs = _with_room(pairs, count)
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return pairs[:count]


@compiled
def _with_room(rows, count):
    """The rows, in an array of twice the length if all of them are in use."""
    return np.concatenate((rows, np.empty_like(rows))) if count == len(rows) else rows


@compiled
def _apart(low_a, high_a, low_b, high_b, distance):
    apart = False
    for k in range(3):
        apart |= low_a[k] - high_b[k] > distance or low_b[k] - high_a[k] > distance
    return apart


@compiled
def _near_bodies(low, high, allowed, distance):
    """Sweep along x: bodies sorted by their lower ends, each tested against those that begin before its upper end."""
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
                pairs = _with_room(pairs, count)
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
def _near_primitives(bodies, around, left, right, distance):
    """Pairs of primitives whose boxes are within a distance of each other.

    Many right ones are sorted by their lower ends along the axis on which they extend farthest. Each left one is tested
    against those that begin between its lower end, less the longest box, and its upper end: of two meshes with N
    triangles each, about N·√N pairs instead of N².

    Args:
        bodies: Pairs of bodies, (P, 2).
        around: Lower and upper corners of the boxes of all bodies, (n, 3) each.
        left: For the first bodies: the index of each one's first primitive, and lower and upper corners of the
            primitives' boxes.
        right: The same for the second bodies.
        distance: [m].

    Returns:
        Rows (pair, left primitive, right primitive), (k, 3).
    """
    (low, high), (first_a, low_a, high_a), (first_b, low_b, high_b) = around, left, right
    rows, count = np.empty((256, 3), dtype=np.int64), 0
    for p in range(len(bodies)):
        i, j = bodies[p, 0], bodies[p, 1]
        a_s = _inside(first_a[i : i + 2], low_a, high_a, low[j], high[j], distance)
        b_s = _inside(first_b[j : j + 2], low_b, high_b, low[i], high[i], distance)
        many, k = len(b_s) > _MANY, _long_axis(low_b, high_b, b_s)
        begin, widest = _by_begin(low_b, high_b, b_s, k) if many else (np.empty(0), 0.0)
        for a in a_s:
            before, n, end = count, 0, len(b_s)
            if many:
                slack = distance + _ROUNDING * (abs(low_a[a, k]) + abs(high_a[a, k]) + widest + distance)
                n = np.searchsorted(begin, low_a[a, k] - (widest + slack))
                end = np.searchsorted(begin, high_a[a, k] + slack, side="right")
            for b in b_s[n:end]:
                if not _apart(low_a[a], high_a[a], low_b[b], high_b[b], distance):
                    rows = _with_room(rows, count)
                    rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
                    count += 1
            if many:
                rows[before:count, 2] = np.sort(rows[before:count, 2])
    return rows[:count]


@compiled
def _long_axis(low, high, chosen):
    """The axis along which the boxes of some primitives extend farthest."""
    least, greatest = np.full(3, np.inf), np.full(3, -np.inf)
    for p in chosen:
        for k in range(3):
            least[k], greatest[k] = min(least[k], low[p, k]), max(greatest[k], high[p, k])
    return np.argmax(greatest - least)


@compiled
def _by_begin(low, high, chosen, k):
    """Sort some primitives by the lower ends of their boxes along axis k.

    Returns:
        The sorted lower ends, and the greatest length of a box [m].
    """
    begin, widest = np.empty(len(chosen)), 0.0
    for n in range(len(chosen)):
        begin[n] = low[chosen[n], k]
        widest = max(widest, high[chosen[n], k] - begin[n])
    order = np.argsort(begin, kind="mergesort")
    chosen[:] = chosen[order]
    return begin[order], widest
