"""A short scene in which everything counts: contact, friction, an actuated robot, a free body."""

from pathlib import Path

import numpy as np

from ipc_articulation.recording import Recording
from ipc_articulation.recording.quantities import QUANTITIES

SCENES = Path(__file__).parents[2] / "scenes"

ARM = """
<mujoco><worldbody>
  <body name="base" pos="0 0 0.5">
    <geom type="box" size="0.05 0.05 0.05"/>
    <body name="link">
      <joint name="turn" type="hinge" axis="0 1 0" damping="0.1"/>
      <geom type="box" pos="0.3 0 0" size="0.2 0.03 0.03"/>
    </body>
  </body>
</worldbody></mujoco>
"""

SCENE = """
adapter: ADAPTER
title: an arm pushes a box down
dt: 0.01
steps: STEPS
robot:
  model: arm.xml
  actuators: [{joints: turn, kp: 60, kv: 3}]
controller: {type: sine, joints: turn, amplitude: 0.9, frequency: 1.0}
ground: {height: 0.0}
bodies:
  - {name: box, shape: {type: box, size: [0.1, 0.1, 0.1]}, mass: 2, pose: {position: [0.35, 0, 0.06]}}
  - {name: ball, shape: {type: sphere, radius: 0.05}, pose: {position: [0.37, 0.02, 0.2]}}
checkpoint: {every: 10}
"""

WALL_TIMES = {"step_time", "stage_times"}  # what no two runs have in common


def write_scene(folder: Path, steps: int = 60, adapter: str = "mujoco") -> Path:
    """The scene's files; the scene file is returned."""
    (folder / "arm.xml").write_text(ARM)
    file = folder / "arm.yaml"
    file.write_text(SCENE.replace("STEPS", str(steps)).replace("ADAPTER", adapter))
    return file


def assert_same_bits(ours: Recording, theirs: Recording) -> None:
    """Two recordings agree in every row, bit for bit, but for wall times."""
    assert ours.rows == theirs.rows
    for name in QUANTITIES.keys() - WALL_TIMES:
        assert np.asarray(getattr(ours, name)).tobytes() == np.asarray(getattr(theirs, name)).tobytes(), name
    for row in range(ours.rows):
        a, b = ours.contacts(row), theirs.contacts(row)
        assert a.bodies == b.bodies
        assert a.forces.tobytes() == b.forces.tobytes()
        assert a.points.tobytes() == b.points.tobytes()
