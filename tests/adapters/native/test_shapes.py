import re

import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.native import NativeAdapter
from ipc_articulation.adapters.native.robot import read_robot
from ipc_articulation.adapters.native.shapes import surface

from ipc_articulation.coupling.bodies import mesh_volume
from ipc_articulation.coupling.solids import Facets
from ipc_articulation.dynamics.model import Box, Capsule, Cylinder, Ellipsoid, MeshFile, Shape, Sphere, Triangles
from ipc_articulation.errors import MeshError
from ipc_articulation.repairs import RepairWarning, strict
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


def test_an_open_mesh_is_closed_or_refused_by_file_and_link(tmp_path):
    file = save(open_box(), tmp_path)
    mechanism = arm()
    mechanism.links[1].collision = (Shape(file),)
    place = re.escape("mesh 'part.stl' of link 'upper': not a closed surface: 3 of its 18 edges do not have")
    with strict(), pytest.raises(MeshError, match=place):
        NativeAdapter(mechanism.build(), 0.01)
    with pytest.warns(RepairWarning, match=f"{place} two triangles; replaced by its convex hull"):
        closed = NativeAdapter(mechanism.build(), 0.01).describe().links[0]
    with strict():
        hull = NativeAdapter(mechanism.build(), 0.01, mesh_shape="hull").describe().links[0]
    assert mesh_volume(hull.mesh) == mesh_volume(closed.mesh) == pytest.approx(6.0)


def test_open_meshes_of_static_links_are_closed_too(tmp_path):
    save(open_box(), tmp_path)
    (tmp_path / "arm.urdf").write_text("""
        <robot name="arm">
          <link name="base"><collision><geometry><mesh filename="part.stl"/></geometry></collision></link>
          <link name="tip">
            <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
          </link>
          <joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint>
        </robot>""")
    static = read_robot(tmp_path / "arm.urdf", ()).static
    with pytest.warns(RepairWarning, match="link 'base': not a closed surface: .* replaced by its convex hull"):
        assert mesh_volume(static(Facets())[0].mesh) == pytest.approx(1.0)
    with strict():
        assert mesh_volume(static(Facets("hull"))[0].mesh) == pytest.approx(1.0)
        with pytest.raises(MeshError, match="link 'base': not a closed surface"):
            static(Facets())


def test_open_triangles_are_closed_too():
    box = open_box()
    shape = Shape(Triangles(np.array(box.vertices), np.array(box.faces, np.int32)))
    with pytest.warns(RepairWarning, match="the triangle mesh of link 'tip': not a closed surface"):
        assert mesh_volume(surface([shape], "tip")) == pytest.approx(1.0)
    with strict():
        assert mesh_volume(surface([shape], "tip", Facets("hull"))) == pytest.approx(1.0)


def test_a_flat_mesh_is_left_out_as_it_is_and_as_a_hull():
    corners, faces = [[0, 0, 0], [1, 0, 0.1], [1, 1, 0.2], [0, 1, 0.1]], [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
    shape = Shape(Triangles(np.array(corners, float), np.array(faces, np.int32)))
    for mesh_shape in ("mesh", "hull"):
        with pytest.warns(RepairWarning, match="the triangle mesh of link 'tip': has no volume; left out of contact"):
            left = surface([shape, Shape(Box((2.0, 2.0, 2.0)))], "tip", Facets(mesh_shape))
        assert mesh_volume(left) == pytest.approx(8.0)
        with strict(), pytest.raises(MeshError, match="the triangle mesh of link 'tip': has no volume"):
            surface([shape], "tip", Facets(mesh_shape))


def test_a_file_that_is_no_mesh_is_left_out(tmp_path):
    (tmp_path / "part.stl").write_text("solid nothing\n")
    box = Shape(Box((2.0, 2.0, 2.0)))
    fault = r"mesh 'part\.stl' of link 'tip': (cannot be read|holds no triangles)"
    with pytest.warns(RepairWarning, match=f"{fault}.*; left out of contact"):
        assert mesh_volume(surface([Shape(MeshFile(tmp_path / "part.stl")), box], "tip")) == pytest.approx(8.0)
    with strict(), pytest.raises(MeshError, match=fault):
        surface([Shape(MeshFile(tmp_path / "part.stl"))], "tip")
    said = r"mesh 'none\.stl' of link 'tip': cannot be read: there is no such file; left"
    with pytest.warns(RepairWarning, match=said), pytest.raises(MeshError, match=BARE):
        surface([Shape(MeshFile(tmp_path / "none.stl"))], "tip")


BARE = "link '(tip|hand)': none of its shapes for contact has a volume: it would pass through everything; correct"
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
def test_a_shape_without_volume_is_left_out_by_link(geometry, name, mesh_shape):
    with strict(), pytest.raises(MeshError, match=f"{name}: has no volume"):
        surface([Shape(geometry)], "hand", Facets(mesh_shape))
    said = f"{name}: has no volume; left out of contact"
    with pytest.warns(RepairWarning, match=said), pytest.raises(MeshError, match=BARE):
        surface([Shape(geometry)], "hand", Facets(mesh_shape))


def test_a_thin_plate_has_a_volume():
    assert mesh_volume(surface([Shape(Box((1.0, 1.0, 1e-6)))], "link")) == pytest.approx(1e-6)
