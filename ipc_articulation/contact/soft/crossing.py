"""Soft meshes that intersect each other, themselves or affine bodies, found by ipctk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.soft.meshes import Meshes, near_meshes
from ipc_articulation.contact.soft.vertex_elements import VertexElements
from ipc_articulation.signals import interrupts_deferred


class Crossing(NamedTuple):
    """An edge that goes through a face, by vertices of `Surfaces`."""

    rows: tuple[int, int]  # that stand for their meshes, the first mesh first, or for one mesh twice
    edge: tuple[int, ...]
    face: tuple[int, ...]


def first_crossing(
    meshes: Meshes, touching: Bools, at: Positions, elements: VertexElements | None = None
) -> Crossing | None:
    """An edge and a face of the first two meshes that intersect, or of one mesh; None if none do.

    Args:
        meshes: All meshes; affine bodies are not compared with each other.
        touching: Which of them may touch, (M, M).
        at: Where they are.
        elements: Contact elements of vertices; None where each body has one.
    """
    allowed, everyone = touching.copy(), np.ones(len(touching), dtype=np.bool_)
    allowed[: meshes.affine, : meshes.affine] = False
    pairs = near_meshes(*meshes.boxes(at.low, at.high), allowed, everyone, 0.0)
    for i, j in pairs.tolist():
        found = _crossing(meshes, at.x, i, j, elements)
        if found is not None:
            return Crossing((int(meshes.representative[i]), int(meshes.representative[j])), *found)
    return None


def _crossing(
    meshes: Meshes, x: Array, i: int, j: int, elements: VertexElements | None
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The vertices of an edge and of a face of two meshes, or of one, that intersect at x (V, 3)."""
    edges, faces = [np.concatenate([part[k] for k in {i, j}]) for part in (meshes.own_edges, meshes.own_faces)]
    if not len(faces):
        return None
    vertices, numbers = np.unique(np.concatenate([edges.ravel(), faces.ravel()]), return_inverse=True)
    new_edges, new_faces = (
        np.asfortranarray(part.reshape(-1, width))
        for part, width in zip(np.split(numbers.ravel().astype(np.int32), [edges.size]), (2, 3), strict=True)
    )
    at = np.asfortranarray(x[vertices])
    with interrupts_deferred:
        import ipctk
    mesh = ipctk.CollisionMesh(at, new_edges, new_faces)
    if i != j:
        mesh.can_collide = ipctk.make_vertex_patches_filter(
            (vertices >= meshes.first_vertex[max(i, j)]).astype(np.int32)
        )
    if not ipctk.has_intersections(mesh, at):
        return None
    search = ipctk.LBVH()
    search.can_vertices_collide = mesh.can_collide
    search.build(at, new_edges, new_faces)
    near = sorted((pair.edge_id, pair.face_id) for pair in search.detect_edge_face_candidates())
    for edge, face in near:
        if elements is not None and not elements.may_meet(edges[edge], faces[face]):
            continue
        if ipctk.is_edge_intersecting_triangle(*at[new_edges[edge]], *at[new_faces[face]]):
            return tuple(edges[edge].tolist()), tuple(faces[face].tolist())
    return None
