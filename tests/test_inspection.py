"""`ipc-articulation inspect`: what it tells of a robot's file."""

import json
from pathlib import Path

import pytest

from ipc_articulation import cli

ROOT = Path(__file__).parents[1]
LONG = "an_arm_whose_name_is_longer_than_the_eighty_columns_at_which_the_lines_of_a_terminal_end"

GEARED = """<robot name="geared">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="wheel">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <joint name="motor" type="continuous">
    <parent link="base"/><child link="wheel"/><mimic joint="shoulder" multiplier="6"/>
  </joint>
</robot>"""

GRIPPER = f"""<mujoco>
  <worldbody>
    <camera name="front" pos="1 0 1"/>
    <body name="{LONG}">
      <joint name="turn" type="hinge" range="-90 90"/>
      <geom size="0.1"/>
      <body name="finger" pos="0 0 1"><joint name="slide" type="slide" range="0 0.04"/><geom size="0.1"/></body>
    </body>
  </worldbody>
  <actuator>
    <position name="servo" joint="turn" kp="300" kv="20" ctrlrange="-1.5 1.5" forcerange="-87 87"/>
    <motor name="push" joint="slide"/>
    <general name="slow" joint="slide" dyntype="filter" dynprm="0.1"/>
  </actuator>
</mujoco>"""


def lines_of(capsys, file: Path) -> list[str]:
    assert cli.main(["inspect", str(file)]) == 0
    return [" ".join(line.replace("│", " ").split()) for line in capsys.readouterr().out.splitlines()]


def test_a_urdf_with_a_gear(capsys, tmp_path: Path) -> None:
    file = tmp_path / "geared.urdf"
    file.write_text(GEARED)
    lines = lines_of(capsys, file)
    assert "arm 2 shoulder revolute base 0" in lines
    assert "wheel 1 motor revolute base 1" in lines
    assert "bodies 2 with mass, 3 in all" in lines
    assert "degrees of freedom 1 of 2 in the spanning tree" in lines
    assert "mass 3 kg" in lines
    assert "loop joints 'shoulder', 'motor'" in lines


def test_a_mujoco_model(capsys) -> None:
    lines = lines_of(capsys, ROOT / "scenes" / "pendulum.xml")
    assert "upper 1.244 shoulder revolute beam 0" in lines
    assert "degrees of freedom 2" in lines
    assert "mass 6.28607 kg, and 6 kg fixed to the world" in lines


def test_limits_actuators_and_cameras_and_no_line_ends_at_80_columns(capsys, tmp_path: Path) -> None:
    file = tmp_path / "gripper.xml"
    file.write_text(GRIPPER)
    lines = lines_of(capsys, file)
    assert any("┃ mass [kg] ┃" in line for line in lines)
    assert f"{LONG} 4.189 turn revolute world 0 -1.571 to 1.571 rad" in lines
    assert f"finger 4.189 slide prismatic {LONG} 1 0 to 0.04 m" in lines
    assert "servo turn position 300 20 -1.5 to 1.5 -87 to 87" in lines
    assert "push slide motor 0 0" in lines
    assert "slow has dynamics of its own" in lines
    assert "cameras front" in lines


@pytest.mark.filterwarnings("ignore:.*link 'toes_[lr]'")
def test_an_opensim_model(capsys) -> None:
    file = ROOT / "models" / "Rajagopal2015.osim"
    if not file.exists():
        pytest.skip("needs models/Rajagopal2015.osim: make fetch-models")
    lines = lines_of(capsys, file)
    assert "bodies 22 with mass, 51 in all" in lines
    assert "degrees of freedom 37 of 51 in the spanning tree" in lines
    assert "mass 75.337 kg" in lines
    assert "gravity [0.0, -9.80665, 0.0] m/s²" in lines


def test_a_wrong_file_is_named(capsys, tmp_path: Path) -> None:
    assert cli.main(["inspect", "robot.step"]) == 2
    message = (
        "ipc-articulation: robot.step: no robot's file: it contains neither <robot> (URDF) nor <mujoco> (MJCF) nor "
        "<OpenSimDocument>, and does not end in one of these; valid: .mjcf, .osim, .urdf, .xml\n"
    )
    assert capsys.readouterr().err == message
    file = tmp_path / "broken.urdf"
    file.write_text('<robot name="r"><link/></robot>')
    assert cli.main(["inspect", str(file)]) == 2
    assert capsys.readouterr().err == f'ipc-articulation: {file}:1: <link> lacks name="…"\n'


def test_a_robot_of_a_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", "package://example-robot-data/robots/ur_description/urdf/ur5_robot.urdf"]) == 0
    assert "wrist_3_link" in capsys.readouterr().out


def test_a_package_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", "package://nowhere/arm.urdf"]) == 2
    assert "no such file: 'package://nowhere/arm.urdf' (looked at " in capsys.readouterr().err


def test_the_same_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "geared.urdf"
    file.write_text(GEARED)
    assert cli.main(["inspect", str(file), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert (about["dofs"], about["tree_dofs"], about["mass"]) == (1, 2, 3.0)
    assert about["loops"] == ["joints 'shoulder', 'motor'"]
    arm = next(body for body in about["bodies"] if body["name"] == "arm")
    joint = {"joint": "shoulder", "kind": "revolute", "parent": "base", "dofs": [0], "limits": None, "unit": "rad"}
    assert arm == {"name": "arm", "mass": 2.0, **joint}
    assert about["actuators"] == about["cameras"] == []
