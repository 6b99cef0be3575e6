"""Surfaces of soft bodies as pictures show them: boundaries of solids, sheets, tubes around rods.

A surface looks round except along edges that are sharp at the start: there each side has its own vertices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.meshing.boundary import boundary_faces
from ipc_articulation.recording import SoftShape
from ipc_articulation.viewing.palette import SOFT

_SHARP = np.radians(25.0)  # between faces
_SIDES = 10  # of a tube


@dataclass(frozen=True)
class SoftSurface:
    """What is drawn of a soft body.

    Attributes:
        shape: The body.
    """

    shape: SoftShape
    colour: str = SOFT

    @property
    def is_rod(self) -> bool:
        """Whether it is a tube."""
        return self.shape.cells.shape[1] == 2

    @property
    def is_sheet(self) -> bool:
        """Whether both sides are seen."""
        return self.shape.cells.shape[1] == 3

    @cached_property
    def faces(self) -> Ints:
        """Triangles, counter-clockwise from outside, (F, 3), of `vertices`."""
        if not self.is_rod:
            return self._split[1]
        return _tube_faces(len(self.shape.cells)) if self._is_line else _pieces_faces(len(self.shape.cells))

    def vertices(self, positions: Array) -> Array:
        """Vertices of the surface where the body's are at `positions`, (V, 3) or (rows, V, 3): (..., D, 3) [m]."""
        if not self.is_rod:
            return positions[..., self.sources, :]
        if positions.ndim == 3:
            return np.stack([self.vertices(row) for row in positions])
        if self._is_line:
            return _tube(positions, self.shape.radius)
        return _pieces(positions[self.shape.cells], self.shape.radius)

    @cached_property
    def sources(self) -> Ints:
        """The body's vertex of each vertex of the surface, (D,)."""
        if not self.is_rod:
            return self._split[0]
        ends = self.shape.cells.astype(np.int64)
        if self._is_line:
            points = np.arange(len(self.shape.vertices))
            return np.concatenate([np.repeat(points, _SIDES), points[[0, -1]]])
        return np.concatenate([np.repeat(ends, _SIDES, axis=1), ends], axis=1).ravel()

    @cached_property
    def _is_line(self) -> bool:
        """Whether a rod is one line through its vertices in their order, as those of scene files."""
        k = np.arange(len(self.shape.vertices) - 1)
        return np.array_equal(self.shape.cells, np.stack([k, k + 1], axis=1))

    @cached_property
    def _split(self) -> tuple[Ints, Ints]:
        """The body's vertex of each vertex of the surface, (D,), and the triangles, (F, 3)."""
        cells = self.shape.cells.astype(np.int64)
        faces = boundary_faces(cells) if cells.shape[1] == 4 else cells
        keys = _smooth_groups(self.shape.vertices, faces)[:, None] * len(self.shape.vertices) + faces
        used, inverse = np.unique(keys, return_inverse=True)
        return used % len(self.shape.vertices), inverse.reshape(-1, 3)


def _smooth_groups(vertices: Array, faces: Ints) -> Ints:
    """Number of each face's group, (F,): faces that edges join which are not sharp."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, inverse = np.unique(sides, axis=0, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    pairs = np.flatnonzero(inverse[order][1:] == inverse[order][:-1])
    a, b = order[pairs] // 3, order[pairs + 1] // 3
    smooth = np.sum(normals[a] * normals[b], axis=1) > np.cos(_SHARP)
    links = coo_array((np.ones(smooth.sum()), (a[smooth], b[smooth])), shape=(len(faces), len(faces)))
    return connected_components(links, directed=False)[1].astype(np.int64)


def _tube(points: Array, radius: float) -> Array:
    """Rings around a polyline, one at each point, and its two ends: (n _SIDES + 2, 3) [m].

    A ring is normal to the mean of the two segments there; the first axis of one is carried to the next along the line.
    """
    along = np.diff(points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    tangents = np.concatenate([along[:1], along[:-1] + along[1:], along[-1:]])
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-300)
    axis = np.eye(3)[int(np.argmin(np.abs(tangents[0])))]
    first = np.empty_like(points)
    for k, tangent in enumerate(tangents):
        axis = axis - np.dot(axis, tangent) * tangent
        axis = axis / max(float(np.linalg.norm(axis)), 1e-300)
        first[k] = axis
    second = np.cross(tangents, first)
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    around = np.cos(angles)[:, None] * first[:, None] + np.sin(angles)[:, None] * second[:, None]
    rings = points[:, None] + radius * around
    return np.concatenate([rings.reshape(-1, 3), points[:1], points[-1:]])


def _pieces(ends: Array, radius: float) -> Array:
    """Tubes around k segments (k, 2, 3), as high as thick at points: (k (2 _SIDES + 2), 3) [m], each as `_tube`."""
    is_point = (ends[:, 0] == ends[:, 1]).all(axis=1)
    ends = ends + is_point[:, None, None] * radius * np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    along = ends[:, 1] - ends[:, 0]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    axis = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    first = axis - np.sum(axis * along, axis=1, keepdims=True) * along
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-300)
    second = np.cross(along, first)
    angles = 2.0 * np.pi * np.arange(_SIDES)[:, None] / _SIDES
    around = radius * (np.cos(angles) * first[:, None] + np.sin(angles) * second[:, None])  # (k, _SIDES, 3)
    rings = ends[:, :, None] + around[:, None]
    return np.concatenate([rings.reshape(len(ends), 2 * _SIDES, 3), ends], axis=1).reshape(-1, 3)


def _pieces_faces(pieces: int) -> Ints:
    """Triangles of `_pieces`, (F, 3)."""
    starts = (2 * _SIDES + 2) * np.arange(pieces)
    return (starts[:, None, None] + _tube_faces(1)).reshape(-1, 3)


def _tube_faces(segments: int) -> Ints:
    """Triangles of `_tube` along a rod, (F, 3)."""
    n, k = segments + 1, np.arange(_SIDES)
    after = (k + 1) % _SIDES
    start = _SIDES * np.arange(n - 1)[:, None]
    a, b, c, d = start + k, start + after, start + _SIDES + k, start + _SIDES + after
    sides = np.stack([np.stack([a, b, d], axis=-1), np.stack([a, d, c], axis=-1)], axis=2).reshape(-1, 3)
    first, last = np.full(_SIDES, n * _SIDES), np.full(_SIDES, n * _SIDES + 1)
    end = (n - 1) * _SIDES
    caps = [np.stack([first, after, k], axis=1), np.stack([last, end + k, end + after], axis=1)]
    return np.concatenate([sides, *caps])
