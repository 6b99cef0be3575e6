import mujoco
import numpy as np
import pytest

from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Sphere
from ipc_articulation.dynamics.reading.mujoco.shapes import link_shapes
from ipc_articulation.errors import UnsupportedError

SHOW = 'contype="0" conaffinity="0"'
ASSETS = """<asset>
  <mesh name="shard" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1  0 1 3  0 3 2  1 2 3"/>
  <mesh name="sheet" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 3 2  1 2 3" inertia="shell"/>
  <hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/>
</asset>"""


def shapes_of(geoms, **changes):
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco>{ASSETS}<worldbody><geom size="9"/><body name="thing">{geoms}</body></worldbody></mujoco>'
    )
    for field, value in changes.items():
        getattr(model, field)[:] = value
    return model, *link_shapes(model, 1)


@pytest.mark.parametrize(
    ("geom", "expected"),
    [
        ('type="box" size="0.1 0.2 0.3"', Box((0.2, 0.4, 0.6))),
        ('type="sphere" size="0.1"', Sphere(0.1)),
        ('type="cylinder" size="0.1 0.2"', Cylinder(0.1, 0.4)),
        ('type="capsule" size="0.1 0.2"', Capsule(0.1, 0.4)),
    ],
)
def test_primitives(geom, expected):
    _, (shape,), visual = shapes_of(f"<geom {geom}/>")
    assert shape.geometry == expected
    assert visual == ()


def test_capsules_reach_half_their_length_and_a_radius():
    """The length of our capsule is between the centres of its spheres."""
    model, (shape,), _ = shapes_of('<geom type="capsule" fromto="0 0 0  0 0 2" size="0.1"/>')
    assert shape.geometry.length == pytest.approx(2.0)
    assert model.geom_aabb[1, 5] == pytest.approx(1.1)


def test_ellipsoids_stay_ellipsoids():
    _, (shape,), _ = shapes_of('<geom type="ellipsoid" size="0.1 0.2 0.3"/>')
    assert shape.geometry == Ellipsoid((0.1, 0.2, 0.3))


@pytest.mark.parametrize("mesh", ["shard", "sheet"])
def test_meshes_keep_their_triangles_and_their_place(mesh):
    model, (shape,), _ = shapes_of(f'<geom type="mesh" mesh="{mesh}"/>')
    vertices, faces = shape.geometry.vertices, shape.geometry.faces
    placed = vertices @ shape.pose[:3, :3].T + shape.pose[:3, 3]
    np.testing.assert_allclose(placed, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], atol=1e-6)
    assert faces.dtype == np.int32
    assert not np.shares_memory(faces, model.mesh_face)
    closed = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    assert faces.tolist() == (closed if mesh == "shard" else closed[2:])


def test_poses_and_names_are_the_geoms():
    ball, box = '<geom name="a" size="1" pos="1 2 3"/>', '<geom type="box" size="1 1 1" euler="10 20 30"/>'
    model, shapes, _ = shapes_of(ball + box)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assert [shape.name for shape in shapes] == ["a", "geom2"]
    for shape, position, matrix in zip(shapes, data.geom_xpos[1:], data.geom_xmat[1:], strict=True):
        np.testing.assert_allclose(shape.pose[:3, 3], position, atol=1e-15)
        np.testing.assert_allclose(shape.pose[:3, :3], matrix.reshape(3, 3), atol=1e-15)


@pytest.mark.parametrize(
    ("bits", "collides"),
    [
        (SHOW, False),
        ('contype="0"', True),
        ('conaffinity="0"', True),
    ],
)
def test_geoms_that_collide_with_nothing_are_for_show(bits, collides):
    _, collision, visual = shapes_of(f'<geom size="1" {bits}/>')
    assert (len(collision), len(visual)) == (collides, not collides)


PLANE, HILLS = 'type="plane" size="1 1 1"', 'type="hfield" hfield="hills"'


def test_a_plane_is_left_out_if_it_is_for_show():
    assert shapes_of(f"<geom {PLANE} {SHOW}/>")[1:] == ((), ())


def test_a_plane_is_refused_if_it_collides():
    message = (
        "^geom 'floor' of body 'thing' is of type plane, which no link can have; links are made of box, sphere, "
        "capsule, cylinder, ellipsoid, mesh, hfield: move it to the worldbody, or set contype and conaffinity to 0$"
    )
    with pytest.raises(UnsupportedError, match=message):
        shapes_of(f'<geom name="floor" {PLANE}/>')


def test_a_height_field_is_a_closed_mesh():
    _, (shape,), _ = shapes_of(f"<geom {HILLS}/>")
    assert shape.geometry.vertices[:, 2].min() == -1.0
