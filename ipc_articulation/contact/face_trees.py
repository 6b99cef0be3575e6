"""A tree of bounding boxes over the faces of each body, for the search of pairs of primitives.

Every edge and every vertex belongs to one face, the first that contains it («representative triangles», Curtis,
Tamstorf and Manocha 2008): one descent finds all pairs of edges, and all pairs of a vertex and a face. A tree is made
once, from the body's shape: the faces of a node are halved along the axis on which their centres extend farthest. Nodes
are in preorder, so their faces follow each other, and a left child follows its parent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled

_LEAF = 4  # faces of a leaf at most
_ROUNDING = 4e-15  # of coordinates and what they are sums of


class FaceTrees(NamedTuple):
    """Trees of n bodies with N nodes, F faces, E edges and V vertices, which are numbered in the order of leaves."""

    first: Ints  # (n + 1,) root of each body, and N
    right: Ints  # (N,) right child; -1: a leaf
    begin: Ints  # (N,) first face below each node
    size: Ints  # (N,) number of faces below each node
    face: Ints  # (F,) the faces of `Surfaces`
    first_edge: Ints  # (F + 1,) the first edge that belongs to each face, and E
    edge: Ints  # (E,) the edges of `Surfaces`
    first_vertex: Ints  # (F + 1,) the first vertex that belongs to each face, and V
    vertex: Ints  # (V,) the vertices of `Surfaces`
    middle: Array  # (N, 3) of each node's box in the body's frame [m]
    half: Array  # (N, 3) its half sides [m]


def face_trees(points: Array, edges: NDArray[np.int32], faces: NDArray[np.int32], first_faces: Ints) -> FaceTrees:
    """The trees of surfaces (see `Surfaces`); vertices in no face are in no tree."""
    first, right, begin, size, face = _halved(points[faces].sum(axis=1), first_faces)
    place = np.empty(len(faces), dtype=np.int64)
    place[face] = np.arange(len(faces))
    edge = _by_owner(_keys(edges, len(points)), _keys(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), len(points)), place)
    used = np.unique(faces).astype(np.int64)
    first_vertex, vertex = _by_owner(used, faces.ravel().astype(np.int64), place)
    return FaceTrees(
        first,
        right,
        begin,
        size,
        face,
        *edge,
        first_vertex,
        used[vertex],
        *_boxes(points, faces, right, begin, size, face),
    )


def _keys(edges: NDArray[np.int32], count: int) -> Ints:
    """A number for each edge (k, 2) of `count` vertices, the same in both directions."""
    return edges.min(axis=1).astype(np.int64) * count + edges.max(axis=1)


def _by_owner(keys: Ints, parts: Ints, place: Ints) -> tuple[Ints, Ints]:
    """Sort primitives by the faces that they belong to.

    Args:
        keys: Of the primitives, (k,); each is in `parts`.
        parts: Keys of the parts of all faces, three a face, (3 F,).
        place: Of each face among the leaves, (F,).

    Returns:
        The first primitive of each place, and k, (F + 1,); the primitives in this order, (k,).
    """
    known, where = np.unique(parts, return_index=True)
    owner = place[where[np.searchsorted(known, keys)] // 3]
    order = np.argsort(owner, kind="stable").astype(np.int64)
    return np.searchsorted(owner[order], np.arange(len(place) + 1)).astype(np.int64), order


@compiled
def _halved(centre, first_faces):
    """The columns of `FaceTrees` up to `face`; `centre` (F, 3) is any multiple of the faces' centres."""
    n, most = len(first_faces) - 1, 2 * len(centre)
    first, count, face = np.empty(n + 1, dtype=np.int64), 0, np.arange(len(centre))
    right, begin, size = np.full(most, -1), np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    waiting = np.empty((64, 3), dtype=np.int64)  # parent of a right child or -1, and its range of faces
    for b in range(n):
        first[b], depth = count, int(first_faces[b + 1] > first_faces[b])
        waiting[0, 0], waiting[0, 1], waiting[0, 2] = -1, first_faces[b], first_faces[b + 1]
        while depth:
            depth -= 1
            parent, low, high = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2]
            if parent >= 0:
                right[parent] = count
            begin[count], size[count] = low, high - low
            if high - low > _LEAF:
                middle = _halve(centre, face, low, high)
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 2] = count, middle, high
                waiting[depth + 1, 0], waiting[depth + 1, 1], waiting[depth + 1, 2] = -1, low, middle
                depth += 2
            count += 1
    first[n] = count
    return first, right[:count], begin[:count], size[:count], face


@compiled
def _halve(centre, face, low, high):
    """Sort the faces from `low` to `high` along the axis on which they extend farthest. Returns: the middle."""
    axis, widest = 0, -1.0
    for k in range(3):
        least, greatest = np.inf, -np.inf
        for p in face[low:high]:
            least, greatest = min(least, centre[p, k]), max(greatest, centre[p, k])
        if greatest - least > widest:
            axis, widest = k, greatest - least
    own = face[low:high].copy()
    along = np.empty(len(own))
    for p in range(len(own)):
        along[p] = centre[own[p], axis]
    face[low:high] = own[np.argsort(along, kind="mergesort")]
    return (low + high) // 2


@compiled
def _boxes(points, faces, right, begin, size, face):
    """`middle` and `half` of `FaceTrees`."""
    low, high = np.full((len(right), 3), np.inf), np.full((len(right), 3), -np.inf)
    for node in range(len(right) - 1, -1, -1):  # children before their parents
        for k in range(3):
            if right[node] >= 0:
                low[node, k] = min(low[node + 1, k], low[right[node], k])
                high[node, k] = max(high[node + 1, k], high[right[node], k])
                continue
            for f in face[begin[node] : begin[node] + size[node]]:
                for v in faces[f]:
                    low[node, k], high[node, k] = min(low[node, k], points[v, k]), max(high[node, k], points[v, k])
    return 0.5 * (low + high), 0.5 * (high - low)


@compiled
def node_box(trees, node, start, end, boxes):
    """Write the box of a node to its row of (N, 12), while its body moves from start to end, (12,) each.

    It is the box of the turned box in the body's frame: lower and upper corner at the start, and at the end. It is
    wider by what positions are rounded.
    """
    for at in range(2):
        q = start if at == 0 else end
        for k in range(3):
            middle, half, size = q[k], 0.0, abs(q[k])
            for m in range(3):
                a = q[3 + 3 * k + m]
                middle += a * trees.middle[node, m]
                half += abs(a) * trees.half[node, m]
                size += abs(a * trees.middle[node, m])
            half += _ROUNDING * (size + half)
            boxes[node, 6 * at + k], boxes[node, 6 * at + 3 + k] = middle - half, middle + half


@compiled
def box_of_leaf(trees, node, faces, x, x_end, boxes):
    """Write the box of a leaf whose vertices go freely from x to x_end, (V, 3) each, as `node_box`."""
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
def box_of_both(boxes, node, left, right):
    """Write the box of a node around those of both its parts."""
    for k in range(3):
        for low in (0, 6):
            boxes[node, low + k] = min(boxes[left, low + k], boxes[right, low + k])
            boxes[node, low + 3 + k] = max(boxes[left, low + 3 + k], boxes[right, low + 3 + k])
