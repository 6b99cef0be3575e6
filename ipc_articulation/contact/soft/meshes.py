"""The meshes of soft bodies, and of the affine bodies beside them, by the vertices of `Surfaces`.

A mesh is a soft body, or an affine body. The rows and the vertices of each follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
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
    """M meshes: those of the affine bodies, then the soft ones; edges and faces are as in `Surfaces`."""

    affine: int  # number of affine bodies
    first_row: Ints  # (M + 1,) first row of each mesh, and the number of rows
    first_vertex: Ints  # (M + 1,)
    edges: NDArray[np.int32]  # (E, 2)
    faces: NDArray[np.int32]  # (F, 3) flat ones included
    squared_lengths: Array  # (E,) of the edges at rest [m²]
    dimension: Ints  # (V,) of each vertex: 2 if it is in a face, 1 if only in edges, 0 in neither
    is_fixed: Bools  # (V,)
    body: Ints  # (V,) the row of each vertex
    trees: FaceTrees

    @cached_property
    def of_row(self) -> Ints:
        """The mesh of each row, (n,)."""
        return np.repeat(np.arange(len(self.first_row) - 1), np.diff(self.first_row))

    @cached_property
    def of_vertex(self) -> Ints:
        """The mesh of each vertex, ascending, (V,)."""
        return self.of_row[self.body]

    @cached_property
    def representative(self) -> Ints:
        """A row of each mesh that stands for it, (M,): the first that moves, where one does."""
        moves = np.zeros(self.first_row[-1], dtype=np.bool_)
        moves[self.body[~self.is_fixed]] = True
        rows = [first + int(np.argmax(moves[first:end])) for first, end in self._ranges(self.first_row)]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def own_edges(self) -> list[NDArray[np.int32]]:
        """The edges of each mesh, and the sides of its faces."""
        of_edge, of_face = self._mesh_of(self.edges), self._mesh_of(self.faces)
        found = []
        for mesh in range(len(self.first_row) - 1):
            own = self.faces[of_face == mesh]
            own = own[own[:, 1] != own[:, 2]]
            both = np.concatenate([self.edges[of_edge == mesh], own[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)])
            found.append(np.unique(np.sort(both, axis=1), axis=0))
        return found

    @cached_property
    def own_faces(self) -> list[NDArray[np.int32]]:
        """The faces of each mesh without flat ones."""
        of_face, is_proper = self._mesh_of(self.faces), self.faces[:, 1] != self.faces[:, 2]
        return [self.faces[is_proper & (of_face == mesh)] for mesh in range(len(self.first_row) - 1)]

    def _mesh_of(self, primitives: NDArray[np.int32]) -> Ints:
        return self.of_row[self.body[primitives[:, 0]]]

    def anyone(self, flags: Bools) -> Bools:
        """Whether a flag (n,) is set in the mesh of each row, (n,)."""
        return anyone(self.first_row, flags)

    def largest(self, values: Array) -> Array:
        """The largest value (n,) in the mesh of each row, (n,)."""
        return np.maximum.reduceat(values, self.first_row[:-1])[self.of_row] if len(values) else values

    def boxes(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Corners of boxes around the meshes, (M, 3) each, from those around rows (n, 3) [m]."""
        return boxes(self.first_row, low, high)

    @staticmethod
    def _ranges(first: Ints) -> list[tuple[int, int]]:
        return list(zip(first[:-1].tolist(), first[1:].tolist(), strict=True))


def make_meshes(
    surfaces: Surfaces, affine: int, soft: Sequence[SoftMesh], places: Sequence[Ints], is_fixed: Bools
) -> Meshes:
    """Meshes of all bodies.

    Args:
        surfaces: Of n rows: the affine bodies, then those of soft bodies, whose vertices are points without edges.
        affine: Number of affine bodies.
        soft: The soft bodies.
        places: The vertex of `surfaces` that each vertex of a soft body is, (v,) each.
        is_fixed: Which rows never move, (n,).
    """
    fixed = is_fixed[surfaces.body]
    own, ends = surfaces.first[affine], [0, *np.cumsum([len(place) for place in places]).tolist()]
    vertices = np.concatenate([surfaces.first[:affine], own + np.array(ends)]).astype(np.int64)
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
    first_row = np.concatenate([np.arange(affine), surfaces.body[vertices[affine:-1]], [len(is_fixed)]])
    lengths = rest[all_edges[:, 1]] - rest[all_edges[:, 0]]
    return Meshes(
        affine=affine,
        first_row=first_row.astype(np.int64),
        first_vertex=vertices,
        edges=all_edges,
        faces=all_faces,
        squared_lengths=np.sum(lengths**2, axis=1),
        dimension=dimension,
        is_fixed=fixed,
        body=surfaces.body,
        trees=face_trees(rest, all_edges, all_faces, first_face),
    )


@compiled
def anyone(first_row, flags):
    """See `Meshes.anyone`."""
    found = np.zeros(len(flags), dtype=np.bool_)
    for m in range(len(first_row) - 1):
        is_any = False
        for row in range(first_row[m], first_row[m + 1]):
            is_any |= flags[row]
        for row in range(first_row[m], first_row[m + 1]):
            found[row] = is_any
    return found


@compiled
def boxes(first_row, low, high):
    """See `Meshes.boxes`."""
    count = len(first_row) - 1
    lower, upper = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for m in range(count):
        for row in range(first_row[m], first_row[m + 1]):
            for k in range(3):
                lower[m, k], upper[m, k] = min(lower[m, k], low[row, k]), max(upper[m, k], high[row, k])
    return lower, upper


@compiled
def near_meshes(low, high, allowed, moving, distance):
    """Pairs of meshes that may touch, one of them moving, whose boxes (M, 3) are within a distance, (k, 2)."""
    pairs, count = np.empty((64, 2), dtype=np.int64), 0
    for i in range(len(low)):
        for j in range(i, len(low)):
            if not (allowed[i, j] and (moving[i] or moving[j])):
                continue
            apart = False
            for k in range(3):
                apart |= low[i, k] - high[j, k] > distance or low[j, k] - high[i, k] > distance
            if not apart:
                if count == len(pairs):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return pairs[:count]
