"""The mesh of a soft body of a scene file, in the body's own frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.meshing.boundary import edge_lengths
from ipc_articulation.meshing.curves import resampled
from ipc_articulation.meshing.filling import filled
from ipc_articulation.meshing.grids import box_cells, box_tetrahedra, rectangle_triangles
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.published_materials import SoftBody
from ipc_articulation.simulation.bodies import surface_and_solid
from ipc_articulation.simulation.soft.mesh_files import read_tetrahedra, read_triangles


@dataclass(frozen=True)
class SoftMesh:
    """Elements of one kind."""

    vertices: Array  # (V, 3) [m] in the body's frame
    cells: Ints  # (k, 4) tetrahedra, (k, 3) triangles or (k, 2) segments
    of_file: Ints | None = None  # the vertex of each of the file, -1 if no cell has it; None: as they are

    @property
    def mean_edge(self) -> float:
        """Mean length of its edges [m]."""
        return float(edge_lengths(self.vertices, self.cells).mean())


def mesh_of(body: SoftBody) -> SoftMesh:
    """The mesh of a body.

    Raises:
        MeshError: A file cannot be read, a surface is not closed, or it cannot be filled at this resolution.
        MissingPackageError: A file of tetrahedra needs meshio.
    """
    match body:
        case schema.SoftEntry():
            return _tetrahedra(body)
        case schema.ClothEntry():
            return _triangles(body.shape)
        case schema.RodEntry():
            points = _points(body.shape)
            first = np.arange(len(points) - 1)
            return SoftMesh(points, np.stack([first, first + 1], axis=1))


def _tetrahedra(body: schema.SoftEntry) -> SoftMesh:
    """Boxes are regular grids; the other shapes are filled."""
    if isinstance(body.shape, schema.TetrahedraEntry):
        return SoftMesh(*read_tetrahedra(body.shape.file, body.shape.scale))
    assert body.resolution is not None
    if isinstance(body.shape, schema.BoxEntry):
        return SoftMesh(*box_tetrahedra(body.shape.size, box_cells(body.shape.size, body.resolution)))
    surface, _ = surface_and_solid(body.shape)
    return SoftMesh(*filled(surface.vertices, surface.faces.astype(np.int64), body.resolution))


def _triangles(shape: schema.GridEntry | schema.TrianglesEntry) -> SoftMesh:
    if isinstance(shape, schema.GridEntry):
        return SoftMesh(*rectangle_triangles(shape.size, shape.cells))
    return SoftMesh(*read_triangles(shape.file, shape.scale))


def _points(shape: schema.LineEntry | schema.PolylineEntry) -> Array:
    if isinstance(shape, schema.LineEntry):
        x = np.linspace(-0.5 * shape.length, 0.5 * shape.length, shape.segments + 1)
        return np.stack([x, np.zeros_like(x), np.zeros_like(x)], axis=1)
    return np.array(shape.points) if shape.segments is None else resampled(shape.points, shape.segments)
