"""What the CPU engine must do by the laws of mechanics."""

import numpy as np
import pytest
import trimesh

from ipc_articulation import affine
from tests.engine.parts import contact_gradient, core_of
from tests.engine.scenes import BoxScene, translation, twist_rate

DT, G = 0.01, 9.8


def test_free_fall_follows_backward_euler(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 5))
    scene.start().run(50)
    n = 50
    assert scene.q[0, 2] == pytest.approx(5 - G * DT**2 * n * (n + 1) / 2, abs=1e-9)
    assert scene.qdot[0, 2] == pytest.approx(-G * n * DT, abs=1e-9)


def test_initial_velocity_carries_on(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0))
    scene.add_box(translation(0, 0, 0), velocity=twist_rate(np.eye(4), linear=(1.0, 2.0, -0.5)))
    scene.start().run(30)
    np.testing.assert_allclose(scene.q[0, :3], 0.3 * np.array([1.0, 2.0, -0.5]), atol=1e-12)


def test_flags_fixed_and_not_dynamic(tmp_path):
    scene = BoxScene(tmp_path)
    push = twist_rate(np.eye(4), linear=(1.0, 0, 0))
    scene.add_box(translation(0, 0, 1), is_fixed=1, velocity=push)
    scene.add_box(translation(0, 2, 1), is_dynamic=0, velocity=push)
    scene.start().run(10)
    np.testing.assert_array_equal(scene.q[0, :3], [0, 0, 1])
    np.testing.assert_allclose(scene.q[1, :3], [0, 2, 1 - 10 * G * DT**2], atol=1e-9)  # no memory of its velocity


@pytest.mark.parametrize("d_hat", [0.01, 0.002])
def test_dropped_box_rests_within_the_barrier(tmp_path, d_hat):
    scene = BoxScene(tmp_path, contact__d_hat=d_hat)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.3))
    scene.start()
    for _ in range(150):
        scene.run()
        assert scene.minimum_distance() > 0.0
    assert 0.0 < scene.minimum_distance() < d_hat
    assert np.abs(scene.qdot).max() < 1e-4
    weight = scene.masses()[0][0, 0] * G
    assert contact_force(scene) == pytest.approx(weight, rel=1e-6)


def contact_force(scene):
    """Total upward force of contact on the first box [N]."""
    return -contact_gradient(core_of(scene))[0, 2] / DT**2


def collision(tmp_path, offset, dt=1e-4):
    """Two smooth boxes that are about to meet in free space; the second is hit off-centre by offset [m].

    The time step is small because backward Euler keeps angular momentum only to O(dt): it damps spin by ω²dt² a step.
    The boxes are smooth because friction acts at the two ends of the gap, which makes a couple of force times gap.
    """
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), friction=0.0, dt=dt, contact__d_hat=0.002)
    left, right = translation(-0.154, 0, 0), translation(0.05, offset, 0.03)
    scene.add_box(left, velocity=twist_rate(left, linear=(1.0, 0, 0)))
    scene.add_box(right, density=500.0, velocity=twist_rate(right, linear=(-0.5, 0.1, 0)))
    return scene.start()


@pytest.mark.parametrize("offset", [0.04, 0.07])
def test_collision_keeps_momentum(tmp_path, offset):
    scene = collision(tmp_path, offset)
    linear, angular = scene.linear_momentum(), scene.angular_momentum()
    before = scene.qdot.copy()
    scene.run(120)
    assert np.abs(scene.qdot - before).max() > 0.3, "they must have met"
    np.testing.assert_allclose(scene.linear_momentum(), linear, atol=1e-6 * np.linalg.norm(linear))
    np.testing.assert_allclose(scene.angular_momentum(), angular, atol=1e-3 * np.linalg.norm(angular))


def slope(tmp_path, friction, angle=0.3):
    """A box resting on a slope of the given angle, z up; the ground's normal leans towards +x."""
    scene = BoxScene(tmp_path, friction=friction, contact__eps_velocity=0.001)
    scene.add_ground(0.0, (np.sin(angle), 0, np.cos(angle)))
    T = trimesh.transformations.rotation_matrix(angle, [0, 1, 0])
    T[:3, 3] = 0.1091 * np.array([np.sin(angle), 0, np.cos(angle)])
    scene.add_box(T)
    return scene.start()


def down_slope(scene, angle=0.3):
    return scene.q[0, :3] @ np.array([np.cos(angle), 0, -np.sin(angle)])


def test_box_sticks_on_a_rough_slope(tmp_path):
    scene = slope(tmp_path, friction=1.1 * np.tan(0.3)).run(30)
    start = down_slope(scene)
    scene.run(100)
    assert abs(down_slope(scene) - start) < 0.001 * 1.0  # less than the creep that eps_velocity allows in 1 s


def test_box_slides_down_a_smooth_slope(tmp_path):
    mu = 0.9 * np.tan(0.3)
    scene = slope(tmp_path, friction=mu).run(50)
    v0, seconds = scene.qdot[0, :3] @ np.array([np.cos(0.3), 0, -np.sin(0.3)]), 0.5
    scene.run(round(seconds / DT))
    v1 = scene.qdot[0, :3] @ np.array([np.cos(0.3), 0, -np.sin(0.3)])
    assert (v1 - v0) / seconds == pytest.approx(G * (np.sin(0.3) - mu * np.cos(0.3)), rel=0.03)


def test_fast_box_does_not_pass_through_a_thin_plate(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__d_hat=0.001)
    scene.add_box(translation(0, 0, 0), size=(1, 1, 0.01), is_fixed=1)
    T = translation(0, 0, 0.5)
    scene.add_box(T, size=(0.1, 0.1, 0.1), velocity=twist_rate(T, linear=(0, 0, -50.0)))
    scene.start()
    for _ in range(10):
        scene.run()
        assert scene.minimum_distance() > 0.0
    assert scene.q[1, 2] > 0.05


def test_body_stays_rigid_while_spinning(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0))
    scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), angular=(0, 0, 5.0)))
    scene.start().run(20)
    A = affine.linear_part(scene.q[0])
    np.testing.assert_allclose(A @ A.T, np.eye(3), atol=1e-3)
    assert A[1, 0] > 0.5  # it has turned about +z


def test_same_scene_gives_the_same_bits(tmp_path):
    first, second = (collision(tmp_path, 0.07, dt=0.002).run(40).q for _ in range(2))
    np.testing.assert_array_equal(first, second)
