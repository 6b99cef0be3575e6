"""Pairs of primitives of two bodies whose boxes come near each other while vertices move in straight lines.

A descent into the trees of both bodies at once (see `face_trees`) finds pairs of leaves; then their primitives are
compared. Which of two nodes is opened follows from the trees alone, so the order of the pairs does not depend on
positions.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.face_trees import grow
from ipc_articulation.contact.surfaces import Surfaces


def meeting_leaves(surfaces: Surfaces, x: Array, bodies: Ints) -> Ints:
    """Pairs of leaves whose boxes meet at x (V, 3): rows (pair, leaf, leaf), pairs ascending, for bodies (P, 2)."""
    return _meeting_leaves(bodies, surfaces.trees, surfaces.faces, surfaces.body, x)


@compiled
def _meeting_leaves(bodies, trees, faces, body, x):
    near = np.zeros(len(trees.first) - 1, dtype=np.bool_)
    for i, j in bodies:
        near[i] = near[j] = True
    return _near_leaves(bodies, trees, grow(trees, near, _boxes(x, x, faces, trees.face, body, near)), 0.0)


@compiled
def near_primitives(bodies, trees, edges, faces, body, near, start, end, distance):
    """Pairs of primitives whose boxes come within a distance of each other.

    Args:
        bodies: Pairs of bodies, (P, 2).
        trees: Of all bodies.
        edges: (E, 2).
        faces: (F, 3).
        body: The body of each vertex, (V,).
        near: The bodies in pairs, (n,).
        start: Positions (V, 3) [m].
        end: Positions (V, 3) [m].
        distance: [m].

    Returns:
        Rows (pair, edge, edge), and rows (pair, face, vertex) with a vertex of the first body, and of the second.
    """
    by_face = _boxes(start, end, faces, trees.face, body, near)
    leaves = _near_leaves(bodies, trees, grow(trees, near, by_face), distance)
    to_edges = trees.first_edge, trees.edge, _boxes(start, end, edges, trees.edge, body, near)
    points = np.arange(len(start)).reshape(-1, 1)
    to_vertices = trees.first_vertex, trees.vertex, _boxes(start, end, points, trees.vertex, body, near)
    to_faces = np.arange(len(faces) + 1), trees.face, by_face
    pair, first, second = leaves[:, 0], leaves[:, 1], leaves[:, 2]
    return (
        _near_parts(pair, trees, first, to_edges, second, to_edges, distance),
        _near_parts(pair, trees, second, to_faces, first, to_vertices, distance),
        _near_parts(pair, trees, first, to_faces, second, to_vertices, distance),
    )


@compiled
def _boxes(start, end, primitives, order, body, near):
    """Boxes of primitives in an order, for the bodies that are near others: (k, 12), see `_keep_apart`."""
    boxes = np.empty((len(order), 12))
    for n in range(len(order)):
        p = order[n]
        if not near[body[primitives[p, 0]]]:
            continue
        for k in range(3):
            v = primitives[p, 0]
            low, high, low_end, high_end = start[v, k], start[v, k], end[v, k], end[v, k]
            for c in range(1, primitives.shape[1]):
                v = primitives[p, c]
                low, high = min(low, start[v, k]), max(high, start[v, k])
                low_end, high_end = min(low_end, end[v, k]), max(high_end, end[v, k])
            boxes[n, k], boxes[n, 3 + k], boxes[n, 6 + k], boxes[n, 9 + k] = low, high, low_end, high_end
    return boxes


@compiled
def _near_leaves(bodies, trees, boxes, distance):
    """Pairs of leaves whose boxes come within a distance of each other.

    Args:
        bodies: Pairs of bodies, (P, 2).
        trees: The trees.
        boxes: Of the nodes, (N, 12), see `_keep_apart`.
        distance: [m].

    Returns:
        Rows (pair, leaf, leaf), (k, 3).
    """
    roots, right, size, rows, count = trees.first, trees.right, trees.size, np.empty((256, 3), dtype=np.int64), 0
    waiting = np.empty((256, 2), dtype=np.int64)
    for p in range(len(bodies)):
        i, j = bodies[p, 0], bodies[p, 1]
        waiting[0, 0], waiting[0, 1] = roots[i], roots[j]
        depth = int(roots[i] < roots[i + 1] and roots[j] < roots[j + 1])
        while depth:
            depth -= 1
            a, b = waiting[depth, 0], waiting[depth, 1]
            if _keep_apart(boxes, a, boxes, b, distance):
                continue
            if right[a] < 0 and right[b] < 0:
                rows = _with_room_for(rows, count, 1)
                rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
                count += 1
                continue
            opens_a = right[b] < 0 or (right[a] >= 0 and size[a] >= size[b])
            waiting[depth, 0], waiting[depth, 1] = (right[a], b) if opens_a else (a, right[b])
            waiting[depth + 1, 0], waiting[depth + 1, 1] = (a + 1, b) if opens_a else (a, b + 1)
            depth += 2
    return rows[:count]


@compiled
def _near_parts(pair, trees, left, of_left, right, of_right, distance):
    """Pairs of primitives of pairs of leaves whose boxes come within a distance of each other.

    Args:
        pair: The pair of bodies of each pair of leaves, (l,).
        trees: The trees.
        left: One of the two leaves, (l,).
        of_left: The first primitive of each face, the primitives in the order of leaves, and their boxes, (k, 12).
        right: The other leaf, (l,).
        of_right: As `of_left`, of another kind of primitives.
        distance: [m].

    Returns:
        Rows (pair, left primitive, right primitive), (k, 3).
    """
    (first_a, number_a, boxes_a), (first_b, number_b, boxes_b), begin, size = of_left, of_right, trees.begin, trees.size
    rows, count = np.empty((256, 3), dtype=np.int64), 0
    for p in range(len(pair)):
        a, b = left[p], right[p]
        from_a, to_a = first_a[begin[a]], first_a[begin[a] + size[a]]
        from_b, to_b = first_b[begin[b]], first_b[begin[b] + size[b]]
        rows = _with_room_for(rows, count, (to_a - from_a) * (to_b - from_b))
        for m in range(from_a, to_a):
            for n in range(from_b, to_b):
                if not _keep_apart(boxes_a, m, boxes_b, n, distance):
                    rows[count, 0], rows[count, 1], rows[count, 2] = pair[p], number_a[m], number_b[n]
                    count += 1
    return rows[:count]


@compiled
def _with_room_for(rows, count, more):
    """The rows, in an array in which there is room for more after the first `count`."""
    while len(rows) < count + more:
        rows = np.concatenate((rows, np.empty_like(rows)))
    return rows


@compiled
def _keep_apart(boxes, a, others, b, distance):
    """Whether a moving box keeps farther than a distance [m] from another along an axis of the world.

    Rows are (low, high) at the start and (low, high) at the end, 12 numbers. What moves straight from one to the other
    stays in the box between: the lowest of straight motions is concave in time. So two tests are enough for all times.
    """
    apart = False
    for k in range(3):  # without branches: they cost more
        apart |= (boxes[a, k] - others[b, 3 + k] > distance) & (boxes[a, 6 + k] - others[b, 9 + k] > distance)
        apart |= (others[b, k] - boxes[a, 3 + k] > distance) & (others[b, 6 + k] - boxes[a, 9 + k] > distance)
    return apart
