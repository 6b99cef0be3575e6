"""The surfaces of all bodies as one mesh whose vertices follow the bodies' affine coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.face_trees import FaceTrees, face_trees


@dataclass(frozen=True)
class Surfaces:
    """V vertices, E edges and F faces of n bodies.

    An edge (a, b) in no face is also a flat face (a, b, b), and a vertex a in no edge a flat face (a, a, a), so that
    vertices have pairs with rods and points.
    """

    points: Array  # (V, 3) local positions x̄ [m]
    body: Ints  # (V,) the body that a vertex belongs to
    edges: NDArray[np.int32]  # (E, 2)
    faces: NDArray[np.int32]  # (F, 3)
    thickness: Array  # (V,) radius about each vertex [m]
    first: Ints  # (n + 1,) first vertex of each body, and the number of vertices

    @cached_property
    def dimension(self) -> Ints:
        """Dimension of each vertex, (V,): 2 if it is in a face, 1 if only in edges, 0 if in neither."""
        dimension = np.zeros(len(self.points), dtype=np.int64)
        dimension[self.edges] = 1
        dimension[self.proper_faces] = 2
        return dimension

    def of_body(self, body: int, x: Array) -> tuple[Array, NDArray[np.int32], NDArray[np.int32]]:
        """Vertices of one body at x (V, 3), and its edges and proper faces by their numbers among these."""
        ranges = ((first[body], first[body + 1]) for first in (self.first, self.first_edges, self.first_faces))
        vertices, edges, faces = (slice(*ends) for ends in ranges)
        own = self.faces[faces]
        start = np.int32(self.first[body])
        return x[vertices], self.edges[edges] - start, own[own[:, 1] != own[:, 2]] - start

    @property
    def proper_faces(self) -> NDArray[np.int32]:
        """The faces that are not flat, (f, 3)."""
        return self.faces[self.faces[:, 1] != self.faces[:, 2]]

    @cached_property
    def first_edges(self) -> Ints:
        """First edge of each body, and the number of edges, (n + 1,)."""
        return self._first(self.edges)

    @cached_property
    def first_faces(self) -> Ints:
        """First face of each body, and the number of faces, (n + 1,)."""
        return self._first(self.faces)

    def _first(self, primitives: NDArray[np.int32]) -> Ints:
        return np.searchsorted(self.body[primitives[:, 0]], np.arange(len(self.first))).astype(np.int64)

    @cached_property
    def trees(self) -> FaceTrees:
        """Trees over the faces of each body."""
        return face_trees(self.points, self.edges, self.faces, self.first_faces)

    @cached_property
    def squared_lengths(self) -> Array:
        """Squared lengths of the edges at rest, (E,) [m²]."""
        ends = self.points[self.edges]
        return np.sum((ends[:, 1] - ends[:, 0]) ** 2, axis=1)

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """Centers and half sides of the bodies' local boxes, (n, 3) each [m]; 0 without surface."""
        center, half = np.zeros((2, len(self.first) - 1, 3))
        for b in np.flatnonzero(np.diff(self.first)):
            points = self.points[self.first[b] : self.first[b + 1]]
            low, high = points.min(axis=0), points.max(axis=0)
            center[b], half[b] = (low + high) / 2.0, (high - low) / 2.0
        return center, half

    def positions(self, q: Array) -> Array:
        """World positions x = A x̄ + p of all vertices: q (n, 12) -> (V, 3) [m]."""
        of = q[self.body]
        return of[:, :3] + np.einsum("vij,vj->vi", of[:, 3:].reshape(-1, 3, 3), self.points)


def join_surfaces(meshes: Sequence[tuple[Array, NDArray[np.int32], NDArray[np.int32], Array]]) -> Surfaces:
    """Join the meshes (points, edges, faces, thickness) of all bodies, in the order of the bodies."""
    counts = np.array([len(points) for points, *_ in meshes], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    offsets = first[:-1].astype(np.int32)
    return Surfaces(
        points=_concatenate([m[0] for m in meshes], 3, np.float64),
        body=np.repeat(np.arange(len(meshes)), counts),
        edges=_concatenate([m[1] + o for m, o in zip(meshes, offsets, strict=True)], 2, np.int32),
        faces=_concatenate([_closed(*m[:3]) + o for m, o in zip(meshes, offsets, strict=True)], 3, np.int32),
        thickness=np.concatenate([np.zeros(0), *(m[3] for m in meshes)]),
        first=first,
    )


def with_points(surfaces: Surfaces, points: Array, thickness: Array, counts: Ints) -> Surfaces:
    """The same with further bodies that have only vertices, in no edge and no face: rows of `tetrads`.

    Args:
        surfaces: Of the bodies so far.
        points: Local positions of the vertices (k, 3) of these bodies, one body after the other.
        thickness: (k,) [m].
        counts: Number of vertices of each body, (m,).
    """
    n = len(surfaces.first) - 1
    return replace(
        surfaces,
        points=np.concatenate([surfaces.points, points]),
        body=np.concatenate([surfaces.body, np.repeat(n + np.arange(len(counts)), counts)]),
        thickness=np.concatenate([surfaces.thickness, thickness]),
        first=np.concatenate([surfaces.first, surfaces.first[-1] + np.cumsum(counts)]).astype(np.int64),
    )


def with_flat_faces(count: int, edges: NDArray[np.int32], faces: NDArray[np.int32], points: Ints) -> NDArray[np.int32]:
    """The faces of a mesh of `count` vertices, then the flat ones of its edges in no face, and of single vertices."""
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1) @ [1, count]
    alone = ~np.isin(np.sort(edges, axis=1) @ [1, count], sides)
    return np.concatenate([faces, edges[alone][:, [0, 1, 1]], np.repeat(points[:, None], 3, axis=1)]).astype(np.int32)


def _closed(points: Array, edges: NDArray[np.int32], faces: NDArray[np.int32]) -> NDArray[np.int32]:
    """The faces of a mesh, then the flat ones of its edges in no face and of its vertices in no edge."""
    alone = np.setdiff1d(np.arange(len(points)), np.concatenate([edges.ravel(), faces.ravel()]))
    return with_flat_faces(len(points), edges, faces, alone)


def _concatenate(parts: list[NDArray], width: int, dtype: type) -> NDArray:
    return np.concatenate([np.zeros((0, width), dtype=dtype), *parts]).astype(dtype)
