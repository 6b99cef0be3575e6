"""Spatial vectors as other engines write them."""

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics import conventions as conv

RNG = np.random.default_rng(0)
R = spatial.rotation_from_quaternion(RNG.normal(size=(5, 4)))
X = RNG.normal(size=(5, 3))
V, A, F = RNG.normal(size=(3, 5, 6))


def test_in_frame_is_the_body_twist():
    """Ad(H⁻¹) of the twist about the world's origin."""
    about_origin = np.concatenate([V[:, :3], V[:, 3:] - np.cross(V[:, :3], X)], axis=1)
    body = spatial.adjoint(spatial.inverse(spatial.pose(R, X))) @ about_origin[..., None]
    np.testing.assert_allclose(conv.in_frame(R, V), body[..., 0], atol=1e-14)
    np.testing.assert_allclose(conv.in_world(R, conv.in_frame(R, V)), V, atol=1e-14)


def test_the_spatial_acceleration_is_the_rate_of_the_body_twist():
    """d/dt (Rᵀ ẋ) = Rᵀ (ẍ - ω × ẋ), and the angular half has no such term."""
    h = 1e-6
    rates = []
    for t in (h, -h):
        turn = spatial.rotation_from_quaternion(spatial.quaternion_exp(t * V[:, :3]))
        rates.append(conv.in_frame(turn @ R, V + t * A))
    expected = conv.in_frame(R, conv.spatial_acceleration(V, A))
    np.testing.assert_allclose((rates[0] - rates[1]) / (2 * h), expected, atol=1e-8)
    np.testing.assert_allclose(conv.classical_acceleration(V, conv.spatial_acceleration(V, A)), A, atol=1e-14)


def test_power_of_a_wrench_is_the_same_about_any_point():
    about_origin = np.concatenate([V[:, :3], V[:, 3:] - np.cross(V[:, :3], X)], axis=1)
    power = np.sum(conv.about_world_origin(X, F) * about_origin, axis=1)
    np.testing.assert_allclose(power, np.sum(F * V, axis=1), atol=1e-14)


def test_linear_first_twice_is_nothing():
    np.testing.assert_array_equal(conv.linear_first(V)[:, :3], V[:, 3:])
    np.testing.assert_array_equal(conv.linear_first(conv.linear_first(V)), V)
