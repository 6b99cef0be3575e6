"""Surfaces that intersect: ipctk looks at the faces and edges of leaves whose boxes meet (see `face_trees`)."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.primitive_pairs import meeting_leaves
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.signals import interrupts_deferred


def first_intersecting(surfaces: Surfaces, q: Array, bodies: Ints) -> tuple[int, int] | None:
    """The first of some pairs of different bodies (P, 2) whose surfaces intersect at q (n, 12), or None."""
    x, leaves = surfaces.positions(q), meeting_leaves(surfaces, q, bodies)
    ends = np.searchsorted(leaves[:, 0], np.arange(len(bodies) + 1))
    for pair, (i, j) in enumerate(bodies.tolist()):
        own = np.unique(leaves[ends[pair] : ends[pair + 1], 1:])
        if len(own) and _intersect(surfaces, x, own):
            return i, j
    return None


def _intersect(surfaces: Surfaces, x: Array, leaves: Ints) -> bool:
    """Whether edges and faces of leaves (l,) of two bodies intersect at x (V, 3)."""
    with interrupts_deferred:
        import ipctk
    trees, faces = surfaces.trees, surfaces.faces
    begin, end = trees.begin[leaves], trees.begin[leaves] + trees.size[leaves]
    chosen = faces[trees.face[_ranges(begin, end)]]
    edges = surfaces.edges[trees.edge[_ranges(trees.first_edge[begin], trees.first_edge[end])]]
    vertices, numbers = np.unique(np.concatenate([edges.ravel(), chosen.ravel()]), return_inverse=True)
    new_edges, triangles = np.split(numbers.ravel().astype(np.int32), [edges.size])
    triangles = triangles.reshape(-1, 3)[chosen[:, 1] != chosen[:, 2]]
    at, body = np.asfortranarray(x[vertices]), surfaces.body[vertices]
    sides = np.concatenate([new_edges.reshape(-1, 2), triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)])
    sides = np.unique(np.sort(sides, axis=1), axis=0)
    mesh = ipctk.CollisionMesh(at, np.asfortranarray(sides), np.asfortranarray(triangles))
    mesh.can_collide = ipctk.make_vertex_patches_filter((body != body[0]).astype(np.int32))
    return bool(ipctk.has_intersections(mesh, at))


def _ranges(begin: Ints, end: Ints) -> Ints:
    """The numbers of all ranges, one range after the other."""
    return np.concatenate([np.arange(a, b) for a, b in zip(begin, end, strict=True)])
