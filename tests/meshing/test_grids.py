"""Boxes and rectangles of regular cells."""

import numpy as np
import pytest

from ipc_articulation.meshing.boundary import boundary_faces, edge_lengths, is_closed, volumes
from ipc_articulation.meshing.grids import box_cells, box_tetrahedra, rectangle_triangles


@pytest.mark.parametrize("cells", [(1, 1, 1), (2, 3, 4), (5, 1, 2)])
def test_a_box_is_filled_once_and_its_boundary_is_the_box(cells: tuple[int, int, int]) -> None:
    size = np.array([0.3, 0.2, 0.5])
    vertices, tetrahedra = box_tetrahedra(size, cells)
    v = volumes(vertices, tetrahedra)
    assert v.min() > 0.1 * np.prod(size / cells)
    assert v.sum() == pytest.approx(np.prod(size), rel=1e-12)
    faces = boundary_faces(tetrahedra)
    assert is_closed(faces), "the diagonals of neighbouring cells differ"
    assert len(faces) == 4 * (cells[0] * cells[1] + cells[1] * cells[2] + cells[2] * cells[0])
    on_surface = np.isclose(np.abs(vertices), 0.5 * size).any(axis=1)
    assert set(np.unique(faces)) == set(np.flatnonzero(on_surface))


def test_faces_of_the_boundary_look_outward() -> None:
    vertices, tetrahedra = box_tetrahedra((1.0, 1.0, 1.0), (2, 2, 2))
    corners = vertices[boundary_faces(tetrahedra)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.sum(normals * corners.mean(axis=1), axis=1) > 0.0).all()


def test_cells_are_as_long_as_asked_for() -> None:
    assert box_cells((0.1, 0.05, 0.001), 0.02) == (5, 2, 1)


def test_a_rectangle_is_covered_once_and_looks_up() -> None:
    vertices, triangles = rectangle_triangles((0.6, 0.8), (3, 4))
    corners = vertices[triangles]
    area = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert area[:, 2].min() == pytest.approx(0.02, rel=1e-12)
    assert area[:, 2].sum() == pytest.approx(0.48, rel=1e-12)
    assert len(vertices) == 20
    np.testing.assert_allclose(vertices.max(axis=0), [0.3, 0.4, 0.0])


def test_diagonals_of_a_rectangle_alternate() -> None:
    _, triangles = rectangle_triangles((1.0, 1.0), (4, 4))
    _, counts = np.unique(triangles, return_counts=True)
    assert counts.max() == 8, "diagonals meet at every other vertex"


def test_lengths_of_edges_are_those_of_every_edge_once() -> None:
    lengths = np.sort(edge_lengths(*rectangle_triangles((2.0, 1.0), (2, 1))))
    np.testing.assert_allclose(lengths, [1.0] * 7 + [np.sqrt(2.0)] * 2)
