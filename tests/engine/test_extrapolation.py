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
    return rigid_motion(q, qdot, moves, CENTER[None], np.array([is_link]), DT)


def moving(linear, angular):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec([0.4, 0.2, -0.3]).as_matrix(), [1.0, 2.0, 3.0]
    q = affine.q_from_transform(T)
    return q[None], affine.qdot_from_twist(q, linear, angular)[None]


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
    q, _ = moving([0, 0, 0], [0, 0, 0])
    q, qdot = moving(np.cross(w, q[0, :3] - axis_point), w)
    ahead = q + motion(q, qdot, True)
    local = np.linalg.inv(affine.linear_part(q[0])) @ (axis_point - q[0, :3])
    np.testing.assert_allclose(affine.jacobian(local) @ ahead[0], axis_point, atol=1e-14)


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
