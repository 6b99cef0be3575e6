"""Many environments start where chance puts them, each with parameters of its own."""

from dataclasses import replace

import numpy as np
import pytest

from ipc_articulation import couple_many
from tests.coupling.robots import by_mujoco
from tests.coupling.worlds import at, make_scene, make_world


def scattered(robot, number):
    """Crates anywhere near the hand, each with its own mass and friction, by the number of the environment."""
    random = np.random.default_rng(number)
    (crate,) = robot.free
    pose = crate.pose.copy()
    pose[:2, 3] += random.uniform(0.0, 0.01, 2)
    return replace(
        robot, free=(replace(crate, pose=pose, mass=random.uniform(0.3, 1.0), friction=random.uniform(0, 1)),)
    )


def run_scattered(folder, numbers):
    """Poses (steps, N, b, 4, 4), from random starts of robots and crates; the first one is that of the start."""
    scene, adapters = make_scene(), []
    for number in numbers:
        adapter = by_mujoco()
        adapter.data.qpos[:2] = np.random.default_rng(100 + number).uniform(-0.2, 0.0, 2)
        adapters.append(adapter)
    many = couple_many(scene, adapters, complete=lambda robot, k: scattered(robot, numbers[k]))
    world = make_world(scene, folder)
    poses = [many.body_poses]
    for _ in range(60):
        many.step(world)
        poses.append(many.body_poses)
    return np.array(poses), many


@pytest.mark.slow
def test_environments_start_at_random_with_their_own_parameters(tmp_path):
    together, many = run_scattered(tmp_path / "all", range(4))
    for k, coupling in enumerate(many.couplings):
        crate = scattered(replace(coupling.robot, free=(replace(coupling.robot.free[0], pose=at(0.57, 0.1, 0)),)), k)
        np.testing.assert_allclose(together[0, k, -1], crate.free[0].pose, atol=1e-12)
        assert coupling.robot.free[0].mass == crate.free[0].mass
    assert len(np.unique(together[0, :, 1, 1, 3])) == 4, "all robots start alike"
    assert (np.abs(together[-1, :, -1, :3, 3] - together[0, :, -1, :3, 3]).max(axis=1) > 1e-3).all()
    for k in (0, 3):
        alone, _ = run_scattered(tmp_path / str(k), [k])
        np.testing.assert_array_equal(together[:, k], alone[:, 0])
