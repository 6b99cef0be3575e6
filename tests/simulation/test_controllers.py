"""Targets over time."""

import numpy as np
import pytest

from ipc_articulation.errors import AdapterError
from ipc_articulation.scenefile.schema import Hold, Sine, Trajectory
from ipc_articulation.simulation.controllers import targets

TIMES = np.linspace(0.0, 4.0, 401)
JOINTS = ("a", "b")
START = np.array([1.0, 0.0])


def trajectory(**changes) -> Trajectory:
    points = ({"time": 1.0, "joints": {"a": 2.0}}, {"time": 3.0, "joints": {"b": -1.0}})
    return Trajectory.model_validate({"type": "trajectory", "waypoints": points, **changes})


def test_hold_stays_at_the_initial_position() -> None:
    np.testing.assert_array_equal(targets([Hold(type="hold")], JOINTS, START, TIMES), np.tile([1.0, 0.0], (401, 1)))


def test_sine_swings_about_the_initial_position() -> None:
    controller = Sine(type="sine", joints="a", amplitude=0.5, frequency=0.25)
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
