"""Scenes for tests, written as files."""

from pathlib import Path
from typing import Any

import yaml

from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.reading import AnyScene, read_scene
from ipc_articulation.simulation.building import build
from ipc_articulation.simulation.simulation import Simulation

BOX = {"type": "box", "size": [0.2, 0.2, 0.2]}

ROBOT = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -5" friction="0.7"/>
    <body name="base"><geom type="box" size="0.1 0.1 0.1"/>
      <body name="upper" pos="0 0 0.3">
        <joint name="shoulder" type="hinge" axis="0 1 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 0.3"/>
        <body name="lower" pos="0 0 0.4">
          <joint name="elbow" type="hinge" axis="0 1 0"/>
          <geom type="capsule" size="0.03" fromto="0 0 0 0 0 0.3" friction="0.9"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def free_scene(**keys: Any) -> dict[str, Any]:
    """A scene without a robot."""
    return {"adapter": "none", "dt": 0.01, "steps": 10, **keys}


def robot_scene(**keys: Any) -> dict[str, Any]:
    """A scene with the robot above and actuators on its joints."""
    actuators = [{"joints": ".*", "kp": 200, "kv": 20}]
    robot = {"model": "robot.xml", "actuators": actuators} | keys.pop("robot", {})
    return {"adapter": "mujoco", "dt": 0.01, "steps": 10, "gravity": [0, 0, 0], "robot": robot, **keys}


def read(folder: Path, content: dict[str, Any]) -> tuple[AnyScene, Document]:
    """The scene, written to a folder beside its robot."""
    (folder / "robot.xml").write_text(ROBOT)
    (folder / "scene.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return read_scene(folder / "scene.yaml")


def simulation(folder: Path, content: dict[str, Any], steps: int = 10) -> Any:
    """Ready to run on the CPU engine; a `Simulation`."""
    made: Simulation = build(*read(folder, content), "cpu", folder / "workspace", steps)
    return made
