"""What a run tells at its end."""

import numpy as np

from ipc_articulation.recording.recording import Recording
from ipc_articulation.running.summary import minimum_distance, speed


def recording_of(steps: int) -> Recording:
    recording = Recording("scene", 0.01, steps, (), (), extra={"wall_time": 21.0})
    recording.rows = steps + 1
    return recording


def test_a_slow_first_step_does_not_spoil_the_speed() -> None:
    recording = recording_of(100)
    recording.buffers["step_time"][1:] = [20.0, *np.full(99, 0.004)]
    assert speed(recording) == "21.00 s; the median step 4.00 ms, which is 250 steps/s"


def test_no_steps_have_no_speed() -> None:
    assert speed(recording_of(0)) == "21.00 s"


def test_the_least_distance_has_three_digits() -> None:
    recording = recording_of(2)
    recording.buffers["minimum_distance"][:] = [np.inf, 4.84774e-6, 0.003]
    assert minimum_distance(recording) == "4.85e-06 m over all steps"
