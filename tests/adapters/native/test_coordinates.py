"""Displacements, velocities, masses and forces in the scene's coordinates, at random states with oblique frames."""

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter
from ipc_articulation.adapters.native.chain import make_chain
from ipc_articulation.adapters.native.coordinates import SceneCoordinates

from ipc_articulation import spatial
from ipc_articulation.dynamics import mass_matrix
from ipc_articulation.dynamics.algorithms.manifold import moved, random_position
from tests.adapters.native.floating import oblique

MODEL = oblique().build()
CHAIN = make_chain(MODEL)
COORDINATES = SceneCoordinates.of(MODEL, CHAIN, np.ones(MODEL.nv))
FREE, BALLS = {0: slice(0, 6), 4: slice(11, 17)}, {1: slice(6, 9)}  # freedoms of links
PLAIN = [9, 10, 17]


def state(seed: int, size: float = 0.6) -> tuple[np.ndarray, np.ndarray]:
    """A position, and a displacement or velocity."""
    rng = np.random.default_rng(seed)
    return random_position(MODEL, rng), size * rng.normal(size=MODEL.nv)


def in_parents(q: np.ndarray) -> np.ndarray:
    """Poses of the links in their parents."""
    poses = np.concatenate([CHAIN.link_poses(q), np.eye(4)[None]])
    return spatial.inverse(poses[list(CHAIN.parents)]) @ poses[:-1]


def rotation_vector(R: np.ndarray) -> np.ndarray:
    return spatial.quaternion_log(spatial.quaternion_from_rotation(R))


@pytest.mark.parametrize("seed", range(5))
def test_a_displacement_is_what_the_scenes_joints_measure(seed: int) -> None:
    q, change = state(seed)
    delta = COORDINATES.to_scene(q, change)
    before, after = in_parents(q), in_parents(moved(MODEL, q, change))
    for link, freedoms in {**FREE, **BALLS}.items():
        turn = rotation_vector(before[link, :3, :3].T @ after[link, :3, :3])
        np.testing.assert_allclose(delta[freedoms][-3:], turn, atol=1e-12)
    for link, freedoms in FREE.items():
        np.testing.assert_allclose(delta[freedoms][:3], after[link, :3, 3] - before[link, :3, 3], atol=1e-12)
    np.testing.assert_array_equal(delta[PLAIN], change[PLAIN])


@pytest.mark.parametrize("seed", range(5))
def test_displacements_come_back(seed: int) -> None:
    q, change = state(seed)
    np.testing.assert_allclose(COORDINATES.to_model(q, COORDINATES.to_scene(q, change)), change, atol=1e-13)


def test_velocities_are_the_rates_of_displacements_and_come_back() -> None:
    q, v = state(5)
    h = 1e-6
    rates = (COORDINATES.to_scene(q, h * v) - COORDINATES.to_scene(q, -h * v)) / (2.0 * h)
    np.testing.assert_allclose(COORDINATES.velocity_to_scene(q, v), rates, atol=1e-8)
    np.testing.assert_allclose(COORDINATES.velocity_to_model(q, COORDINATES.velocity_to_scene(q, v)), v, atol=1e-13)


def test_energy_and_power_are_the_same_in_both_coordinates() -> None:
    q, v = state(6)
    M, rate, force = mass_matrix(MODEL, q), COORDINATES.velocity_to_scene(q, v), state(7)[1]
    assert rate @ COORDINATES.mass_to_scene(q, M) @ rate == pytest.approx(v @ M @ v, rel=1e-12)
    assert COORDINATES.force_to_model(q, force) @ v == pytest.approx(force @ rate, rel=1e-12)


def test_positions_are_poses_of_free_links_and_turns_of_ball_joints() -> None:
    q, _ = state(8)
    theta = NativeAdapter(MODEL, 0.01, q=q).theta()
    poses, home = in_parents(q), in_parents(MODEL.neutral)
    for link, freedoms in FREE.items():
        np.testing.assert_allclose(theta[freedoms][:3], poses[link, :3, 3], atol=1e-12)
        np.testing.assert_allclose(theta[freedoms][3:], rotation_vector(poses[link, :3, :3]), atol=1e-12)
    turn = rotation_vector(home[1, :3, :3].T @ poses[1, :3, :3])
    np.testing.assert_allclose(theta[BALLS[1]], turn, atol=1e-12)
    np.testing.assert_array_equal(theta[PLAIN], q[[11, 12, 20]])
