"""Bodies go on rigidly: no stretch, right rotation, and straight centres of mass or exact hinges."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation import affine
from ipc_articulation.engine.newton.extrapolation import rigid_motion
from tests.engine.scenes import BoxScene, twist_rate

DT, MOVES = 0.1, np.array([True])
CENTER = np.array([0.3, -0.2, 0.1])


def motion(q, qdot, is_link, moves=MOVES):
    alone = np.zeros(1, dtype=np.int64), np.full(1, -1)
    return rigid_motion(q, qdot, moves, CENTER[None], np.array([is_link]), *alone, DT)


def moving(linear, w, axis_point=(0, 0, 0)):
    """q of a body, and q̇ of a step that has led there in DT: translated, and turned by DT w about a point."""
    T, before = np.eye(4), np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec([0.4, 0.2, -0.3]).as_matrix(), [1.0, 2.0, 3.0]
    back = Rotation.from_rotvec(-DT * np.asarray(w)).as_matrix()
    before[:3, :3] = back @ T[:3, :3]
    before[:3, 3] = axis_point + back @ (T[:3, 3] - axis_point) - DT * np.asarray(linear)
    q = affine.q_from_transform(T)
    return q[None], (q - affine.q_from_transform(before))[None] / DT


@pytest.mark.parametrize("is_link", [False, True])
def test_body_turns_without_stretch(is_link):
    w = np.array([1.0, -2.0, 3.0])
    q, qdot = moving([0.5, 0.0, -1.0], w)
    A = affine.linear_part(q + motion(q, qdot, is_link))[0]
    np.testing.assert_allclose(A, Rotation.from_rotvec(DT * w).as_matrix() @ affine.linear_part(q[0]), atol=1e-14)


def test_centre_of_mass_of_a_free_body_moves_straight():
    q, qdot = moving([0.5, 0.0, -1.0], [1.0, -2.0, 3.0])
    ahead = q + motion(q, qdot, False)
    before, velocity, after = (affine.jacobian(CENTER) @ c[0] for c in (q, qdot, ahead))
    np.testing.assert_allclose(after, before + DT * velocity, atol=1e-14)


def test_points_on_the_axis_of_a_turning_link_stay():
    axis_point, w = np.array([0.2, 0.1, -0.4]), np.array([0.0, 3.0, 1.0])
    q, qdot = moving([0, 0, 0], w, axis_point)
    ahead = q + motion(q, qdot, True)
    local = np.linalg.inv(affine.linear_part(q[0])) @ (axis_point - q[0, :3])
    np.testing.assert_allclose(affine.jacobian(local) @ ahead[0], axis_point, atol=1e-14)


def test_a_joint_between_two_links_that_turn_stays_closed():
    """The second link turns about an axis of the first, which turns about another one."""
    w, relative, between = np.array([0, 0, 2.0]), np.array([0, 3.0, 0]), np.array([1.0, 0, 0])
    back, own = (Rotation.from_rotvec(-DT * turning).as_matrix() for turning in (w, relative))
    before = np.stack([np.eye(4), np.eye(4)])
    before[0, :3, :3], before[1, :3, :3] = back, back @ own
    before[1, :3, 3] = back @ (between - own @ between)
    q = np.stack([affine.q_from_transform(np.eye(4))] * 2)
    qdot = (q - np.stack([affine.q_from_transform(T) for T in before])) / DT
    chain, both = (np.arange(2), np.array([-1, 0])), np.ones(2, dtype=np.bool_)
    ahead = q + rigid_motion(q, qdot, both, np.zeros((2, 3)), both, *chain, DT)
    first, second = (affine.jacobian(between) @ c for c in ahead)
    np.testing.assert_allclose(first, second, atol=1e-14)
    np.testing.assert_allclose(affine.linear_part(ahead[0])[:, 1], affine.linear_part(ahead[1])[:, 1], atol=1e-14)
    assert np.linalg.norm(first - between) > 0.15, "it has moved"


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize("angle", [2.0, 3.1])
def test_a_body_that_turns_by_almost_half_a_turn_repeats_it(angle, is_link):
    w = np.array([0.0, 0.0, angle / DT])
    q, qdot = moving([0.5, 0.0, -1.0], w)
    A = affine.linear_part(q + motion(q, qdot, is_link))[0]
    np.testing.assert_allclose(A, Rotation.from_rotvec(DT * w).as_matrix() @ affine.linear_part(q[0]), atol=1e-12)


@pytest.mark.parametrize("is_link", [False, True])
def test_a_body_that_turns_by_half_a_turn_goes_nowhere_far(is_link):
    """The middle of both poses has no orientation: A is singular there, to rounding or exactly."""
    turned = moving([0.5, 0.0, -1.0], [0.0, 0.0, np.pi / DT])
    q = affine.q_from_transform(np.eye(4))[None]
    exactly = q, (q - affine.q_from_transform(np.diag([-1.0, -1.0, 1.0, 1.0]))[None]) / DT
    for before in (turned, exactly):
        assert np.abs(motion(*before, is_link)).max() < 10.0


def test_body_that_is_not_moving_stays():
    q, qdot = moving([0.5, 0.0, -1.0], [1.0, -2.0, 3.0])
    assert not motion(q, qdot, False, ~MOVES).any()


@pytest.mark.parametrize("kappa", [1e8, 1e11])
def test_spinning_body_needs_two_newton_iterations_however_stiff(tmp_path, kappa):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0))
    scene.add_box(np.eye(4), kappa=kappa, velocity=twist_rate(np.eye(4), angular=(1.0, 2.0, 3.0)))
    scene.start().run(1)
    for _ in range(10):
        scene.run()
        assert scene.engine.statistics.newton.iterations <= 2


@pytest.mark.parametrize(("gap", "between"), [(0.03, 0.02), (0.045, 0.04)])
def test_what_follows_a_body_that_is_stopped_does_not_start_in_it(tmp_path, gap, between):
    """Two boxes fall one above the other, and the lower one reaches the ground within the step."""
    scene, side = BoxScene(tmp_path, gravity=(0, 0, -9.81)), 0.06
    scene.add_ground()
    for k, height in enumerate((gap, gap + side + between)):
        T = np.eye(4)
        T[:3, 3] = 0.004 * k, 0.003 * k, 0.5 * side + height
        scene.add_box(T, (side,) * 3, velocity=twist_rate(T, (0.0, 0.0, -5.0)))
    lower, upper = scene.start(friction="anchored", resistance="load").run().q[:, 2]
    assert lower > 0.5 * side
    assert upper - lower > 0.95 * side
