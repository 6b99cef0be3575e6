"""The broad phase: pairs of primitives that come near each other, searched first by bodies, then by primitives.

Only pairs of bodies that may touch are searched, so bodies that overlap by construction (neighbouring links at their
joint) cost nothing. Bounding boxes are those of straight motions from one set of positions to another.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.allowed import Allowed
from ipc_articulation.contact.primitive_pairs import near_primitives
from ipc_articulation.contact.staying_apart import come_near
from ipc_articulation.contact.stencils import Stencils, columns_of, pairs_of
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.cores import parts, share

_TOGETHER = 16  # pairs of bodies that one core searches


def find_stencils(surfaces: Surfaces, allowed: Allowed, start: Array, end: Array, distance: float) -> Stencils:
    """Pairs that come within a distance [m] while bodies move straight from start to end, (n, 12) each; few others.

    Their order does not depend on positions, so sums over them are the same to the last bit for every search.
    """
    n = len(allowed.pairs)
    x, x_end, everywhere = surfaces.positions(start), surfaces.positions(end), np.ones(n, np.bool_)
    around = motion_boxes(surfaces.first, everywhere, x, x_end, np.empty((n, 3)), np.empty((n, 3)))
    bodies = _in_order(near_moving(*around, allowed, everywhere, distance), n)
    pair, kind, vertices, mollified, _ = search(surfaces, bodies, start, x, end, x_end, np.full(len(bodies), distance))
    rows, among = pairs_of(pair, np.arange(len(pair)), len(bodies))
    return Stencils(bodies[rows], among, kind, vertices, mollified)


def search(
    surfaces: Surfaces, bodies: Ints, q: Array, x: Array, q_end: Array, x_end: Array, distance: Array
) -> tuple[Ints, Ints, Ints, Array, Array]:
    """Pairs of primitives that come within a distance while bodies move straight from start to end; few others.

    Args:
        surfaces: Surfaces of the n bodies.
        bodies: Pairs of bodies, (P, 2).
        q: Coordinates at the start, (n, 12).
        x: Positions (V, 3) [m] there, valid for the bodies in pairs.
        q_end: Coordinates at the end.
        x_end: Positions there.
        distance: Of each pair, (P,) [m].

    Returns:
        `pair`, `kind`, `vertices` and `mollified` of `Stencils`, in an order that does not depend on positions; and how
        far apart they are at the end [m].
    """
    s = surfaces
    shape = s.dimension, s.edges, s.faces, s.squared_lengths, s.trees

    def find(some: slice) -> tuple[Ints, Ints, Ints, Array, Array]:
        pair, *found = _find(*shape, bodies[some], q, x, q_end, x_end, distance[some])
        return pair + some.start, *found

    found = share(find, parts(len(bodies), _TOGETHER))
    pair, kind, vertices, mollified, apart = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return pair, kind, vertices, mollified, apart


@compiled(nogil=True)
def _find(dimension, edges, faces, squares, trees, bodies, q, x, q_end, x_end, distance):
    """The columns of the stencils that come within the distance of their pair of bodies, (P,), and how far they end."""
    rows = near_primitives(bodies, trees, edges, faces, q, x, q_end, x_end, distance)
    pair, kind, vertices, mollified = columns_of(bodies, dimension, edges, faces, squares, *rows)
    rows, apart = come_near(pair, kind, vertices, x, x_end, distance)
    return pair[rows], kind[rows], vertices[rows], mollified[rows], apart


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
def boxes_of_way(awake, low, high, low_ahead, high_ahead, low_start, high_start):
    """Boxes (n, 3) around both places of awake bodies (n,), and around others as they were at the start."""
    least, greatest = low_start.copy(), high_start.copy()
    for b in range(len(awake)):
        if awake[b]:
            for k in range(3):
                least[b, k], greatest[b, k] = min(low[b, k], low_ahead[b, k]), max(high[b, k], high_ahead[b, k])
    return least, greatest


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
def with_moved(pairs, moved):
    """The pairs of bodies (k, 2) with a moved body; moved (n,)."""
    return pairs[moved[pairs[:, 0]] | moved[pairs[:, 1]]]


@compiled
def near_moving(low, high, allowed, moving, distance):
    """Pairs of bodies that may touch, one of them moving, whose boxes are within a distance of each other, (k, 2)."""
    if allowed.are_few:
        return _near_partners(low, high, allowed, moving, distance)
    return with_moved(_near_bodies(low, high, allowed.pairs, distance), moving)


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
def _near_partners(low, high, allowed, moving, distance):
    """Pairs of which each body is tested against those alone that may touch it."""
    pairs, count = np.empty((64, 2), dtype=np.int64), 0
    for i in range(len(low)):
        for p in range(allowed.first[i], allowed.first[i + 1]):
            j = allowed.partners[p]
            if (moving[i] or moving[j]) and not _apart(low[i], high[i], low[j], high[j], distance):
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
