"""Trees over faces whose vertices move freely: boxes of nodes follow the vertices (see `face_trees`).

A tree is made once, from the shape at rest; a search fills in the boxes of the meshes that it looks at, from the leaves
to the root. The rest is that of `primitive_pairs`.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.primitive_pairs import keep_apart, open_nodes, primitives_of_leaves, with_room_for
from ipc_articulation.contact.staying_apart import come_near
from ipc_articulation.contact.stencils import columns_of


@compiled(nogil=True)
def search(pairs, trees, edges, faces, dimension, squares, x, x_end, distance):
    """Stencils of pairs of meshes that come within a distance while vertices move straight; few others.

    Args:
        pairs: Pairs of meshes, (P, 2); one with itself, too.
        trees: Of all meshes.
        edges: (E, 2).
        faces: (F, 3).
        dimension: (V,) see `Meshes`.
        squares: (E,) squared lengths of edges at rest [m²].
        x: Positions (V, 3) [m], valid for the meshes in pairs.
        x_end: Positions at the end.
        distance: Of each pair, (P,) [m].

    Returns:
        `pair`, `kind`, `vertices` and `mollified` of `Stencils`, in an order that does not depend on positions.
    """
    boxes = _boxes_of_nodes(pairs, trees, faces, x, x_end)
    leaves, _ = _near_leaves(pairs, trees, boxes, distance, np.full(len(pairs), np.inf))
    found = primitives_of_leaves(leaves, trees, edges, faces, x, x_end, distance)
    pair, kind, vertices, mollified = columns_of(pairs, dimension, edges, faces, squares, *found)
    rows, _ = come_near(pair, kind, vertices, x, x_end, distance)
    return pair[rows], kind[rows], vertices[rows], mollified[rows]


@compiled
def meet_in_more(pairs, trees, faces, x, x_end, distance, most):
    """Whether more pairs of leaves than `most` of each pair of meshes come near, (P,); the rest is as of `search`."""
    return _near_leaves(pairs, trees, _boxes_of_nodes(pairs, trees, faces, x, x_end), distance, most)[1]


@compiled
def _boxes_of_nodes(pairs, trees, faces, x, x_end):
    """Boxes (N, 12) of the nodes of all meshes in pairs, see `keep_apart`."""
    boxes, done = np.empty((len(trees.right), 12)), np.zeros(len(trees.first) - 1, dtype=np.bool_)
    for p in range(len(pairs)):
        for side in range(2):
            mesh = pairs[p, side]
            if not done[mesh]:
                done[mesh] = True
                for node in range(trees.first[mesh + 1] - 1, trees.first[mesh] - 1, -1):  # children before parents
                    if trees.right[node] < 0:
                        _box_of_leaf(trees, node, faces, x, x_end, boxes)
                    else:
                        _box_of_both(boxes, node, node + 1, trees.right[node])
    return boxes


@compiled
def _box_of_leaf(trees, node, faces, x, x_end, boxes):
    for k in range(3):
        low, high, low_end, high_end = np.inf, -np.inf, np.inf, -np.inf
        for f in range(trees.begin[node], trees.begin[node] + trees.size[node]):
            for c in range(3):
                v = faces[trees.face[f], c]
                low, high = min(low, x[v, k]), max(high, x[v, k])
                low_end, high_end = min(low_end, x_end[v, k]), max(high_end, x_end[v, k])
        boxes[node, k], boxes[node, 3 + k] = low, high
        boxes[node, 6 + k], boxes[node, 9 + k] = low_end, high_end


@compiled
def _box_of_both(boxes, node, left, right):
    for k in range(3):
        for low in (0, 6):
            boxes[node, low + k] = min(boxes[left, low + k], boxes[right, low + k])
            boxes[node, low + 3 + k] = max(boxes[left, low + 3 + k], boxes[right, low + 3 + k])


@compiled
def _near_leaves(pairs, trees, boxes, distance, most):
    """Rows (pair, leaf, leaf), (k, 3), of leaves whose boxes come within the distance of their pair of meshes.

    Of pairs with more of them than `most` (P,) there are none, and the second result says so, (P,).
    """
    roots, right, size, rows, count = trees.first, trees.right, trees.size, np.empty((256, 3), dtype=np.int64), 0
    waiting, has_more = np.empty((256, 2), dtype=np.int64), np.zeros(len(pairs), dtype=np.bool_)
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        waiting[0, 0], waiting[0, 1] = roots[i], roots[j]
        depth, before = int(roots[i] < roots[i + 1] and roots[j] < roots[j + 1]), count
        while depth:
            depth -= 1
            a, b = waiting[depth, 0], waiting[depth, 1]
            if keep_apart(boxes, a, boxes, b, distance[p]):
                continue
            if right[a] < 0 and right[b] < 0:
                if count - before >= most[p]:
                    has_more[p], count = True, before
                    break
                rows = with_room_for(rows, count, 1)
                rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
                count += 1
                continue
            depth = open_nodes(right, size, a, b, waiting, depth)
    return rows[:count], has_more
