"""Prescribed motion, forces, torques and held axes of rigid-ipc's bodies, in the scene."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from benchmarks.rigid_ipc.motion import pose_at
from ipc_articulation.errors import UnsupportedError
from tests.benchmarks.rigid_ipc.fixtures import CUBE, fixture, run

DT, G = 0.01, 9.8


def fallen(steps, acceleration=-G):
    """Displacement of backward Euler from rest [m]."""
    return acceleration * DT**2 * steps * (steps + 1) / 2


def test_kinematic_bodies_follow_poses_then_velocities_until_they_stop(tmp_path):
    item = {**CUBE, "type": "kinematic", "linear_velocity": [0, 0, 2], "angular_velocity": [90, 0, 0]}
    poses = [{"position": [0.1 * k, 0, 0]} for k in (1, 2)]
    scene = fixture(tmp_path, [{**item, "kinematic_poses": poses, "kinematic_max_time": 0.05}], max_time=1)
    moved = run(scene, 8)[:, 0]
    np.testing.assert_allclose(moved[:3, :3, 3], [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], atol=1e-5)
    np.testing.assert_allclose(moved[5, :3, 3], [0.2, 0, 3 * DT * 2], atol=1e-5)
    np.testing.assert_allclose(moved[8], moved[5], atol=1e-5)
    turned = Rotation.from_rotvec([3 * DT * np.pi / 2, 0, 0]).as_matrix()
    np.testing.assert_allclose(moved[8, :3, :3], turned, atol=1e-5)
    np.testing.assert_allclose(pose_at(scene.bodies[0], 4, DT)[:3, 3], [0.2, 0, 0.04])


def test_force_and_torque_accelerate(tmp_path):
    mass = 8.0
    turned = {**CUBE, "rotation": [0, 90, 0], "force": [0, 0, 16], "torque": [np.degrees(0.4), 0, 0]}
    moved = run(fixture(tmp_path, [turned], gravity=(0, 0, 0)), 10)[:, 0]
    assert moved[10, 2, 3] == pytest.approx(fallen(10, 16 / mass))
    turn = Rotation.from_matrix(moved[10, :3, :3] @ moved[0, :3, :3].T).as_rotvec()
    np.testing.assert_allclose(turn, [fallen(10, 0.4 / (mass * 0.2**2 / 6)), 0, 0], rtol=1e-3, atol=1e-9)


def test_a_body_spins_about_the_world_s_axes(tmp_path):
    item = {**CUBE, "rotation": [0, 20, 90], "angular_velocity": [0, 0, 90]}
    T = run(fixture(tmp_path, [item], gravity=(0, 0, 0)), 5)[:, 0]
    turn = Rotation.from_matrix(T[5, :3, :3] @ T[0, :3, :3].T).as_rotvec()
    np.testing.assert_allclose(turn, [0, 0, 5 * DT * np.pi / 2], rtol=1e-2, atol=1e-9)


@pytest.mark.parametrize(
    "fixed",
    ["tFtttt", "ttFttt", "FFFttt", "ttttFt", "tttFFF", "FFtttF"],
    ids=["slides vertically", "slides horizontally", "does not turn", "turns about y", "turns", "moves in a plane"],
)
def test_held_axes_do_not_move_and_free_ones_do(tmp_path, fixed):
    flags = [flag == "t" for flag in fixed]
    item = {**CUBE, "is_dof_fixed": flags, "linear_velocity": [1, 1, 1], "angular_velocity": [90, 90, 90]}
    T = run(fixture(tmp_path, [item], gravity=(-G, -G, -G)), 5)[:, 0]
    turn = Rotation.from_matrix(T[5, :3, :3]).as_rotvec()
    moved = np.abs([*T[5, :3, 3], *turn])
    assert (moved[flags] < 1e-4).all()
    assert (moved[~np.array(flags)] > 0.03).all()


def test_axes_for_which_there_is_no_joint_are_refused(tmp_path):
    item = {**CUBE, "is_dof_fixed": [True, False, False, False, False, False]}
    with pytest.raises(UnsupportedError, match=r"'body' is fixed as \[True, False.*there is no joint"):
        run(fixture(tmp_path, [item]), 1)


def test_bodies_of_a_group_and_static_with_kinematic_ones_do_not_touch(tmp_path):
    above = {**CUBE, "position": [0.02, 0.205, 0.03]}
    ground = {**CUBE, "type": "static"}
    assert run(fixture(tmp_path, [ground, above]), 30)[-1, 1, 1, 3] > 0.2
    assert run(fixture(tmp_path, [{**ground, "group_id": 0}, {**above, "group_id": 0}]), 30)[-1, 1, 1, 3] < 0.1


def test_a_separation_keeps_bodies_apart(tmp_path):
    bodies = [{**CUBE, "type": "static"}, {**CUBE, "position": [0.02, 0.22, 0.03]}]
    scene = fixture(tmp_path, bodies, distance_barrier_constraint={"minimum_separation_distance": 0.01})
    assert 0.21 < run(scene, 40)[-1, 1, 1, 3] < 0.2115
