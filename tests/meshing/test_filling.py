"""Closed surfaces filled with tetrahedra."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.errors import MeshError
from ipc_articulation.meshing.boundary import boundary_faces, is_closed, volumes
from ipc_articulation.meshing.columns import inside
from ipc_articulation.meshing.filling import filled
from ipc_articulation.meshing.nearest_surface import nearest_triangles

SHAPES = {
    "ball": (trimesh.creation.icosphere(4, 0.05), 0.012),
    "cylinder": (trimesh.creation.cylinder(0.03, 0.1, sections=32), 0.01),
    "box": (trimesh.creation.box((0.1, 0.08, 0.06)), 0.02),
    "torus": (trimesh.creation.torus(0.05, 0.015), 0.006),
}


def surface(name: str) -> tuple[np.ndarray, np.ndarray, float]:
    mesh, spacing = SHAPES[name]
    return np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64), spacing


def dihedral_angles(vertices: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    """All angles between two faces [degrees]."""
    corners = vertices[tetrahedra]
    angles = []
    for i, j, k, m in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2), (2, 3, 0, 1)):
        edge = corners[:, j] - corners[:, i]
        sides = [np.cross(edge, corners[:, p] - corners[:, i]) for p in (k, m)]
        a, b = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
        angles.append(np.degrees(np.arccos(np.clip(np.sum(a * b, axis=1), -1.0, 1.0))))
    return np.concatenate(angles)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_filled_without_gaps_by_good_elements(name: str) -> None:
    vertices, faces, spacing = surface(name)
    points, tetrahedra = filled(vertices, faces, spacing)
    v = volumes(points, tetrahedra)
    whole = SHAPES[name][0].volume
    assert v.min() > 0.0
    assert v.sum() == pytest.approx(whole, rel=0.03)
    assert dihedral_angles(points, tetrahedra).min() > 9.0
    assert is_closed(boundary_faces(tetrahedra))


@pytest.mark.parametrize("name", ["ball", "torus"])
def test_the_boundary_is_near_the_surface(name: str) -> None:
    vertices, faces, spacing = surface(name)
    points, tetrahedra = filled(vertices, faces, spacing)
    distance, _ = nearest_triangles(points[np.unique(boundary_faces(tetrahedra))], vertices, faces)
    assert distance.max() < 0.05 * spacing


def test_half_the_spacing_has_a_quarter_of_the_error() -> None:
    """The volume between a surface and its chords is quadratic in the spacing; that of a ball of radius R."""
    vertices, faces, _ = surface("ball")
    whole = SHAPES["ball"][0].volume
    errors = [whole - volumes(*filled(vertices, faces, h)).sum() for h in (0.02, 0.01)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)


@pytest.mark.slow
def test_the_same_shape_has_the_same_mesh() -> None:
    first, second = filled(*surface("torus")), filled(*surface("torus"))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_too_coarse_elements_are_refused() -> None:
    vertices, faces, _ = surface("torus")
    with pytest.raises(
        MeshError, match=r"elements of 0\.05 m are too coarse for this shape: they fill .* smaller reso"
    ):
        filled(vertices, faces, 0.05)


def test_too_small_elements_are_refused() -> None:
    vertices, faces, _ = surface("box")
    with pytest.raises(
        MeshError, match=r"elements of 1e-05 m are too small .* 0\.1 x 0\.08 x 0\.06 m: .* at least 0\.00049 m"
    ):
        filled(vertices, faces, 1e-5)


def test_points_inside_agree_with_the_distance_from_the_centre() -> None:
    vertices, faces, _ = surface("ball")
    origin, spacing, counts = np.array([-0.0611, -0.0607, -0.0613]), 0.004, np.array([31, 31, 31])
    found = inside(vertices, faces, origin, spacing, counts)
    points = origin + spacing * np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1)
    r = np.linalg.norm(points, axis=-1)
    assert found[r < 0.0495].all()
    assert not found[r > 0.05].any()


@pytest.mark.parametrize("seed", range(10))
def test_lines_through_vertices_and_edges_cross_a_surface_twice(seed: int) -> None:
    """The lattice's lines meet vertices and edges of this box exactly, however its vertices are numbered."""
    mesh = trimesh.creation.box((2.0, 2.0, 2.0)).subdivide().subdivide()
    order = np.random.default_rng(seed).permutation(len(mesh.vertices))
    vertices, faces = np.array(mesh.vertices)[order], np.argsort(order)[mesh.faces]
    found = inside(vertices, faces, np.array([-1.5, -1.5, -1.25]), 0.5, np.array([7, 7, 6]))
    assert found[2:5, 2:5, 1:5].all()
    assert not found[:, :, 5].any(), "a line left the box an odd number of times"


@pytest.mark.parametrize(
    ("point", "distance"),
    [([0.2, 0.2, 0.7], 0.7), ([-3.0, -4.0, 0.0], 5.0), ([0.5, -2.0, 0.0], 2.0), ([1.0, 1.0, 1.0], np.sqrt(1.5))],
)
def test_the_distance_from_a_triangle(point: list[float], distance: float) -> None:
    """Above its plane, from a corner, from a side, from the slanted side."""
    vertices = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [50.0, 50.0, 50.0]])
    faces = np.array([[1, 2, 3], [0, 1, 2]])
    got, nearest = nearest_triangles(np.array([point]), vertices[[0, 1, 2, 3]], faces[1:])
    assert got[0] == pytest.approx(distance)
    assert nearest[0] == 0
