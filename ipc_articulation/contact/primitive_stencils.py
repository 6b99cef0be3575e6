"""Which pairs of primitives are stencils of contact, of what kind, and by which vertices."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import MOLLIFIED
from ipc_articulation.contact.closest_points import EDGES

VERTEX_OF_FIRST, VERTEX_OF_SECOND = 1, 2  # kinds besides EDGES: the vertex belongs to this body of the pair


@compiled
def columns_of(bodies, dimension, edges, faces, squares, crossing, first, second):
    """The columns of the stencils for the pairs of primitives that were found.

    Pairs with a common vertex in one mesh are left out. Within one body each pair must be given once, in either order.
    A vertex is paired only with faces of its own dimension or a higher one, flat ones included. So a vertex of rods is
    paired with edges in no face, because between parallel edges the mollifier removes all other forces. A corner of a
    face has edges that are not parallel to a rod. Two vertices in no edge make one pair.

    Args:
        bodies: The pairs of bodies, (P, 2).
        dimension: Dimensions of the vertices, (V,), see `Surfaces`.
        edges: Edges of all surfaces, (E, 2).
        faces: Faces of all surfaces, (F, 3).
        squares: Squared lengths of the edges at rest, (E,) [m²].
        crossing: Rows (pair, edge, edge), pairs ascending, as in the next two.
        first: Rows (pair, face, vertex), the vertex belonging to the first body of the pair.
        second: Rows (pair, face, vertex), the vertex belonging to the second.

    Returns:
        Of each its pair of bodies, a row of `bodies`, (k,), ascending; its kind, EDGES, VERTEX_OF_FIRST or
        VERTEX_OF_SECOND, (k,); its vertices, both ends of both edges, or the vertex and the face's, (k, 4); and ε of
        the edges' mollifier [m⁴], 0 for a vertex and a face, (k,).
    """
    most, k, at = len(crossing) + len(first) + len(second), 0, np.zeros(3, dtype=np.int64)
    pair, kind = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    vertices, mollified = np.empty((most, 4), dtype=np.int64), np.empty(most)
    for p in range(len(bodies)):
        is_alone = bodies[p, 0] == bodies[p, 1]
        while at[0] < len(crossing) and crossing[at[0], 0] == p:
            a, b = crossing[at[0], 1], crossing[at[0], 2]
            at[0] += 1
            if is_alone:
                a, b = min(a, b), max(a, b)
            if not (is_alone and _have_common_vertex(edges[a], edges[b])):
                pair[k], kind[k], mollified[k] = p, EDGES, MOLLIFIED * (squares[a] * squares[b])
                vertices[k, 0], vertices[k, 1] = edges[a, 0], edges[a, 1]
                vertices[k, 2], vertices[k, 3] = edges[b, 0], edges[b, 1]
                k += 1
        for side in range(1, 3):
            found = first if side == 1 else second
            while at[side] < len(found) and found[at[side], 0] == p:
                face, v = found[at[side], 1], found[at[side], 2]
                at[side] += 1
                of_face = _dimension(faces[face])
                if dimension[v] > of_face or (of_face == 0 and side == 2):
                    continue
                if not (is_alone and _have_common_vertex(faces[face], np.array([v]))):
                    of_first = side == 1 or is_alone
                    pair[k], kind[k], mollified[k] = p, VERTEX_OF_FIRST if of_first else VERTEX_OF_SECOND, 0.0
                    vertices[k, 0] = v
                    for c in range(3):
                        vertices[k, 1 + c] = faces[face, c]
                    k += 1
    return pair[:k], kind[:k], vertices[:k], mollified[:k]


@compiled
def _dimension(face):
    """Dimension of a face: 2, or 1 if it is flat with two vertices, or 0 if it is a single vertex."""
    return 2 - int(face[0] == face[1]) - int(face[1] == face[2])


@compiled
def _have_common_vertex(left, right):
    """Whether two primitives have a vertex in common."""
    for a in left:
        for b in right:
            if a == b:
                return True
    return False
