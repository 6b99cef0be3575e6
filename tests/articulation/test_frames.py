"""Local vectors of joints: libuipc's choice of basis, and the right-hand rule that follows from it."""

import numpy as np
import pytest

from ipc_articulation.affine import q_from_transform
from ipc_articulation.articulation import frames
from ipc_articulation.articulation.joints import Joints, delta_theta
from ipc_articulation.articulation.kinds import PRISMATIC, REVOLUTE
from tests.articulation import reference

AXES = [[0, 0, 2.0], [0, 3.0, 0], [0.5, 0, 0], [-1, 0.1, 0.1], [1, -2, 3], [0.95, 0.3, 0.0]]


def pose(rng, scale=1.0):
    T = np.eye(4)
    T[:3, :3] = reference.random_rotation(rng) * scale
    T[:3, 3] = rng.normal(size=3)
    return T


@pytest.mark.parametrize("axis", AXES)
def test_basis_is_right_handed_with_the_axis_first(axis):
    t, n, b = frames.orthonormal_basis(axis)
    np.testing.assert_allclose(np.cross(b, n), t, atol=1e-15)
    np.testing.assert_allclose(t, np.array(axis) / np.linalg.norm(axis), atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm([t, n, b], axis=1), 1.0, atol=1e-15)


def test_basis_starts_from_x_or_from_y_near_x():
    """Values worked out by hand from libuipc's rule: t × X, or t × Y where |t·X| > 0.9."""
    _, n, b = frames.orthonormal_basis([0.0, 0.0, 1.0])
    np.testing.assert_allclose(b, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(n, [-1, 0, 0], atol=1e-15)
    _, n, b = frames.orthonormal_basis([1.0, 0.0, 0.0])
    np.testing.assert_allclose(b, [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(n, [0, -1, 0], atol=1e-15)
    _, _, b = frames.orthonormal_basis([0.8, 0.6, 0.0])
    np.testing.assert_allclose(b, [0, 0, -1], atol=1e-15)
    _, _, b = frames.orthonormal_basis([0.96, 0.28, 0.0])
    np.testing.assert_allclose(b, [0, 0, 1], atol=1e-15)


@pytest.mark.parametrize("axis", AXES)
def test_turning_the_right_body_by_the_right_hand_rule_is_positive(axis):
    rng = np.random.default_rng(1)
    left, right = pose(rng), pose(rng)
    joints = placed(REVOLUTE, np.zeros((2, 3)), axis, left, right)
    turned = right.copy()
    turned[:3, :3] = reference.axis_rotation(np.array(axis) / np.linalg.norm(axis), 0.4) @ right[:3, :3]
    assert angle(joints, left, right) == pytest.approx(0.0, abs=1e-15)
    assert angle(joints, left, turned) == pytest.approx(0.4, abs=1e-14)


def test_moving_the_right_body_along_the_axis_is_positive():
    rng = np.random.default_rng(2)
    axis, left, right = np.array([1.0, -2.0, 2.0]), pose(rng), pose(rng)
    joints = placed(PRISMATIC, rng.normal(size=(2, 3)), axis, left, right)
    moved = right.copy()
    moved[:3, 3] += 0.25 * axis / 3.0
    assert angle(joints, left, right) == pytest.approx(0.0, abs=1e-15)
    assert angle(joints, left, moved) == pytest.approx(0.25, abs=1e-14)


def test_directions_of_a_scaled_body_lose_its_rotation_only():
    """libuipc takes the rotation of the polar decomposition for directions, and the whole inverse for points."""
    rng = np.random.default_rng(3)
    T = pose(rng, scale=3.0)
    vectors = frames.local_directions(np.eye(3), T)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-14)
    points = rng.normal(size=(2, 3))
    local = frames.points_to_local(points, T)
    np.testing.assert_allclose(local @ T[:3, :3].T + T[:3, 3], points, atol=1e-14)


def test_axis_from_local_end_points():
    rng = np.random.default_rng(4)
    T = pose(rng)
    ends = rng.normal(size=(2, 3))
    np.testing.assert_allclose(frames.axis_from_local(ends, T), T[:3, :3] @ (ends[1] - ends[0]), atol=1e-14)


def placed(kind, ends, axis, left, right):
    """One joint along an axis; the world points `ends` (2, 3) are those of its edge."""
    transforms = np.stack([left, right])
    points = frames.points_to_local(ends[None], transforms)
    placement = frames.Placement(points[None], np.tile(axis, (1, 2, 1)), transforms[None])
    return Joints.placed(kind, np.array([[0, 1]]), placement)


def angle(joints, left, right):
    theta = np.empty(1)
    delta_theta(joints.arrays(), joints.home, q_from_transform(np.stack([left, right])), theta)
    return theta[0]
