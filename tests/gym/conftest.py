"""A small task: a ram on a slide pushes a box along the ground."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="needs the extra 'rl'")

from ipc_articulation.gym import Env

ROBOT = """
<mujoco>
  <worldbody>
    <body name="ram" pos="-0.05 0 0.1">
      <joint name="slide" type="slide" axis="1 0 0" range="-0.5 1"/>
      <geom type="box" size="0.05 0.05 0.05" mass="2"/>
    </body>
  </worldbody>
</mujoco>
"""
SCENE = """\
adapter: mujoco
title: A ram pushes a box
dt: 0.01
steps: 30
contact: {d_hat: 0.002, friction: 0.2}
randomise:
  - {path: "bodies.box.pose.position[0]", uniform: [0.0, 0.05]}
  - {path: "marks.goal.position[0]", normal: 0.01}
  - {path: robot.initial.slide, uniform: [-0.05, 0.05]}
robot:
  model: robot.xml
  actuators:
    - {joints: slide, kp: 4000, kv: 200}
  initial: {slide: 0.0}
ground: {}
bodies:
  - name: box
    shape: {type: box, size: [0.1, 0.1, 0.1]}
    pose: {position: [0.1, 0, 0.0515]}
    mass: 1.0
marks:
  - {name: goal, position: [0.3, 0, 0.05]}
  - {name: nose, on: ram, position: [0.05, 0, 0]}
observe:
  - {type: joint_positions}
  - {type: position, of: box, relative_to: goal, axes: xy}
  - {type: velocity, of: box}
  - {type: last_action}
reward:
  - {type: progress, between: [box, goal], axes: x, weight: 1.0}
  - {type: success, weight: 10.0}
act:
  - {type: targets, joints: slide, scale: 0.02}
episode:
  every: 2
  success: {between: [box, goal], axes: x, within: 0.02}
"""

MakeEnv = Callable[..., Env]


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """The file of the small task."""
    (tmp_path / "robot.xml").write_text(ROBOT)
    file = tmp_path / "push.yaml"
    file.write_text(SCENE)
    return file


@pytest.fixture
def make_env(scene: Path):
    """Makes environments of the small task, with texts of its file replaced."""
    made: list[Env] = []

    def make(*replaced: tuple[str, str], **options: Any) -> Env:
        text = scene.read_text()
        for old, new in replaced:
            assert old in text
            text = text.replace(old, new)
        scene.write_text(text)
        made.append(Env(scene, engine="cpu", **options))
        return made[-1]

    yield make
    for env in made:
        env.close()
