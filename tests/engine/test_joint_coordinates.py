"""θ of joints, followed over turns; derivatives of functions of θ; where a scene's joints stand in the state."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

from ipc_articulation.articulation.kinds import PRISMATIC, REVOLUTE
from ipc_articulation.engine import joint_coordinates
from ipc_articulation.engine.joint_coordinates import JointCoordinates, continue_turns
from ipc_articulation.engine.scene.scene_context import read_scene_context
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import read_bodies
from tests.articulation.reference import axis_rotation, delta_theta, q_of, random_joints, random_rotation
from tests.engine.joints import check
from tests.hinged_boxes import hinged_boxes


@pytest.fixture
def coordinates():
    """Two hinges and a slider between four bodies."""
    rng = np.random.default_rng(21)
    joints = random_joints(rng, [(0, 1), (2, 1), (3, 0)], [REVOLUTE, PRISMATIC, REVOLUTE])
    return JointCoordinates(joints, np.array([0.1, 0.2, 0.3]))


def poses(rng):
    return q_of(random_rotation(rng, 4), rng.standard_normal((4, 3)))


def test_theta_is_the_coordinate_of_the_articulation(coordinates):
    q = poses(np.random.default_rng(1))
    start = q_of(np.tile(np.eye(3), (4, 1, 1)), np.zeros((4, 3)))
    np.testing.assert_allclose(
        coordinates.follow(np.zeros(3), q), delta_theta(coordinates.joints, q, start), atol=1e-12
    )


def test_theta_follows_a_hinge_over_turns_and_back(coordinates):
    hinge = JointCoordinates(coordinates.joints[:1], np.zeros(1))
    n, b = hinge.joints.local[0, 0, :2, :3]
    axis = np.cross(b, n)  # t = b × n
    theta = np.zeros(1)
    for angle in [*np.arange(0.0, 20.0, 2.5), *np.arange(20.0, -20.0, -3.0)]:
        q = q_of(np.stack([np.eye(3), axis_rotation(axis, angle)]), np.zeros((2, 3)))
        theta = hinge.follow(theta, q)
        assert theta[0] == pytest.approx(angle)


@pytest.mark.parametrize("turns", [-2, -1, 0, 1, 3])
def test_a_rotation_vector_is_continued_along_its_own_direction(turns):
    """As a joint of three freedoms needs it; where the vector is zero, along the earlier one."""
    direction = np.array([2.0, -1.0, 2.0]) / 3.0
    theta = 0.7 * direction
    continue_turns(2.0 * np.pi, (2.0 * np.pi * turns + 0.9) * direction, theta)
    np.testing.assert_allclose(theta, (2.0 * np.pi * turns + 0.7) * direction, atol=1e-12)
    theta = np.zeros(3)
    continue_turns(2.0 * np.pi, (2.0 * np.pi * turns + 0.1) * direction, theta)
    np.testing.assert_allclose(theta, 2.0 * np.pi * turns * direction, atol=1e-12)


@dataclass
class Cubes:
    """Σ w (θ + 5)³: slopes and curvatures that are positive, and slopes that are not where w is not."""

    coordinates: JointCoordinates
    weight: np.ndarray
    theta: np.ndarray

    def _x(self, q):
        return self.coordinates.follow(self.theta, q) + 5.0

    def energy(self, q):
        return float(self.weight @ self._x(q) ** 3)

    def derivatives(self, q):
        slope, curvature = 3 * self.weight * self._x(q) ** 2, 6 * self.weight * self._x(q)
        g, blocks = differentiate(self.coordinates, q, slope, curvature)
        H = np.zeros((q.size, q.size))
        for pair, block in zip(self.coordinates.joints.bodies, blocks, strict=True):
            at = (12 * pair[:, None] + np.arange(12)).ravel()
            H[np.ix_(at, at)] += block
        return g.ravel(), H


def differentiate(coordinates, q, slope, curvature):
    """Gradient (n, 12) and blocks (m, 24, 24) of a sum of functions of θ."""
    g, blocks = np.zeros_like(q), np.zeros((len(coordinates.joints), 24, 24))
    joint_coordinates.add_derivatives(*coordinates.arrays, q, slope, curvature, g, blocks)
    return g, blocks


def test_derivatives_of_a_function_of_theta(coordinates):
    rng = np.random.default_rng(2)
    for _ in range(10):
        q = poses(rng) + 0.1 * rng.standard_normal((4, 12))
        cubes = Cubes(coordinates, np.array([1.0, 0.5, 2.0]), coordinates.follow(np.zeros(3), q))
        check(cubes.energy, cubes.derivatives, q)


def test_joints_without_force_are_left_alone(coordinates):
    q = poses(np.random.default_rng(3))
    g, blocks = differentiate(coordinates, q, np.array([0.0, 1.0, 0.0]), np.zeros(3))
    assert not blocks[[0, 2]].any()
    assert blocks[1].any()
    assert not g[[0, 3]].any()


def test_a_scene_knows_the_places_of_its_joints():
    boxes = hinged_boxes()
    context = read_scene_context(boxes.slots, read_bodies(boxes.slots), {})
    meshes, places = context.joints_of([boxes.slider])
    assert [mesh.geo_id for mesh in meshes] == [boxes.slider.id()]
    np.testing.assert_array_equal(places, [1])


def test_a_constitution_of_hinges_and_sliders_on_anything_else_is_refused():
    boxes = hinged_boxes()
    message = f"geometry {boxes.bodies.id()} carries a constitution for revolute (18) or prismatic (20) joints, but"
    with pytest.raises(SceneError, match=re.escape(message)):
        read_scene_context(boxes.slots, read_bodies(boxes.slots), {}).joints_of([boxes.bodies])
