"""A scene whose controller makes the trouble that it is told to, and leaves a trace of every process that runs it."""

from pathlib import Path

TROUBLES = ("none", "raise", "crash", "exit", "hang")

_CONTROLLER = """
import os, signal, sys, time

def act(state):
    status = open(f"/proc/{os.getppid()}/stat").read()  # of the process that handed out the run
    with open(f"{os.path.dirname(__file__)}/worker-{os.getpid()}", "w") as file:
        file.write(status.rpartition(")")[2].split()[1])  # that one's parent
    if state.step == 2:
        match state.parameters["trouble"]:
            case "raise": raise ValueError("no such grip")
            case "crash": os.kill(os.getpid(), signal.SIGSEGV)
            case "exit": sys.exit(3)
            case "hang": time.sleep(1000)
    return {}
"""

_ARM = """
<mujoco>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="turn" type="hinge" axis="0 1 0"/>
      <geom type="box" pos="0.2 0 0" size="0.2 0.03 0.03" mass="1"/>
    </body>
  </worldbody>
</mujoco>
"""

_SCENE = """
adapter: native
dt: 0.01
steps: 4
robot:
  model: arm.xml
  actuators:
    - {joints: turn, kp: 50, kv: 5}
controller: {type: python, python: "controller.py:act", parameters: {trouble: none}}
"""

KEY = "controller.parameters.trouble"


def write_scene(folder: Path) -> Path:
    """The scene file and what it names; `KEY` is the path of its trouble, one of `TROUBLES`."""
    (folder / "controller.py").write_text(_CONTROLLER)
    (folder / "arm.xml").write_text(_ARM)
    (folder / "troubled.yaml").write_text(_SCENE)
    return folder / "troubled.yaml"


def raylets_above_workers(folder: Path) -> set[str]:
    """Process numbers of the grandparents of all processes that ran the scene: one a node of a Ray cluster."""
    return {trace.read_text() for trace in folder.glob("worker-*")}
