"""`ipc-articulation inspect`: what it tells of a robot's file."""

import json
from pathlib import Path

import pytest

from ipc_articulation import cli

ROOT = Path(__file__).parents[1]

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
    assert arm == {"name": "arm", "mass": 2.0, "joint": "shoulder", "kind": "revolute", "parent": "base", "dofs": [0]}
