"""Targets over time."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.errors import AdapterError, SceneFileError
from ipc_articulation.scenefile.schema import HoldEntry, SineEntry, TorqueEntry, TrajectoryEntry
from ipc_articulation.simulation.controllers import targets, torques
from tests.simulation.scene_texts import read, robot_scene, simulation

TIMES = np.linspace(0.0, 4.0, 401)
JOINTS = ("a", "b")
START = np.array([1.0, 0.0])


def trajectory(**changes) -> TrajectoryEntry:
    points = ({"time": 1.0, "joints": {"a": 2.0}}, {"time": 3.0, "joints": {"b": -1.0}})
    return TrajectoryEntry.model_validate({"type": "trajectory", "waypoints": points, **changes})


def test_hold_stays_at_the_initial_position() -> None:
    np.testing.assert_array_equal(
        targets([HoldEntry(type="hold")], JOINTS, START, TIMES), np.tile([1.0, 0.0], (401, 1))
    )


def test_sine_swings_about_the_initial_position() -> None:
    controller = SineEntry(type="sine", joints="a", amplitude=0.5, frequency=0.25)
    result = targets([controller], JOINTS, START, TIMES)
    np.testing.assert_allclose(result[[0, 100, 200, 300], 0], [1.0, 1.5, 1.0, 0.5], atol=1e-12)
    np.testing.assert_array_equal(result[:, 1], 0.0)


@pytest.mark.parametrize("interpolation", ["spline", "linear"])
def test_trajectories_pass_their_waypoints_and_hold_the_last(interpolation: str) -> None:
    result = targets([trajectory(interpolation=interpolation)], JOINTS, START, TIMES)
    np.testing.assert_allclose(result[[0, 100, 300, 400]], [[1, 0], [2, 0], [2, -1], [2, -1]], atol=1e-12)


def test_a_spline_starts_and_ends_at_rest_without_a_kink() -> None:
    result = targets([trajectory()], JOINTS, START, TIMES)
    velocity = np.gradient(result, TIMES, axis=0)
    assert np.abs(velocity[[1, 299]]).max() < 0.1
    assert np.abs(np.diff(velocity, axis=0))[2:298].max() < 0.05  # straight lines would jump by 1


def test_a_waypoint_at_time_zero_replaces_the_initial_state() -> None:
    points = ({"time": 0.0, "joints": {"a": 5.0}}, {"time": 1.0, "joints": {"a": 6.0}})
    result = targets([trajectory(waypoints=points)], JOINTS, START, TIMES)
    np.testing.assert_allclose(result[[0, 100], 0], [5.0, 6.0])


def test_a_joint_without_an_actuator_is_named() -> None:
    with pytest.raises(AdapterError, match="unknown joint with an actuator 'a'; known: c"):
        targets([trajectory()], ("c",), START[:1], TIMES)


def test_a_phase_shifts_a_sine() -> None:
    controller = SineEntry(type="sine", joints="a", amplitude=0.5, frequency=0.25, phase=np.pi / 2)
    np.testing.assert_allclose(targets([controller], JOINTS, START, TIMES)[[0, 100, 200], 0], [1.5, 1.0, 0.5])


def test_each_controller_moves_its_joints_and_two_do_not_move_one() -> None:
    swings = [SineEntry(type="sine", joints=name, amplitude=0.5, frequency=0.25) for name in JOINTS]
    np.testing.assert_allclose(targets(swings, JOINTS, START, TIMES)[100], [1.5, 0.5])
    with pytest.raises(AdapterError, match="joint 'b' is moved by two controllers; name it in one of them only"):
        targets([*swings, swings[1]], JOINTS, START, TIMES)


def test_a_trajectory_of_a_file_begins_where_the_joints_start(tmp_path: Path) -> None:
    (tmp_path / "way.csv").write_text("time,b\n1,4\n3,6\n")
    controller = TrajectoryEntry(type="trajectory", file=tmp_path / "way.csv", interpolation="linear")
    result = targets([controller], JOINTS, START, TIMES)
    np.testing.assert_allclose(result[[0, 50, 100, 200, 400], 1], [0, 2, 4, 5, 6])
    np.testing.assert_array_equal(result[:, 0], 1.0)


def test_a_motion_of_opensim_is_in_degrees_where_joints_turn(tmp_path: Path) -> None:
    (tmp_path / "walk.mot").write_text("walk\ninDegrees=yes\nendheader\ntime a b knee_beta\n0 90 2 5\n4 90 2 5\n")
    controller = TrajectoryEntry(type="trajectory", file=tmp_path / "walk.mot", interpolation="linear")
    with pytest.warns(UserWarning, match=r"walk.mot: no joint with an actuator follows the columns 'knee_beta'"):
        result = targets([controller], JOINTS, START, TIMES, turning=["a"])
    np.testing.assert_allclose(result[[0, 400]], [[np.pi / 2, 2.0]] * 2)
    with pytest.raises(AdapterError, match="unknown joint with an actuator 'a'"):
        targets([controller], ["hip"], START[:1], TIMES)


def test_torques_add_up_and_those_of_a_file_stay_after_its_end(tmp_path: Path) -> None:
    (tmp_path / "push.csv").write_text("time,a\n0,0\n2,4\n")
    constant = TorqueEntry(type="torque", joints="a|b", torque=1.0)
    result = torques([constant, TorqueEntry(type="torque", file=tmp_path / "push.csv")], JOINTS, TIMES)
    np.testing.assert_allclose(result[[0, 100, 400]], [[1, 1], [3, 1], [5, 1]])


@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_a_torque_moves_a_joint_without_an_actuator(tmp_path: Path, adapter: str) -> None:
    content = robot_scene(
        adapter=adapter, robot={"actuators": []}, controller={"type": "torque", "joints": "elbow", "torque": 0.5}
    )
    made = simulation(tmp_path, content)
    for step in range(2):
        made.step(step)
    coupling = made.coupling
    np.testing.assert_allclose((coupling.mass @ coupling.theta_dot) / 0.02, [0.0, 0.5], atol=0.005)  # M θ̇ = τ t


SINE = {"type": "sine", "joints": "elbow", "amplitude": 1, "frequency": 1}
POINTS = [{"time": 0.0, "joints": {"elbow": 1.0}}]
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"controller": SINE, "controllers": [SINE]}, "give `controller` or `controllers`, not both"),
    ({"controller": {"type": "trajectory"}}, "a trajectory has either `waypoints` or a `file`"),
    ({"controller": {"type": "trajectory", "waypoints": POINTS, "file": "way.csv"}}, "`waypoints` or a `file`"),
    ({"controllers": [{"type": "trajectory", "waypoints": POINTS * 2}]}, "must increase; 0 s follows 0 s"),
    ({"controller": {"type": "torque", "joints": "elbow"}}, "a torque has either `joints` and `torque`, or a `file`"),
    ({"controller": {"type": "torque", "torque": 1.0, "file": "way.csv"}}, "a torque has either `joints` and `torque`"),
    (
        {"controller": {"type": "trajectory", "file": "way.csv"}},
        "way.csv:3:2: column 'elbow' must be a number, got 'x'",
    ),
    ({"controller": {"type": "trajectory", "file": "none.csv"}}, "no such file: 'none.csv'"),
    ({"controllers": [SINE | {"type": "cosine"}]}, "unknown type 'cosine'; did you mean 'sine'"),
    ({"controllers": [SINE | {"phase": "x"}]}, "controllers.0..phase should be a number, got 'x'"),
]


@pytest.mark.parametrize(("keys", "message"), FAULTS)
def test_faults_are_told_with_their_place(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    (tmp_path / "way.csv").write_text("time,elbow\n0,1\n1,x\n")
    with pytest.raises(SceneFileError, match=message) as caught:
        read(tmp_path, robot_scene(**keys))
    assert caught.value.line is not None


def test_a_joint_that_a_controller_in_a_list_does_not_find_is_told_with_its_place(tmp_path: Path) -> None:
    content = robot_scene(controllers=[SINE, {"type": "hold"}, SINE | {"joints": "elbw"}])
    with pytest.raises(
        SceneFileError, match="'elbw' matches no joint with an actuator; did you mean 'elbow'"
    ) as caught:
        simulation(tmp_path, content)
    at = (tmp_path / "scene.yaml").read_text().splitlines()[(caught.value.line or 0) - 1 :]
    assert at[0].strip().startswith("- type: sine")
    assert "joints: elbw" in at[1]
