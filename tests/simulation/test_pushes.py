"""Forces on free bodies over time."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError
from tests.simulation.scene_texts import BOX, free_scene, read, robot_scene, simulation

BODY = {"name": "crate", "shape": BOX, "mass": 2.0, "pose": {"position": [2, 0, 0], "rpy": [0.4, 0.2, 1.0]}}


def moved(folder: Path, make: Any, push: dict[str, Any], steps: int = 20) -> np.ndarray:
    """The crate's pose after some steps, in its frame at the start turned to the world's directions."""
    made = simulation(folder, make(bodies=[BODY | {"push": push}], gravity=[0, 0, 0]), steps)
    start = made.measure(is_start=True)["body_poses"][-1].copy()
    for step in range(steps):
        made.step(step)
    pose = made.measure(is_start=False)["body_poses"][-1].copy()
    pose[:3, 3] -= start[:3, 3]
    pose[:3, :3] = pose[:3, :3] @ start[:3, :3].T
    result: np.ndarray = pose
    return result


@pytest.mark.parametrize("make", [free_scene, robot_scene])
def test_a_force_accelerates_a_body_for_its_time(tmp_path: Path, make: Any) -> None:
    pose = moved(tmp_path, make, {"force": [4.0, 0, -2.0], "start": 0.05, "end": 0.1})
    gained = np.array([2.0, 0, -1.0]) * 0.05  # velocity after 5 steps of 0.01 s
    np.testing.assert_allclose(pose[:3, 3], gained * 0.1 + gained / 5 * 0.01 * (1 + 2 + 3 + 4 + 5), atol=1e-6)


@pytest.mark.parametrize("make", [free_scene, robot_scene])
def test_a_torque_turns_a_body_about_its_direction_in_the_world(tmp_path: Path, make: Any) -> None:
    inertia = 2.0 * 0.2**2 / 6.0  # of a cube, about any axis
    pose = moved(tmp_path, make, {"torque": [0, 0, 10 * inertia]})
    angle = np.arctan2(pose[1, 0], pose[0, 0])
    assert angle == pytest.approx(0.5 * 10 * 0.2 * 0.21, rel=0.02)
    np.testing.assert_allclose(pose[2, :3], [0, 0, 1], atol=1e-3)


def test_a_joint_may_have_the_name_of_the_body(tmp_path: Path) -> None:
    robot = {"initial": {}, "actuators": []}
    content = robot_scene(robot=robot, bodies=[BODY | {"name": "elbow", "push": {"force": [2, 0, 0]}}])
    made = simulation(tmp_path, content)
    for step in range(10):
        made.step(step)
    assert made.measure(is_start=False)["body_poses"][-1][0, 3] == pytest.approx(2.0055, abs=1e-4)


def test_what_is_fixed_is_not_pushed(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match="body 'crate' is fixed, so nothing pushes it") as caught:
        read(tmp_path, free_scene(bodies=[BODY | {"fixed": True, "push": {"force": [1, 0, 0]}}]))
    assert caught.value.line is not None
