import re

import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.native import NativeAdapter
from ipc_articulation.adapters.native.shapes import surface

from ipc_articulation.coupling.bodies import mesh_volume
from ipc_articulation.dynamics.model import Box, Capsule, Cylinder, Ellipsoid, MeshFile, Shape, Sphere, Triangles
from ipc_articulation.errors import MeshError
from tests.adapters.native.mechanisms import arm, at

PI = np.pi
SOLIDS = [
    (Box((0.1, 0.2, 0.3)), 0.006, (0.05, 0.1, 0.15)),
    (Sphere(0.2), 4 / 3 * PI * 0.008, (0.2, 0.2, 0.2)),
    (Cylinder(0.1, 0.6), PI * 0.006, (0.1, 0.1, 0.3)),
    (Capsule(0.1, 0.6), PI * 0.006 + 4 / 3 * PI * 0.001, (0.1, 0.1, 0.4)),
]


@pytest.mark.parametrize(("geometry", "volume", "reach"), SOLIDS)
def test_solids_have_their_size(geometry, volume, reach):
    mesh = surface([Shape(geometry)], "link")
    inscribed = mesh_volume(mesh)
    assert 0.95 * volume < inscribed <= volume * (1 + 1e-12)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), reach, rtol=0.03)
    np.testing.assert_allclose(mesh.vertices.max(axis=0)[2], reach[2])


def test_shapes_of_a_link_are_joined_where_they_stand():
    mesh = surface([Shape(Box((2.0, 2.0, 2.0))), Shape(Box((1.0, 1.0, 1.0)), at(5, 0, 0))], "link")
    assert mesh_volume(mesh) == pytest.approx(9.0)
    assert mesh.vertices[:, 0].max() == pytest.approx(5.5)
    assert surface([], "link") is None


def save(mesh: trimesh.Trimesh, folder) -> MeshFile:
    mesh.export(folder / "part.stl")
    return MeshFile(folder / "part.stl", (1.0, 2.0, -3.0))


def test_mesh_files_are_scaled_and_turned_outside_out(tmp_path):
    mesh = surface([Shape(save(trimesh.creation.box((1.0, 1.0, 1.0)), tmp_path))], "link")
    assert mesh_volume(mesh) == pytest.approx(6.0)
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [1.0, 2.0, 3.0])


def open_box() -> trimesh.Trimesh:
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    return trimesh.Trimesh(box.vertices, box.faces[:-1])


def test_an_open_mesh_is_refused_by_file_and_link_and_its_hull_is_not(tmp_path):
    file = save(open_box(), tmp_path)
    mechanism = arm()
    mechanism.links[1].collision = (Shape(file),)
    message = (
        f"mesh file '{file.path}' of link 'upper' is not a closed surface; close it, or couple its convex hull with "
        'NativeAdapter(..., mesh_shape="hull")'
    )
    with pytest.raises(MeshError, match=re.escape(message)):
        NativeAdapter(mechanism.build(), 0.01)
    hull = NativeAdapter(mechanism.build(), 0.01, mesh_shape="hull").describe().links[0]
    assert mesh_volume(hull.mesh) == pytest.approx(6.0)


def test_open_triangles_are_refused_too():
    box = open_box()
    shape = Shape(Triangles(np.array(box.vertices), np.array(box.faces, np.int32)))
    with pytest.raises(MeshError, match="the triangle mesh of link 'tip' is not a closed surface"):
        surface([shape], "tip")
    assert mesh_volume(surface([shape], "tip", "hull")) == pytest.approx(1.0)


def test_a_flat_mesh_is_refused_as_it_is_and_as_a_hull():
    corners, faces = [[0, 0, 0], [1, 0, 0.1], [1, 1, 0.2], [0, 1, 0.1]], [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
    shape = Shape(Triangles(np.array(corners, float), np.array(faces, np.int32)))
    for mesh_shape in ("mesh", "hull"):
        with pytest.raises(MeshError, match="the triangle mesh of link 'tip' has no volume"):
            surface([shape], "tip", mesh_shape)


def test_a_file_that_is_no_mesh_is_told(tmp_path):
    (tmp_path / "part.stl").write_text("solid nothing\n")
    with pytest.raises(MeshError, match=r"mesh file '.*part\.stl' of link 'tip' (cannot be read|holds no triangles)"):
        surface([Shape(MeshFile(tmp_path / "part.stl"))], "tip")
    with pytest.raises(MeshError, match=r"mesh file '.*none\.stl' of link 'tip' cannot be read"):
        surface([Shape(MeshFile(tmp_path / "none.stl"))], "tip")


FLAT = Triangles(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 1]], dtype=np.int32))


@pytest.mark.parametrize(
    ("geometry", "name"),
    [
        (FLAT, "the triangle mesh of link 'hand'"),
        (Box((1.0, 0.0, 1.0)), "the box of link 'hand'"),
        (Box((1e-200, 1.0, 1.0)), "the box of link 'hand'"),
        (Sphere(0.0), "the sphere of link 'hand'"),
        (Ellipsoid((1.0, 1.0, 0.0)), "the ellipsoid of link 'hand'"),
        (Cylinder(0.0, 1.0), "the cylinder of link 'hand'"),
    ],
)
@pytest.mark.parametrize("mesh_shape", ["mesh", "hull"])
def test_a_shape_without_volume_is_refused_by_link(geometry, name, mesh_shape):
    with pytest.raises(MeshError, match=f"{name} has no volume; give it a thickness"):
        surface([Shape(geometry)], "hand", mesh_shape)


def test_a_thin_plate_has_a_volume():
    assert mesh_volume(surface([Shape(Box((1.0, 1.0, 1e-6)))], "link")) == pytest.approx(1e-6)
