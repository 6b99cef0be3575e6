"""Bodies that a scene leaves out of the robot's file, with both adapters."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import scene_model as of_mujoco
from ipc_articulation.adapters.native import scene_model as of_native

from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.robots import Actuator, RobotSetup
from ipc_articulation.errors import AdapterError

MJCF = """<mujoco>
  <worldbody>
    <geom name="wall" type="box" size="0.1 1 1" pos="3 0 0"/>
    <body name="post"><geom type="box" size="0.1 0.1 0.1"/>
      <body name="arm" pos="0 0 1"><joint name="turn" axis="0 1 0"/><geom size="0.1"/>
        <body name="hand" pos="0.5 0 0"><joint name="grip" axis="0 1 0"/><geom size="0.1"/></body></body></body>
    <body name="fan" pos="0 2 1"><joint name="spin"/><geom size="0.1"/></body>
    <body name="ball" pos="0 -2 1"><freejoint/><geom size="0.1"/></body>
    <body name="target" pos="0 4 0"><geom size="0.1"/></body>
  </worldbody>
  <actuator><position joint="turn" kp="10"/><position joint="spin" kp="10"/></actuator>
</mujoco>"""


def link(name: str) -> str:
    inertia = '<mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    return f'<link name="{name}"><inertial>{inertia}</inertial>{shape}</link>'


def joint(name: str, parent: str, child: str) -> str:
    limit = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/>'
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 1"/>'
    return f'<joint name="{name}" type="revolute">{ends}{limit}</joint>'


URDF = (
    f"<robot name='r'>{''.join(map(link, ('post', 'arm', 'hand', 'fan')))}"
    f"{joint('turn', 'post', 'arm')}{joint('grip', 'arm', 'hand')}{joint('spin', 'post', 'fan')}</robot>"
)


def described(tmp_path: Path, module: ModuleType, model: str, *ignore: str, actuated: str = "turn") -> CoupledRobot:
    file = tmp_path / ("robot.xml" if model == MJCF else "robot.urdf")
    file.write_text(model)
    setup = RobotSetup(0.01, np.array([0.0, 0.0, -9.81]), "implicitfast", actuators=(Actuator(actuated, 9.0, 1.0),))
    driven = module.SceneModel(file, [], ignore=ignore).build(setup)
    assert driven.joints == [joint.name for joint in driven.adapter.describe().joints]
    assert set(driven.actuated) <= set(driven.joints)
    driven.adapter.predict()
    return driven.adapter.describe()


def names(robot: CoupledRobot) -> set[str]:
    return {body.name for body in (*robot.links, *robot.free, *robot.static)}


@pytest.mark.parametrize("module", [of_mujoco, of_native])
def test_a_moving_body_goes_with_its_tree(tmp_path: Path, module: ModuleType) -> None:
    robot = described(tmp_path, module, MJCF, "hand", actuated="spin")
    assert names(robot) == {"world/wall", "post", "fan", "ball", "target"}
    assert [joint.name for joint in robot.joints] == ["spin"]


@pytest.mark.parametrize("module", [of_mujoco, of_native])
def test_expressions_name_several_bodies(tmp_path: Path, module: ModuleType) -> None:
    assert names(described(tmp_path, module, MJCF, "fan|ball", "targ.*")) == {"world/wall", "post", "arm", "hand"}


@pytest.mark.parametrize("module", [of_mujoco, of_native])
def test_a_static_body_goes_alone(tmp_path: Path, module: ModuleType) -> None:
    assert names(described(tmp_path, module, URDF, "post")) == {"arm", "hand", "fan"}
    assert "world/wall" not in names(described(tmp_path, module, MJCF, "world"))


@pytest.mark.parametrize("module", [of_mujoco, of_native])
def test_trees_of_urdf(tmp_path: Path, module: ModuleType) -> None:
    assert names(described(tmp_path, module, URDF, "arm", actuated="spin")) == {"post", "fan"}


@pytest.mark.parametrize("module", [of_mujoco, of_native])
@pytest.mark.parametrize("model", [MJCF, URDF])
def test_an_unknown_body_is_refused(tmp_path: Path, module: ModuleType, model: str) -> None:
    with pytest.raises(AdapterError, match=r"'hnd' matches no body; did you mean 'hand'\?"):
        described(tmp_path, module, model, "hnd")
