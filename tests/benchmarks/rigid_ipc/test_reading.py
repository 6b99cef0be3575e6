"""Fixtures of rigid-ipc: defaults, conventions, meshes and mass properties."""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from benchmarks.rigid_ipc.fixture import STATIC_GROUP, UNTIL_SETTLED
from benchmarks.rigid_ipc.mass import moments
from benchmarks.rigid_ipc.meshes import make_mesh, read_mesh
from benchmarks.rigid_ipc.scene import build
from ipc_articulation.errors import MeshError, UnsupportedError
from ipc_articulation.frontend.friction_law import friction_iterations
from tests.benchmarks.rigid_ipc.fixtures import BOX, CUBE, fixture


def test_defaults_are_rigid_ipc_s(tmp_path):
    read = fixture(tmp_path, [CUBE], max_time=0.5)
    assert (read.dt, read.steps, read.friction, read.eps_velocity) == (0.01, 50, 0.0, 1e-3)
    assert (read.d_hat, read.separation) == (1e-3, 0.0)
    (body,) = read.bodies
    assert (body.density, body.type, body.group) == (1000.0, "dynamic", -1)
    assert fixture(tmp_path, [CUBE], max_iterations=7).steps == 7


def test_contact_settings_are_read(tmp_path):
    barrier = {"initial_barrier_activation_distance": 0.02, "minimum_separation_distance": 0.003}
    friction = {"static_friction_speed_bound": 1e-5}
    args = {"distance_barrier_constraint": barrier, "friction_constraints": friction}
    problem = {"coefficient_friction": 0.3}
    read = fixture(tmp_path, [CUBE], problem=problem, **args)
    assert (read.d_hat, read.separation, read.friction, read.eps_velocity) == (0.02, 0.003, 0.3, 1e-5)
    friction["iterations"] = 0  # friction is off
    read = fixture(tmp_path, [CUBE], problem=problem, **args)
    assert (read.friction, read.friction_iterations) == (0.0, 1)
    friction["iterations"] = -1  # until it has settled
    assert fixture(tmp_path, [CUBE], problem=problem, **args).friction_iterations == UNTIL_SETTLED
    built = build(fixture(tmp_path, [CUBE], problem=problem, **args), 1e9)
    assert friction_iterations(built.scene) == UNTIL_SETTLED


def test_rotation_is_about_x_then_y_then_z_and_about_the_mesh_s_origin(tmp_path):
    shifted = {"vertices": (np.add(CUBE["vertices"], [1, 0, 0])).tolist(), "faces": CUBE["faces"]}
    (body,) = fixture(tmp_path, [{**shifted, "rotation": [90, 0, 90], "position": [0, 0, 5]}]).bodies
    x, z = Rotation.from_rotvec([np.pi / 2, 0, 0]), Rotation.from_rotvec([0, 0, np.pi / 2])
    np.testing.assert_allclose(body.rotation, (z * x).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(body.position, [0, 1, 5], atol=1e-12)
    np.testing.assert_allclose(body.shape.mesh.points.mean(axis=0), 0.0, atol=1e-12)


def test_velocities_and_torques_are_in_degrees_and_fixed_axes_have_none(tmp_path):
    item = {**CUBE, "linear_velocity": [1, 2, 3], "angular_velocity": [180, 90, 0], "torque": [0, 90, 0]}
    (body,) = fixture(tmp_path, [{**item, "is_dof_fixed": [True, False, False, True, False, False]}]).bodies
    np.testing.assert_allclose(body.velocity, [0, 2, 3])
    np.testing.assert_allclose(body.spin, [0, np.pi / 2, 0])
    np.testing.assert_allclose(body.torque, [0, np.pi / 2, 0])


@pytest.mark.parametrize(
    ("size", "extents"),
    [
        ({"dimensions": [1, 1, 3]}, [1, 1, 3]),
        ({"scale": 2}, [0.4, 0.8, 1.2]),
        ({"scale": [1, 2, 3], "dimensions": [2, 2, 2]}, [2, 2, 2]),
    ],
)
def test_dimensions_override_the_scale(tmp_path, size, extents):
    (body,) = fixture(tmp_path, [{"mesh": "box.obj", **size}]).bodies
    np.testing.assert_allclose(np.ptp(body.shape.mesh.points, axis=0), extents)


def test_what_is_wholly_fixed_is_static_and_what_is_disabled_is_left_out(tmp_path):
    items = [{**CUBE, "is_dof_fixed": True}, {**CUBE, "type": "static"}, {**CUBE, "enabled": False}, CUBE]
    assert [body.type for body in fixture(tmp_path, items).bodies] == ["static", "static", "dynamic"]


def test_static_and_kinematic_bodies_are_one_group_that_others_may_join(tmp_path):
    items = [{"type": "static", "group_id": 3}, {"type": "kinematic"}, {"group_id": 3}, {"group_id": 4}, {}]
    groups = [body.group for body in fixture(tmp_path, [{**CUBE, **item} for item in items]).bodies]
    assert groups == [STATIC_GROUP, STATIC_GROUP, STATIC_GROUP, 4, -1]


def test_components_become_bodies(tmp_path):
    two = np.vstack([CUBE["vertices"], np.add(CUBE["vertices"], [1, 0, 0])])
    faces = np.vstack([CUBE["faces"], np.array(CUBE["faces"]) + 8])
    item = {"vertices": two.tolist(), "faces": faces.tolist(), "split_components": True}
    bodies = fixture(tmp_path, [item]).bodies
    assert [len(body.shape.mesh.points) for body in bodies] == [8, 8]
    np.testing.assert_allclose([body.position[0] for body in bodies], [0, 1], atol=1e-12)


def test_equal_meshes_are_one_shape(tmp_path):
    first, second, larger = fixture(tmp_path, [{"mesh": "box.obj"}] * 2 + [{"mesh": "box.obj", "scale": 2}]).bodies
    assert first.shape is second.shape is not larger.shape


def test_what_is_missing_or_unknown_is_refused_by_name(tmp_path):
    with pytest.raises(MeshError, match=r"there is no mesh none\.obj"):
        fixture(tmp_path, [{"mesh": "none.obj"}])
    with pytest.raises(UnsupportedError, match="kinematic_poses with rotations"):
        fixture(tmp_path, [{**CUBE, "type": "kinematic", "kinematic_poses": [{"rotation": [0, 1, 0]}]}])


def test_obj_has_lines_counts_from_the_end_and_texture_numbers(tmp_path):
    file = tmp_path / "a.obj"
    file.write_text("# a comment\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 -1//1\nl 1 2 3\n")
    assert read_mesh(file).faces.tolist() == [[0, 1, 2]]
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\n")
    assert read_mesh(file).edges.tolist() == [[0, 1], [1, 2]]


def test_moments_of_a_solid_are_trimesh_s():
    mesh = BOX.copy()
    mesh.apply_transform(trimesh.transformations.euler_matrix(0.3, 0.4, 0.5))
    mesh.apply_translation([1, 2, 3])
    found = moments(make_mesh(mesh.vertices, (), mesh.faces))
    assert found.volume == pytest.approx(mesh.volume)
    np.testing.assert_allclose(found.centre, mesh.center_mass)
    inertia = np.trace(found.second) * np.eye(3) - found.second
    np.testing.assert_allclose(inertia, mesh.moment_inertia, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("mesh", "volume", "second"),
    [
        (make_mesh([[0, 0, 0], [2, 0, 0]], [[0, 1]]), 2.0, [2 * 2**2 / 12, 0, 0]),
        (make_mesh([[0, 0, 0], [2, 0, 0], [1, 3, 0]]), 3.0, [2, 6, 0]),
        (make_mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], (), [[0, 1, 2], [0, 2, 3]]), 1.0, [1 / 12, 1 / 12, 0]),
    ],
    ids=["a rod", "points", "a plate"],
)
def test_moments_of_what_has_no_volume(mesh, volume, second):
    found = moments(mesh)
    assert found.volume == pytest.approx(volume)
    np.testing.assert_allclose(np.diag(found.second), second, atol=1e-12)
