"""Faces and edges of meshes."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints

_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])  # of a tetrahedron of positive volume, outward


def volumes(vertices: Array, tetrahedra: Ints) -> Array:
    """v = det(x₁ - x₀, x₂ - x₀, x₃ - x₀)/6 of each tetrahedron, (T,) [m³]."""
    return np.linalg.det(vertices[tetrahedra[:, 1:]] - vertices[tetrahedra[:, :1]]) / 6.0


def boundary_faces(tetrahedra: Ints) -> Ints:
    """Faces that belong to one tetrahedron, counter-clockwise from outside, (F, 3)."""
    faces = tetrahedra[:, _FACES].reshape(-1, 3)
    _, first, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[np.sort(first[counts == 1])]


def edges(cells: Ints) -> Ints:
    """Every edge of triangles (k, 3) or tetrahedra (k, 4) once, (E, 2), the smaller vertex first."""
    corners = [(a, b) for a in range(cells.shape[1]) for b in range(a)]
    return np.unique(np.sort(cells[:, corners].reshape(-1, 2), axis=1), axis=0)


def edge_lengths(vertices: Array, cells: Ints) -> Array:
    """Length of every edge of `edges`, or of the segments (k, 2) of rods, (E,) [m]."""
    pairs = cells if cells.shape[1] == 2 else edges(cells)
    return np.linalg.norm(vertices[pairs[:, 1]] - vertices[pairs[:, 0]], axis=1)


def is_closed(triangles: Ints) -> bool:
    """Whether each directed edge of triangles (F, 3) has one opposite."""
    directed = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    return len(np.unique(directed, axis=0)) == len(directed) == len(np.unique(np.sort(directed, axis=1), axis=0)) * 2
