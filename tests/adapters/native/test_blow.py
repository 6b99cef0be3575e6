"""SimBenchmark's momentum test: a ball of 10 kg at 5 m/s hits an ANYmal that floats, without gravity.

Source: Lee, Hwangbo, «SimBenchmark» (2018), test «momentum»; the robot is that of the package example-robot-data.
"""

from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.packages import PACKAGE, find_file
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build

ROBOT = f"{PACKAGE}example-robot-data/robots/anymal_b_simple_description/robots/anymal.urdf"
SCENE = f"""
adapter: native
integrator: momentum
dt: 0.005
steps: 120
gravity: [0, 0, 0]
contact: {{d_hat: 0.002, friction: 0}}
robot:
  model: {ROBOT}
  base: free
  untouchable: [["base|.._.*", "base|.._.*"]]
bodies:
  - name: ball
    shape: {{type: sphere, radius: 0.15}}
    mass: 10
    pose: {{position: [1.2, 0.05, 0.1]}}
    velocity: {{linear: [-5, 0, 0]}}
"""


@pytest.mark.slow
def test_what_the_ball_loses_the_robot_gains(tmp_path: Path) -> None:
    try:
        find_file(ROBOT, tmp_path)
    except FileNotFoundError:
        pytest.skip("pip install 'ipc_articulation[robots]' has the robot")
    (tmp_path / "blow.yaml").write_text(SCENE)
    simulation = build(*read_scene(tmp_path / "blow.yaml"), "cpu", tmp_path / "work", 120)
    robot, ball = [], []
    for step in range(120):
        simulation.step(step)
        read = simulation.coupling.read_out(simulation.world)
        robot.append(read.links.momentum.sum(axis=0)[3:])
        ball.append(read.free_bodies.momentum.sum(axis=0)[3:])
    lost, gained = ball[0] - ball[-1], robot[-1] - robot[0]
    assert lost[0] < -20.0
    assert abs(gained[0] - lost[0]) < 1e-9 * abs(lost[0])
    total = np.array(robot) + ball
    assert np.abs(total - total[0]).max() < 1e-6 * 50.0
