"""Overlaps at the places where bodies are put: surfaces that intersect, or whose distance rounding takes away.

Edges that go through faces are found by ipctk, among those of leaves of both trees whose boxes meet. What is left are
surfaces that touch or almost do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.ccd import FLOOR
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.readouts import largest, placed
from ipc_articulation.contact.search import boxes, cover, near_leaves, near_pairs, nothing
from ipc_articulation.contact.stencils import PLANE, distance, is_apart
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.signals import interrupts_deferred


def find_overlap(contact: ContactWorld, scene: Any, x: Array, moved: Bools) -> Overlap | None:
    """An overlap of two bodies, or of a body and a half-plane, with nodes at x (N, 3); None if there is none.

    Those of bodies that are not among the moved ones (B,) may be left out. `scene` is a `Scene` by reference.
    """
    return (
        _rounded_away(contact, scene, x, moved, True)
        or _intersecting(contact, scene, x, moved)
        or _rounded_away(contact, scene, x, moved, False)
    )


def _rounded_away(contact: ContactWorld, scene: Any, x: Array, moved: Bools, of_planes: bool) -> Overlap | None:
    """The smallest gap [m] beside the rounding errors of its points, if it is below them."""
    vertices, kind, model, gap, least = _least_gap(scene, x, moved, of_planes)
    if model < 0:
        return None
    wanted, xi = max(float(contact.materials.d_hat[model]), least), float(contact.materials.thickness[model])
    row, split = contact.surfaces.body, 2 if kind == EDGES else 1
    first, second = (tuple(dict.fromkeys(part.tolist())) for part in np.split(vertices, [split]))
    if kind == PLANE:
        return Overlap(int(row[vertices[0]]), None, contact.planes.names[vertices[1]], gap, wanted, (first,), xi)
    return Overlap(int(row[vertices[0]]), int(row[vertices[split]]), "", gap, wanted, (first, second), xi)


@compiled
def _least_gap(scene, x, moved, of_planes):
    """The stencil with the smallest gap beside what rounding takes: points, kind, model (-1: none), gap, and that."""
    table, y = scene.table, placed(scene, x)
    own, floor = table.reach, 0.0
    for v in range(scene.points.first[-1]):
        for k in range(3):
            floor = max(floor, FLOOR * abs(y[v, k]))
    table.reach = max(floor, FLOOR * largest(np.abs(table.planes[:, 3]))) + largest(table.xi)
    near = near_pairs(table, *boxes(scene.points, y, y), moved)
    near = near[(near[:, 1] >= len(moved)) == of_planes]
    stencils = cover(scene, nothing(), (x, x), (y, y), near)[0].stencils
    table.reach = own
    vertices, kind, found, least, allowed = np.zeros(4, dtype=np.int64), 0, -1, np.inf, 0.0
    w, n, best = np.empty(4), np.empty(3), 0.0
    for s in range(len(stencils.kind)):
        model = table.model[stencils.pair[s, 0], stencils.pair[s, 1]]
        size, xi = table.xi[model], table.xi[model]
        for v in stencils.vertices[s, : 1 if stencils.kind[s] == PLANE else 4]:
            for k in range(3):
                size = max(size, abs(y[v, k]))
        if stencils.kind[s] == PLANE:
            size = max(size, abs(table.planes[stencils.vertices[s, 1], 3]))
        if is_apart(stencils.kind, stencils.vertices, s, y, xi + FLOOR * size):
            continue
        gap = distance(stencils.kind, stencils.vertices, s, y, table.planes, w, n) - xi
        if gap - FLOOR * size < best:
            best, least, allowed, found, kind = gap - FLOOR * size, gap, FLOOR * size, model, stencils.kind[s]
            vertices[:] = stencils.vertices[s]
    return vertices, kind, found, least, allowed


def _intersecting(contact: ContactWorld, scene: Any, x: Array, moved: Bools) -> Overlap | None:
    """An edge and a face that intersect."""
    y, pairs, leaves = meeting(scene, x, moved)
    body, ends = contact.surfaces.body, np.searchsorted(leaves[:, 0], np.arange(len(pairs) + 1))
    for pair, (i, j) in enumerate(pairs.tolist()):
        own = leaves[ends[pair] : ends[pair + 1], 1:]
        crossing = _crossing(contact, y, own, i == j) if len(own) else None
        if crossing is not None:
            rows = sorted(int(body[vertices[0]]) for vertices in crossing)
            floor = FLOOR * float(np.abs(y[np.concatenate(crossing)]).max())
            wanted = max(float(contact.materials.d_hat[contact.materials.body_pairs[i, j]]), floor)
            return Overlap(rows[0], rows[1], "", 0.0, wanted, crossing)
    return None


def _crossing(
    contact: ContactWorld, y: Array, leaves: Ints, is_alone: bool
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The vertices of an edge and of a face, of pairs of leaves (l, 2), that intersect at y (V, 3).

    They are of different bodies, or of one that is alone.
    """
    edges, faces = _primitives(contact, np.unique(leaves))
    if not len(faces):
        return None
    vertices, numbers = np.unique(np.concatenate([edges.ravel(), faces.ravel()]), return_inverse=True)
    new_edges, new_faces = (
        np.asfortranarray(part.reshape(-1, width))
        for part, width in zip(np.split(numbers.ravel().astype(np.int32), [edges.size]), (2, 3), strict=True)
    )
    at, row = np.asfortranarray(y[vertices]), contact.materials.group[contact.surfaces.body[vertices]]
    with interrupts_deferred:
        import ipctk
    mesh = ipctk.CollisionMesh(at, new_edges, new_faces)
    if not is_alone:
        mesh.can_collide = ipctk.make_vertex_patches_filter((row != row[0]).astype(np.int32))
    if not ipctk.has_intersections(mesh, at):
        return None
    search = ipctk.LBVH()
    search.can_vertices_collide = mesh.can_collide
    search.build(at, new_edges, new_faces)
    for edge, face in sorted((pair.edge_id, pair.face_id) for pair in search.detect_edge_face_candidates()):
        if _may_meet(contact, edges[edge], faces[face]) and ipctk.is_edge_intersecting_triangle(
            *at[new_edges[edge]], *at[new_faces[face]]
        ):
            return tuple(edges[edge].tolist()), tuple(faces[face].tolist())
    return None


def _primitives(contact: ContactWorld, leaves: Ints) -> tuple[Ints, Ints]:
    """The edges (E, 2) and triangles (F, 3) of leaves (l,), with the sides of these."""
    mesh = contact.mesh
    trees, begin = mesh.trees, mesh.trees.begin[leaves]
    end = begin + trees.size[leaves]
    faces = mesh.faces[trees.face[_ranges(begin, end)]]
    edges = mesh.edges[trees.edge[_ranges(trees.first_edge[begin], trees.first_edge[end])]]
    faces = faces[faces[:, 1] != faces[:, 2]]
    every = np.concatenate([edges, faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)])
    return np.unique(np.sort(every, axis=1), axis=0), faces


def _ranges(begin: Ints, end: Ints) -> Ints:
    """The numbers of all ranges, one range after the other."""
    return np.concatenate([np.arange(a, b) for a, b in zip(begin, end, strict=True)])


def _may_meet(contact: ContactWorld, edge: Ints, face: Ints) -> bool:
    """Whether no vertex of an edge and of a face have elements that pass through each other."""
    elements = contact.elements
    if elements is None:
        return True
    return bool(elements.enabled[np.ix_(elements.of_vertex[edge], elements.of_vertex[face])].all())


@compiled
def meeting(scene, x, moved):
    """Points (V, 3) with nodes at x (N, 3), pairs of bodies (P, 2) whose boxes meet, and of leaves, see `search`."""
    y, table = placed(scene, x), scene.table
    own, table.reach = table.reach, 0.0
    pairs = near_pairs(table, *boxes(scene.points, y, y), moved)
    table.reach = own
    pairs = pairs[pairs[:, 1] < len(moved)]
    distances, most = np.zeros(len(pairs)), np.full(len(pairs), np.inf)
    return y, pairs, near_leaves(scene, pairs, (x, x), (y, y), distances, most)[0]
