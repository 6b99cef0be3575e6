"""Targets of scene files that are velocities: wheels of URDF robots, velocity actuators of MJCF robots, beside arms."""

from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.robot_simulation import RobotSimulation

INERTIA = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
LINK = '<link name="{}"><inertial><mass value="1"/>' + INERTIA + "</inertial></link>"
JOINT = (
    '<joint name="{0}" type="{1}"><parent link="base"/><child link="{0}_link"/><origin xyz="{2} 0 1"/>'
    '<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="50" velocity="9"/></joint>'
)
URDF = (
    f'<robot name="cart">{"".join(map(LINK.format, ("base", "wheel_link", "arm_link")))}'
    f"{JOINT.format('wheel', 'continuous', 0)}{JOINT.format('arm', 'revolute', 1)}</robot>"
)
BODY = """<body pos="{1} 0 1"><joint name="{0}" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>"""
MJCF = f"""<mujoco><worldbody>{BODY.format("wheel", 0)}{BODY.format("arm", 1)}</worldbody><actuator>
  <velocity joint="wheel" kv="1" gear="2"/><position joint="arm" kp="50" kv="2"/>
</actuator></mujoco>"""
OF_SCENE = "\n  actuators: [{joints: wheel, kp: 0, kv: 2}, {joints: arm, kp: 50, kv: 2}]"
WAYPOINTS = """
controller:
  type: trajectory
  interpolation: linear
  waypoints:
    - {time: 0.1, joints: {wheel: 3.0, arm: 0.5}}
    - {time: 1.0, joints: {wheel: "${1 + 2}"}}"""
SINE = """
controllers:
  - {type: sine, joints: wheel, amplitude: 3.0, frequency: 0.01, phase: "${90 * deg}"}
  - {type: trajectory, waypoints: [{time: 0.1, joints: {arm: 0.5}}]}"""
FILE = "\ncontroller: {type: trajectory, interpolation: linear, file: moves.csv}"


def ran(folder: Path, adapter: str, model: str, controller: str) -> RobotSimulation:
    """A robot after a second of a scene."""
    name, actuators = ("cart.urdf", OF_SCENE) if model == URDF else ("cart.xml", "")
    (folder / name).write_text(model)
    (folder / "moves.csv").write_text("time,wheel,arm\n0.1,3,0.5\n1,3,0.5\n")
    text = f"adapter: {adapter}\ndt: 0.01\nsteps: 100\nrobot:\n  model: {name}{actuators}{controller}\n"
    (folder / "cart.yaml").write_text(text)
    scene, document = read_scene(folder / "cart.yaml")
    simulation = RobotSimulation(scene, document, "cpu", folder / "out", scene.steps)
    for step in range(scene.steps):
        simulation.step(step)
    return simulation


@pytest.mark.parametrize("controller", [WAYPOINTS, SINE, FILE], ids=["waypoints", "sine", "file"])
@pytest.mark.parametrize(
    ("adapter", "model"),
    [("mujoco", URDF), ("mujoco", MJCF), ("native", URDF), ("native", MJCF), ("pinocchio", URDF), ("dart", URDF)],
)
def test_a_wheel_turns_with_its_target_beside_an_arm(tmp_path: Path, adapter: str, model: str, controller: str) -> None:
    for package in {"pinocchio": ["pinocchio"], "dart": ["dartpy"]}.get(adapter, []):
        pytest.importorskip(package)
    coupling = ran(tmp_path, adapter, model, controller).coupling
    found = dict(zip(coupling.joint_names, zip(coupling.theta, coupling.theta_dot, strict=True), strict=True))
    assert found["wheel"][1] == pytest.approx(3.0, abs=0.02)
    assert found["wheel"][0] == pytest.approx(2.85, abs=0.15)
    np.testing.assert_allclose(found["arm"], (0.5, 0.0), atol=1e-2)


@pytest.mark.parametrize(("adapter", "model"), [("mujoco", MJCF), ("native", URDF)])
def test_without_a_controller_a_wheel_holds_the_velocity_zero(tmp_path: Path, adapter: str, model: str) -> None:
    coupling = ran(tmp_path, adapter, model, "").coupling
    np.testing.assert_array_equal(coupling.theta_dot, [0.0, 0.0])
