"""Fixed and spherical joints: derivatives, and what they hold."""

import numpy as np
import pytest
from uipc.constitution import AffineBodyFixedJoint, AffineBodySphericalJoint

from ipc_articulation import affine
from ipc_articulation.articulation.frames import Placement
from ipc_articulation.articulation.kinds import FIXED, SPHERICAL
from ipc_articulation.engine.terms.joint_penalty import JointPenalties
from tests.articulation.reference import random_rotation
from tests.derivatives import central_difference, relative_error
from tests.engine.joints import TIGHT, add_ball, add_weld, joint_mesh, put, stiffness
from tests.engine.nodes import derivatives, energy
from tests.engine.scenes import BoxScene, translation

G = 9.8


@pytest.fixture(params=[FIXED, SPHERICAL], ids=["fixed", "spherical"])
def joints(request):
    """Two joints between three bodies in random poses, closed as made."""
    rng = np.random.default_rng(11)
    transforms = np.tile(np.eye(4), (3, 1, 1))
    transforms[:, :3, :3], transforms[:, :3, 3] = random_rotation(rng, 3), rng.standard_normal((3, 3))
    pairs, points = np.array([[0, 1], [2, 1]]), rng.standard_normal((2, 3))
    anchors = np.array(
        [[np.linalg.solve(transforms[b], [*p, 1.0])[:3] for b in pair] for pair, p in zip(pairs, points, strict=True)]
    )
    placement = Placement(anchors[:, :, None], np.zeros((2, 2, 3)), transforms[pairs])
    mesh = joint_mesh(request.param, pairs, placement, np.array([100.0, 10.0]))
    penalties = JointPenalties([mesh], np.array([1.0, 3.0, 5.0]))
    return request.param, penalties, affine.q_from_transform(transforms), points


def test_energy_is_zero_as_made_and_stiffness_counts_both_masses(joints):
    _, penalties, q, _ = joints
    assert energy(penalties, q) < 1e-24
    np.testing.assert_allclose(stiffness(penalties), [100.0 * 4.0, 10.0 * 8.0])


def test_energy_is_libuipcs(joints):
    """K/2 ‖cᵢ - cⱼ‖², and for a fixed joint K/2 times the squared difference of the carried world axes."""
    kind, penalties, q, points = joints
    moved = q.copy()
    moved[1] += 0.1 * np.random.default_rng(4).standard_normal(12)
    expected = 0.0
    for (i, j), point, kappa in zip(penalties.joints, points, stiffness(penalties), strict=True):
        (p_i, A_i), (p_j, A_j) = carried_frame(q[i], moved[i], point), carried_frame(q[j], moved[j], point)
        expected += 0.5 * kappa * np.sum((p_i - p_j) ** 2)
        expected += 0.5 * kappa * np.sum((A_i - A_j) ** 2) * (kind == FIXED)
    assert energy(penalties, moved) == pytest.approx(expected, rel=1e-12)


def carried_frame(q_0, q, point):
    """Where a world point and the world's axes went with a body that moved from q_0 to q."""
    A = affine.linear_part(q) @ np.linalg.inv(affine.linear_part(q_0))
    return q[:3] + A @ (point - q_0[:3]), A


def test_gradient_and_hessian_equal_differences(joints):
    _, penalties, q, _ = joints
    x = (q + 0.3 * np.random.default_rng(12).standard_normal(q.shape)).ravel()
    g, H = derivatives(penalties, x.reshape(3, 12))
    assert relative_error(g, central_difference(lambda y: energy(penalties, y.reshape(3, 12)), x)) < 1e-6
    exact = central_difference(lambda y: derivatives(penalties, y.reshape(3, 12))[0], x)
    assert relative_error(H, exact) < 1e-6


def test_a_weld_carries_a_cantilevered_box(tmp_path):
    """The sag is that of the weld's springs, and does not grow."""
    scene = BoxScene(tmp_path, contact__enable=0, **TIGHT)
    wall = scene.add_box(translation(0, 0, 0), is_fixed=1)
    beam = scene.add_box(translation(0.3, 0, 0), kappa=1e11)
    add_weld(scene, wall, beam, strength=1.0)
    scene.start().run(60)
    after, mass = scene.q[1].copy(), scene.masses()[1][0, 0]
    scene.run(60)
    np.testing.assert_allclose(scene.q[1], after, atol=1e-6)
    # At rest the springs, κ without dt², carry dt² times the weight, and dt² times its torque about the anchor.
    kappa, dt = 2 * mass, 0.01
    anchor = affine.world_points(scene.q[1], np.array([[-0.15, 0.0, 0.0]]))[0]
    assert -anchor[2] == pytest.approx(mass * G * dt**2 / kappa, rel=1e-3)
    # Turned by φ, the three axes store ½ κ ‖R - I‖² = 2 κ (1 - cos φ).
    phi = np.arcsin(-affine.linear_part(scene.q[1])[2, 0])
    assert 2 * kappa * np.sin(phi) == pytest.approx(mass * G * 0.15 * dt**2, rel=1e-3)


def test_two_welded_free_boxes_keep_their_momentum_and_distance(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0, **TIGHT)
    push = np.zeros((4, 4))
    push[0, 3] = 1.0
    first, second = scene.add_box(translation(0, 0, 0), velocity=push), scene.add_box(translation(0, 0.5, 0))
    add_weld(scene, first, second)
    scene.start()
    linear, spin = scene.linear_momentum(), 8.0 * 1.0 * 0.25  # about the common centre of mass
    scene.run(30)
    np.testing.assert_allclose(scene.linear_momentum(), linear, rtol=1e-9, atol=1e-9)
    assert np.abs(scene.angular_momentum()).max() < 0.02 * spin  # zero about the origin; BDF1 damps spin a little
    assert np.linalg.norm(scene.q[1, :3] - scene.q[0, :3]) == pytest.approx(0.5, abs=1e-4)
    np.testing.assert_allclose(scene.q[0, 3:], scene.q[1, 3:], atol=1e-4)


def test_a_ball_pendulum_keeps_its_anchor_and_length_and_its_period(tmp_path):
    """Small swings of a box about a point: ω² = m g l / I."""
    scene = BoxScene(tmp_path, dt=0.002, contact__enable=0, **TIGHT)
    wall = scene.add_box(translation(0, 0, 1), is_fixed=1)
    angle, length = 0.05, 0.5
    bob = scene.add_box(translation(length * np.sin(angle), 0, 1 - length * np.cos(angle)))
    add_ball(scene, wall, bob, (0, 0, 1), strength=1e4)
    scene.start()
    inertia = 8.0 * (length**2 + 2 * 0.2**2 / 12)
    quarter = 0.5 * np.pi / np.sqrt(8.0 * G * length / inertia)
    crossed, before = None, scene.q[1, 0]
    for frame in range(1, 260):
        scene.run()
        assert np.linalg.norm(scene.q[1, :3] - [0, 0, 1]) == pytest.approx(length, abs=1e-5)
        now = scene.q[1, 0]
        if crossed is None and now <= 0.0:
            crossed = 0.002 * (frame - now / (now - before))
        before = now
    assert crossed == pytest.approx(quarter, rel=0.01)


def test_a_ball_joint_lets_the_bodies_turn(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0)
    wall = scene.add_box(translation(0, 0, 0), is_fixed=1)
    rate = affine.transform_rate_from_qdot(
        affine.qdot_from_twist(affine.q_from_transform(np.eye(4)), (0, 0, 0), (1, 2, 3))
    )
    spinner = scene.add_box(np.eye(4), velocity=rate)
    add_ball(scene, wall, spinner, (0, 0, 0))
    scene.start().run(10)
    _, spin = affine.twist_from_qdot(scene.q[1], scene.qdot[1])
    np.testing.assert_allclose(spin, (1, 2, 3), rtol=0.02)
    np.testing.assert_allclose(scene.q[1, :3], 0.0, atol=1e-9)


@pytest.mark.parametrize("constitution", [AffineBodyFixedJoint, AffineBodySphericalJoint])
def test_local_end_points_pull_the_bodies_together(tmp_path, constitution):
    """Anchors that are apart at the start are drawn to one point; two joints in one mesh, instances of one geometry."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0, **TIGHT)
    slots = [scene.add_box(translation(0, k, 0), is_fixed=int(k == 0)) for k in range(3)]
    left, right = np.array([[0, 0.5, 0], [0, 0.5, 0.0]]), np.array([[0, -0.4, 0], [0, -0.5, 0.1]])
    geometry = constitution().create_geometry(
        left, right, [slots[0], slots[1]], [0, 0], [slots[1], slots[2]], [0, 0], [1e4, 1e4]
    )
    put(scene, geometry)
    scene.start().run(1)
    for k in range(2):
        x = affine.world_points(scene.q[k], left[k : k + 1])
        y = affine.world_points(scene.q[k + 1], right[k : k + 1])
        np.testing.assert_allclose(x, y, atol=1e-4)
    if constitution is AffineBodyFixedJoint:
        np.testing.assert_allclose(scene.q[2, 3:], np.eye(3).ravel(), atol=1e-3)
