"""`check` warns of targets beyond the limits of their joints, with a hint where somebody wrote degrees."""

import math
from pathlib import Path

import pytest

from ipc_articulation.checking import check_file
from ipc_articulation.coupling.kinds import told_apart

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


def warnings(folder: Path, motion: str, initial: float = 0.0, kp: float = 20.0, scene: str = SCENE) -> list[str]:
    (folder / "arm.urdf").write_text(ROBOT)
    file = folder / "scene.yaml"
    file.write_text(scene.format(motion=motion, initial=initial, kp=kp))
    report = check_file(file)
    assert not report.errors
    return [str(fault).removeprefix(f"{folder}/") for fault in report.warnings if "beyond" in fault.message]


def test_a_waypoint_in_degrees_is_placed_and_explained(tmp_path: Path) -> None:
    assert warnings(tmp_path, WAYPOINT.format(90)) == [
        "scene.yaml:14:32: the target 90 rad of joint 'turn' is beyond its limits -1.6 to 2; degrees are written "
        "${90 * deg}"
    ]


def test_more_than_a_turn_is_explained_where_the_degrees_would_be_beyond_too(tmp_path: Path) -> None:
    (message,) = warnings(tmp_path, WAYPOINT.format(-300))
    assert message.endswith("beyond its limits -1.6 to 2; degrees are written ${-300 * deg}")


@pytest.mark.parametrize(("value", "shown"), [(-2.6, "-2.6"), (130 * math.pi / 180, "2.26893")])
def test_less_than_a_turn_has_no_hint(tmp_path: Path, value: object, shown: str) -> None:
    (message,) = warnings(tmp_path, WAYPOINT.format(value))
    assert message.endswith(f"the target {shown} rad of joint 'turn' is beyond its limits -1.6 to 2")


def test_the_difference_from_the_limit_is_seen(tmp_path: Path) -> None:
    (message,) = warnings(tmp_path, WAYPOINT.format(2.0000001))
    assert message.endswith("the target 2.0000001 rad of joint 'turn' is beyond its limits -1.6 to 2")
    (message,) = warnings(tmp_path, WAYPOINT.format(1), initial=-1.60000004)
    assert "starts at -1.60000004, beyond its limits -1.6 to 2: " in message


def test_limits_have_the_digits_of_the_position() -> None:
    assert told_apart(1.5708, -math.pi, math.pi / 2) == ("1.5708", "-3.141593", "1.570796")


@pytest.mark.parametrize("value", [2, -1.6, '"${90 * deg}"'])
def test_targets_within_the_limits_are_not_warned_of(tmp_path: Path, value: object) -> None:
    assert warnings(tmp_path, WAYPOINT.format(value)) == []


def sine(folder: Path, joints: str, amplitude: float, initial: float, kp: float = 20.0) -> list[str]:
    scene = SCENE.replace("trajectory", f"sine\n  joints: {joints}\n  amplitude: {amplitude}")
    return warnings(folder, "  frequency: 1", initial, kp, scene)


def test_a_sine_is_followed_to_both_its_ends(tmp_path: Path) -> None:
    assert sine(tmp_path, "turn", 1.7, 0.5) == [
        "scene.yaml:14:14: the target 2.2 rad of joint 'turn' at the amplitude about 0.5 is beyond its limits -1.6 to 2"
    ]
    above, below = sine(tmp_path, "turn|spin", -90, 0.5)
    assert "target -89.5 rad" in below
    assert below.endswith("degrees are written ${-90 * deg}")
    assert "target 90.5 rad" in above


def test_a_sine_within_the_limits_or_of_velocities_is_not_warned_of(tmp_path: Path) -> None:
    assert sine(tmp_path, "turn", 1.5, 0.5) == []
    assert sine(tmp_path, "turn", 90, 0.5, kp=0.0) == []


def test_velocities_have_no_such_limits(tmp_path: Path) -> None:
    assert warnings(tmp_path, WAYPOINT.format(90), kp=0.0) == []


def test_columns_of_files_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "moves.csv").write_text("time,turn\n0,0\n1,-5\n2,45\n3,1\n")
    assert [text.partition(": ")[2] for text in warnings(tmp_path, "  file: moves.csv")] == [
        "the target -5 rad of joint 'turn' at 1 s is beyond its limits -1.6 to 2",
        "the target 45 rad of joint 'turn' at 2 s is beyond its limits -1.6 to 2; degrees are written ${45 * deg}",
    ]


def test_initial_values_in_degrees_are_explained_too(tmp_path: Path) -> None:
    (message,) = warnings(tmp_path, WAYPOINT.format(1), initial=60)
    assert "joint 'turn' starts at 60, beyond its limits -1.6 to 2" in message
    assert message.endswith("set its 'initial' under 'robot'; degrees are written ${60 * deg}")
