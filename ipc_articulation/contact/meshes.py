"""The meshes of soft bodies, and of the affine bodies beside them, by the vertices of `Surfaces`.

A mesh is a soft body, or an affine body. The rows and the vertices of each follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.face_trees import FaceTrees, face_trees
from ipc_articulation.contact.surfaces import Surfaces, with_flat_faces


@dataclass(frozen=True)
class SoftMesh:
    """What of a soft body's v vertices may touch."""

    edges: NDArray[np.int32]  # (E, 2)
    faces: NDArray[np.int32]  # (F, 3)
    points: Ints  # (k,) vertices that may touch and are in no edge
    rest: Array  # (v, 3) positions at rest [m]


@dataclass(frozen=True)
class Meshes:
    """The meshes of the affine bodies, then the soft ones; edges and faces are as in `Surfaces`."""

    edges: NDArray[np.int32]  # (E, 2)
    faces: NDArray[np.int32]  # (F, 3) flat ones included
    squared_lengths: Array  # (E,) of the edges at rest [m²]
    dimension: Ints  # (V,) of each vertex: 2 if it is in a face, 1 if only in edges, 0 in neither
    trees: FaceTrees


def make_meshes(surfaces: Surfaces, affine: int, soft: Sequence[SoftMesh], places: Sequence[Ints]) -> Meshes:
    """Meshes of all bodies.

    Args:
        surfaces: Of n rows: the affine bodies, then those of soft bodies, whose vertices are points without edges.
        affine: Number of affine bodies.
        soft: The soft bodies.
        places: The vertex of `surfaces` that each vertex of a soft body is, (v,) each.
    """
    rest, edges, faces = surfaces.points.copy(), [surfaces.edges], [surfaces.faces]
    counts = [*np.diff(surfaces.first_faces[: affine + 1]).tolist()]
    for mesh, place in zip(soft, places, strict=True):
        own_faces = with_flat_faces(len(mesh.rest), mesh.edges, mesh.faces, mesh.points)
        rest[place] = mesh.rest
        edges.append(place[mesh.edges].astype(np.int32).reshape(-1, 2))
        faces.append(place[own_faces].astype(np.int32).reshape(-1, 3))
        counts.append(len(own_faces))
    all_edges, all_faces = np.concatenate(edges), np.concatenate(faces)
    first_face = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    dimension = np.zeros(len(rest), dtype=np.int64)
    dimension[all_edges] = 1
    dimension[all_faces[all_faces[:, 1] != all_faces[:, 2]]] = 2
    lengths = rest[all_edges[:, 1]] - rest[all_edges[:, 0]]
    return Meshes(
        edges=all_edges,
        faces=all_faces,
        squared_lengths=np.sum(lengths**2, axis=1),
        dimension=dimension,
        trees=face_trees(rest, all_edges, all_faces, first_face),
    )
