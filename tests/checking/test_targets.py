"""`check` warns of targets beyond the limits of their joints, with a hint where somebody wrote degrees."""

from pathlib import Path

import pytest

from ipc_articulation.checking import check_file

INERTIA = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
LINK = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
ROBOT = f"""<robot name="arm"><link name="base"/><link name="rod">{LINK}</link><link name="disc">{LINK}</link>
<joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit effort="99" velocity="9" lower="-1.6" upper="2"/></joint>
<joint name="spin" type="continuous"><parent link="rod"/><child link="disc"/><axis xyz="0 0 1"/></joint></robot>"""
SCENE = """adapter: native
dt: 0.01
steps: 1
robot:
  model: arm.urdf
  base: fixed
  initial: {{turn: {initial}}}
  actuators:
    - {{joints: turn, kp: {kp}, kv: 4}}
    - {{joints: spin, kp: 9, kv: 4}}
controller:
  type: trajectory
{motion}
"""
WAYPOINT = "  waypoints:\n    - {{time: 1, joints: {{turn: {}, spin: 90}}}}"


def warnings(folder: Path, motion: str, initial: float = 0.0, kp: float = 20.0) -> list[str]:
    (folder / "arm.urdf").write_text(ROBOT)
    file = folder / "scene.yaml"
    file.write_text(SCENE.format(motion=motion, initial=initial, kp=kp))
    report = check_file(file)
    assert not report.errors
    return [str(fault).removeprefix(f"{folder}/") for fault in report.warnings if "beyond" in fault.message]


def test_a_waypoint_in_degrees_is_placed_and_explained(tmp_path: Path) -> None:
    assert warnings(tmp_path, WAYPOINT.format(90)) == [
        "scene.yaml:14:32: the target 90 rad of joint 'turn' is beyond its limits -1.6 to 2; degrees are written "
        "${90 * deg}"
    ]


def test_without_the_hint_where_degrees_would_be_beyond_too(tmp_path: Path) -> None:
    (message,) = warnings(tmp_path, WAYPOINT.format(-300))
    assert message.endswith("beyond its limits -1.6 to 2")


@pytest.mark.parametrize("value", [2, -1.6, '"${90 * deg}"'])
def test_targets_within_the_limits_are_not_warned_of(tmp_path: Path, value: object) -> None:
    assert warnings(tmp_path, WAYPOINT.format(value)) == []


def test_velocities_have_no_such_limits(tmp_path: Path) -> None:
    assert warnings(tmp_path, WAYPOINT.format(90), kp=0.0) == []


def test_columns_of_files_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "moves.csv").write_text("time,turn\n0,0\n1,-5\n2,45\n3,1\n")
    assert [text.partition(": ")[2] for text in warnings(tmp_path, "  file: moves.csv")] == [
        "the target -5 rad of joint 'turn' at 1 s is beyond its limits -1.6 to 2; degrees are written ${-5 * deg}",
        "the target 45 rad of joint 'turn' at 2 s is beyond its limits -1.6 to 2; degrees are written ${45 * deg}",
    ]


def test_initial_values_in_degrees_are_explained_too(tmp_path: Path) -> None:
    (message,) = warnings(tmp_path, WAYPOINT.format(1), initial=60)
    assert "joint 'turn' starts at 60, beyond its limits -1.6 to 2" in message
    assert message.endswith("set its 'initial' under 'robot'; degrees are written ${60 * deg}")
