"""Soft meshes that intersect each other, themselves or affine bodies, found by ipctk."""

from __future__ import annotations

import ipctk
import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.soft.meshes import Meshes, near_meshes


def first_crossing(meshes: Meshes, touching: Bools, at: Positions) -> tuple[int, int] | None:
    """The rows that stand for the first two meshes that intersect, or for one mesh twice; None if none do.

    Args:
        meshes: All meshes; affine bodies are not compared with each other.
        touching: Which of them may touch, (M, M).
        at: Where they are.
    """
    allowed, everyone = touching.copy(), np.ones(len(touching), dtype=np.bool_)
    allowed[: meshes.affine, : meshes.affine] = False
    pairs = near_meshes(*meshes.boxes(at.low, at.high), allowed, everyone, 0.0)
    for i, j in pairs.tolist():
        if _cross(meshes, at.x, i, j):
            return int(meshes.representative[i]), int(meshes.representative[j])
    return None


def _cross(meshes: Meshes, x: Array, i: int, j: int) -> bool:
    """Whether two meshes intersect, or one intersects itself, at x (V, 3)."""
    edges, faces = [np.concatenate([part[k] for k in {i, j}]) for part in (meshes.own_edges, meshes.own_faces)]
    vertices, numbers = np.unique(np.concatenate([edges.ravel(), faces.ravel()]), return_inverse=True)
    if not len(faces):
        return False
    new_edges, new_faces = np.split(numbers.ravel().astype(np.int32), [edges.size])
    at = np.asfortranarray(x[vertices])
    mesh = ipctk.CollisionMesh(
        at, np.asfortranarray(new_edges.reshape(-1, 2)), np.asfortranarray(new_faces.reshape(-1, 3))
    )
    if i != j:
        mesh.can_collide = ipctk.make_vertex_patches_filter(
            (vertices >= meshes.first_vertex[max(i, j)]).astype(np.int32)
        )
    return bool(ipctk.has_intersections(mesh, at))
