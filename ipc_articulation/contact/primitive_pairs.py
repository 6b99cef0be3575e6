"""Pairs of primitives of two bodies whose boxes come near each other while vertices move in straight lines.

A descent into the trees of both bodies at once (see `face_trees`) finds pairs of leaves; then their primitives are
compared. Which of two nodes is opened follows from the trees alone, so the order of the pairs does not depend on
positions.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

_ALL, _ONE_ORDER, _NONE = range(3)  # pairs of primitives of a leaf with itself


@compiled
def primitives_of_leaves(leaves, trees, edges, faces, x, x_end, distance):
    """The same of some pairs of leaves, rows (pair, leaf, leaf); of a leaf with itself each pair is found once."""
    places, points = np.arange(len(faces) + 1), np.arange(len(x)).reshape(-1, 1)
    by_face = _boxes(leaves, trees, places, trees.face, faces, x, x_end)
    by_leaf = _around(leaves, trees, by_face)
    leaves = _still_near(leaves, by_leaf, distance)
    by_edge = _boxes(leaves, trees, trees.first_edge, trees.edge, edges, x, x_end)
    by_vertex = _boxes(leaves, trees, trees.first_vertex, trees.vertex, points, x, x_end)
    to_edges, to_faces = (trees.first_edge, trees.edge, by_edge), (places, trees.face, by_face)
    to_vertices, (pair, first, second) = (trees.first_vertex, trees.vertex, by_vertex), leaves.T
    return (
        _near_parts(pair, trees, first, to_edges, second, to_edges, by_leaf, distance, _ONE_ORDER),
        _near_parts(pair, trees, second, to_faces, first, to_vertices, by_leaf, distance, _ALL),
        _near_parts(pair, trees, first, to_faces, second, to_vertices, by_leaf, distance, _NONE),
    )


@compiled
def _around(leaves, trees, by_face):
    """Boxes (N, 12) around the faces of leaves, whose boxes are in the order of leaves; they are the smallest ones."""
    boxes, done = np.empty((len(trees.right), 12)), np.zeros(len(trees.right), dtype=np.bool_)
    for p in range(len(leaves)):
        for side in range(1, 3):
            leaf = leaves[p, side]
            if not done[leaf]:
                done[leaf] = True
                boxes[leaf] = by_face[trees.begin[leaf]]
                for f in range(trees.begin[leaf] + 1, trees.begin[leaf] + trees.size[leaf]):
                    for k in range(3):
                        for low in (0, 6):
                            high = low + 3
                            boxes[leaf, low + k] = min(boxes[leaf, low + k], by_face[f, low + k])
                            boxes[leaf, high + k] = max(boxes[leaf, high + k], by_face[f, high + k])
    return boxes


@compiled
def _still_near(leaves, boxes, distance):
    """The rows (pair, leaf, leaf) whose boxes come within the distance of their pair of bodies."""
    stays = np.empty(len(leaves), dtype=np.bool_)
    for p in range(len(leaves)):
        stays[p] = not keep_apart(boxes, leaves[p, 1], boxes, leaves[p, 2], distance[leaves[p, 0]])
    return leaves[stays]


@compiled
def _boxes(leaves, trees, first, order, primitives, start, end):
    """Boxes of the primitives of some leaves: (k, 12), see `keep_apart`, in their order.

    Args:
        leaves: Rows (pair, leaf, leaf).
        trees: The trees.
        first: The first primitive of each face, (F + 1,).
        order: The primitives in the order of leaves, (k,).
        primitives: Their vertices, (k, 1), (k, 2) or (k, 3).
        start: Positions (V, 3) [m].
        end: Positions (V, 3) [m].
    """
    boxes, done = np.empty((len(order), 12)), np.zeros(len(trees.right), dtype=np.bool_)
    for p in range(len(leaves)):
        for side in range(1, 3):
            leaf = leaves[p, side]
            if not done[leaf]:
                done[leaf] = True
                for n in range(first[trees.begin[leaf]], first[trees.begin[leaf] + trees.size[leaf]]):
                    _box(primitives, order[n], start, end, boxes, n)
    return boxes


@compiled
def _box(primitives, p, start, end, boxes, n):
    """Write the box of primitive p to row n."""
    for k in range(3):
        v = primitives[p, 0]
        low, high, low_end, high_end = start[v, k], start[v, k], end[v, k], end[v, k]
        for c in range(1, primitives.shape[1]):
            v = primitives[p, c]
            low, high = min(low, start[v, k]), max(high, start[v, k])
            low_end, high_end = min(low_end, end[v, k]), max(high_end, end[v, k])
        boxes[n, k], boxes[n, 3 + k], boxes[n, 6 + k], boxes[n, 9 + k] = low, high, low_end, high_end


@compiled
def open_nodes(right, size, a, b, waiting, depth):
    """Put the parts of the larger of two nodes with the other one on a list; of a node with itself, each pair of parts.

    Args:
        right: Of each node its second part, -1 of a leaf, (N,); the first is the next node.
        size: Number of faces of each node, (N,).
        a: A node.
        b: Another one, or the same; one of them is no leaf.
        waiting: Pairs of nodes, (.., 2).
        depth: Their number.

    Returns:
        Their number now.
    """
    if a == b:
        waiting[depth, 0], waiting[depth, 1] = a + 1, right[a]
        waiting[depth + 1, 0], waiting[depth + 1, 1] = right[a], right[a]
        waiting[depth + 2, 0], waiting[depth + 2, 1] = a + 1, a + 1
        return depth + 3
    opens_a = right[b] < 0 or (right[a] >= 0 and size[a] >= size[b])
    waiting[depth, 0], waiting[depth, 1] = (right[a], b) if opens_a else (a, right[b])
    waiting[depth + 1, 0], waiting[depth + 1, 1] = (a + 1, b) if opens_a else (a, b + 1)
    return depth + 2


@compiled
def _near_parts(pair, trees, left, of_left, right, of_right, by_leaf, distance, of_itself):
    """Pairs of primitives of pairs of leaves whose boxes come within a distance of each other.

    Args:
        pair: The pair of bodies of each pair of leaves, (l,).
        trees: The trees.
        left: One of the two leaves, (l,).
        of_left: The first primitive of each face, the primitives in the order of leaves, and their boxes, (k, 12).
        right: The other leaf, (l,).
        of_right: As `of_left`, of another kind of primitives.
        by_leaf: Boxes around the leaves, (N, 12).
        distance: Of each pair of bodies, (P,) [m].
        of_itself: Which pairs there are of a leaf with itself.

    Returns:
        Rows (pair, left primitive, right primitive), (k, 3).
    """
    (first_a, number_a, boxes_a), (first_b, number_b, boxes_b), begin, size = of_left, of_right, trees.begin, trees.size
    rows, count = np.empty((256, 3), dtype=np.int64), 0
    for p in range(len(pair)):
        a, b = left[p], right[p]
        if a == b and of_itself == _NONE:
            continue
        from_a, to_a = first_a[begin[a]], first_a[begin[a] + size[a]]
        from_b, to_b = first_b[begin[b]], first_b[begin[b] + size[b]]
        rows = with_room_for(rows, count, (to_a - from_a) * (to_b - from_b))
        for m in range(from_a, to_a):
            if keep_apart(boxes_a, m, by_leaf, b, distance[pair[p]]):
                continue
            for n in range(m + 1 if a == b and of_itself == _ONE_ORDER else from_b, to_b):
                if not keep_apart(boxes_a, m, boxes_b, n, distance[pair[p]]):
                    rows[count, 0], rows[count, 1], rows[count, 2] = pair[p], number_a[m], number_b[n]
                    count += 1
    return rows[:count]


@compiled
def with_room_for(rows, count, more):
    """The rows, in an array in which there is room for more after the first `count`."""
    while len(rows) < count + more:
        rows = np.concatenate((rows, np.empty_like(rows)))
    return rows


@compiled
def keep_apart(boxes, a, others, b, distance):
    """Whether a moving box keeps farther than a distance [m] from another along an axis of the world.

    Rows are (low, high) at the start and (low, high) at the end, 12 numbers. What moves straight from one to the other
    stays in the box between: the lowest of straight motions is concave in time. So two tests are enough for all times.
    """
    apart = False
    for k in range(3):  # without branches: they cost more
        apart |= (boxes[a, k] - others[b, 3 + k] > distance) & (boxes[a, 6 + k] - others[b, 9 + k] > distance)
        apart |= (others[b, k] - boxes[a, 3 + k] > distance) & (others[b, 6 + k] - boxes[a, 9 + k] > distance)
    return apart
