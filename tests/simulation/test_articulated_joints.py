"""Joints of scenes without a robot."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError
from tests.simulation.scene_texts import BOX, free_scene, read, simulation

POST = {"name": "post", "shape": BOX, "fixed": True}
DOOR = {"name": "door", "shape": BOX, "pose": {"position": [0.4, 0, 0]}}
HINGE = {"name": "hinge", "type": "revolute", "parent": "post", "child": "door", "anchor": [0, 0, 0], "axis": [0, 0, 1]}
SLIDE = HINGE | {"type": "prismatic", "axis": [1, 0, 0]}


def scene(joint: dict[str, Any], gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), **door: Any) -> dict[str, Any]:
    return free_scene(bodies=[POST, DOOR | door], joints=[joint], gravity=list(gravity))


def played(folder: Path, content: dict[str, Any], steps: int = 50) -> dict[str, Any]:
    made = simulation(folder, content, steps)
    for step in range(steps):
        made.step(step)
    measured: dict[str, Any] = made.measure(is_start=False)
    return measured


@pytest.mark.parametrize("joint", [HINGE, SLIDE])
def test_a_drive_leads_evenly_to_its_target_and_stays(tmp_path: Path, joint: dict[str, Any]) -> None:
    content = scene(joint | {"drive": {"target": 0.4, "duration": 0.4, "strength_ratio": 1e4}})
    half, end = (played(tmp_path, content, steps)["theta"][0] for steps in (20, 60))
    assert half == pytest.approx(0.2, abs=0.005)
    assert end == pytest.approx(0.4, abs=0.002)


@pytest.mark.parametrize("joint", [HINGE, SLIDE])
def test_limits_hold_a_joint(tmp_path: Path, joint: dict[str, Any]) -> None:
    push = (3.0, 9.0, 0.0)
    free = played(tmp_path, scene(joint, push))["theta"][0]
    held = played(tmp_path, scene(joint | {"limits": [-0.1, 0.1]}, push))["theta"][0]
    assert free > 0.3
    assert held == pytest.approx(0.1, abs=0.05)


def test_a_weld_keeps_two_bodies_together(tmp_path: Path) -> None:
    weld = {"name": "weld", "type": "fixed", "parent": "post", "child": "door"}
    measured = played(tmp_path, scene(weld, (0, 0, -9.81)))
    np.testing.assert_allclose(measured["body_poses"][0][:3, 3], [0.4, 0, 0], atol=0.01)
    assert measured["theta"].shape == (0,)


def test_a_ball_joint_keeps_a_point_and_lets_the_rest_turn(tmp_path: Path) -> None:
    ball = {"name": "ball", "type": "spherical", "parent": "post", "child": "door", "anchor": [0, 0, 0]}
    pose = played(tmp_path, scene(ball, (0, 3, -9.81)), 25)["body_poses"][0]
    assert np.linalg.norm(pose[:3, 3]) == pytest.approx(0.4, abs=0.01)
    assert np.linalg.norm(pose[:3, 3] - [0.4, 0, 0]) > 0.1


FAULTS = [
    (HINGE | {"limits": [0.1, 0.5]}, "joint 'hinge' starts at θ = 0, which must be within its limits"),
    (HINGE | {"axis": [0, 0, 0]}, "the axis of joint 'hinge' has no direction"),
    (HINGE | {"type": "spherical"}, "unknown key 'axis'"),
    (HINGE | {"type": "universal"}, "unknown type 'universal'"),
    (HINGE | {"drive": {"target": 1}}, "missing key 'duration'"),
    (
        HINGE | {"drive": {"target": -500, "duration": 0.02}},
        r"joint 'hinge' is driven by 250 rad in a step of 0\.01 s; no joint may turn by π or more in one step: give a",
    ),
    (HINGE | {"drive": {"target": 3.2, "duration": 1e-3}}, r"joint 'hinge' is driven by 3\.2 rad in a step of 0\.01 s"),
    (HINGE | {"child": "post"}, "joint 'hinge' joins 'post' to itself"),
    (HINGE | {"child": "dor"}, "unknown body 'dor'; did you mean 'door'"),
]


@pytest.mark.parametrize(("joint", "message"), FAULTS)
def test_faults_are_told_with_their_place(tmp_path: Path, joint: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneFileError, match=message) as caught:
        read(tmp_path, scene(joint))
    assert caught.value.line is not None


@pytest.mark.parametrize(
    "joint",
    [
        HINGE | {"drive": {"target": 3.1, "duration": 1e-3}},
        HINGE | {"drive": {"target": 500, "duration": 5}},
        SLIDE | {"drive": {"target": 4, "duration": 0.01}},
    ],
)
def test_drives_below_pi_a_step_are_no_fault(tmp_path: Path, joint: dict[str, Any]) -> None:
    read(tmp_path, scene(joint))


def test_an_articulation_moves_hinges_and_sliders_that_nothing_drives(tmp_path: Path) -> None:
    articulation = {"joints": ["hinge"], "mass": [[1.0]], "velocity": [1.0]}
    ball = {"name": "hinge", "type": "spherical", "parent": "post", "child": "door", "anchor": [0, 0, 0]}
    driven = HINGE | {"drive": {"target": 1, "duration": 1}}
    for joint, message in (
        (ball, "unknown hinge or slider 'hinge'"),
        (driven, "joint 'hinge' is moved by an articulation already"),
    ):
        with pytest.raises(SceneFileError, match=message):
            read(tmp_path, scene(joint) | {"articulations": [articulation]})
