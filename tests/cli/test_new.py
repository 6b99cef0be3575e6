"""`ipc-articulation new`: what it writes is right, runs, and never takes the place of what is there."""

from pathlib import Path

import pytest

import ipc_articulation
from ipc_articulation import cli
from ipc_articulation.checking import check_file
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.starting.facts import inside
from ipc_articulation.starting.gains import choose_gains

ROBOTS = "package://example-robot-data/robots"


def runs(file: Path, out: Path) -> None:
    """Clean except for repairs of meshes and drawings, and a few steps of it leave nothing in anything else."""
    report = check_file(file)
    expected = ("not a closed surface", "the visual meshes have")
    others = [fault.message for fault in report.warnings if not any(said in fault.message for said in expected)]
    assert (report.errors, others) == ((), [])
    recording = ipc_articulation.run(file, engine="cpu", steps=3, out=out, quiet=True, pictures=False).recording
    assert recording.steps == 3
    assert recording.minimum_distance.min() > 0.0


@pytest.mark.parametrize("adapter", ["mujoco", "native", "none"])
def test_a_starter_runs_as_it_is(tmp_path: Path, adapter: str, capsys) -> None:
    file = tmp_path / "mine.yaml"
    assert cli.main(["new", str(file), "--adapter", adapter]) == 0
    assert f"ipc-articulation run {file}" in capsys.readouterr().out
    assert read_scene(file)[0].adapter == adapter
    runs(file, tmp_path / "out")


def test_an_empty_name_of_a_robot_is_refused(tmp_path: Path, capsys) -> None:
    """As of a variable of the shell that is not set."""
    assert cli.main(["new", str(tmp_path / "mine.yaml"), "--robot", ""]) == 2
    assert "mine.yaml: --robot is empty; give a robot's file, or leave --robot out" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_first_line_names_a_schema_that_is_there(tmp_path: Path) -> None:
    cli.main(["new", str(tmp_path / "mine.yaml")])
    line = (tmp_path / "mine.yaml").read_text().splitlines()[0]
    assert line.startswith("# yaml-language-server: $schema=file://")
    assert Path(line.partition("file://")[2]).is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "robot", ["panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf", "z1_description/urdf/z1.urdf"]
)
def test_a_robot_of_ones_own(tmp_path: Path, robot: str) -> None:
    pytest.importorskip("cmeel", reason="the robots come with example-robot-data")
    file = tmp_path / "robot.yaml"
    assert cli.main(["new", str(file), "--robot", f"{ROBOTS}/{robot}"]) == 0
    scene, _ = read_scene(file)
    assert scene.robot.actuators
    assert scene.robot.initial
    runs(file, tmp_path / "out")


HANGING = """<mujoco>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" limited="true" range="-60 60"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_a_robot_of_mjcf(tmp_path: Path, adapter: str) -> None:
    (tmp_path / "arm.xml").write_text(HANGING)
    file = tmp_path / "arm.yaml"
    assert cli.main(["new", str(file), "--robot", str(tmp_path / "arm.xml"), "--adapter", adapter]) == 0
    assert list(read_scene(file)[0].robot.initial) == ["shoulder"]
    runs(file, tmp_path / "out")


SLIDER = """<robot name="crane">
  <link name="foot"><collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>
  <joint name="lift" type="prismatic"><parent link="foot"/><child link="arm"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
    <limit lower="0.2" upper="0.4" effort="100" velocity="1"/></joint>
  <link name="arm">
    <inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
</robot>"""


def test_limits_gains_and_the_ground_are_kept(tmp_path: Path) -> None:
    (tmp_path / "crane.urdf").write_text(SLIDER)
    file = tmp_path / "crane.yaml"
    assert cli.main(["new", str(file), "--robot", str(tmp_path / "crane.urdf"), "--adapter", "native"]) == 0
    assert "  model: crane.urdf\n" in file.read_text()  # beside it
    scene, _ = read_scene(file)
    assert scene.robot.initial == {"lift": 0.21}  # 5 % of the range from the lower limit
    assert scene.robot.pose.position == (0.0, 0.0, 0.052)  # the foot's half height, and twice d_hat
    (actuators,) = scene.robot.actuators
    assert (actuators.kp, actuators.kv) == (3600.0, 240.0)  # ω² m and 2 ω m with ω = 30/s, m = 4 kg
    runs(file, tmp_path / "out")


def test_a_file_that_is_there_is_kept(tmp_path: Path, capsys) -> None:
    for name in ("mine.yaml", "mine.urdf"):
        (tmp_path / name).write_text("precious")
        assert cli.main(["new", str(tmp_path / "mine.yaml")]) == 2
        assert f"{tmp_path / name}: exists already; use --force" in capsys.readouterr().err
        assert (tmp_path / name).read_text() == "precious"
        (tmp_path / name).unlink()
    (tmp_path / "mine.yaml").write_text("precious")
    assert cli.main(["new", str(tmp_path / "mine.yaml"), "--force"]) == 0
    assert (tmp_path / "mine.yaml").read_text() != "precious"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.yaml", "--robot", "nosuch.urdf"], "no such file: 'nosuch.urdf'"),
        (["a.yaml", "--robot", "robot.stl"], "robot.stl: no robot's file: it contains neither <robot> (URDF) nor"),
        (["a.yaml", "--robot", "bad.urdf"], "bad.urdf:1: not well-formed XML"),
        (["a.yaml", "--robot", "bad.urdf", "--adapter", "none"], "adapter none has no robot"),
        (["a.txt"], "a.txt: a scene file ends in .yaml or .yml"),
        (["no/such/folder/a.yaml"], "no/such/folder/a.yaml: cannot be written: No such file or directory"),
    ],
)
def test_wrong_use_writes_nothing(tmp_path: Path, monkeypatch, capsys, arguments: list[str], message: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("robot.stl", "bad.urdf"):
        Path(name).write_text("<robot>" if name == "bad.urdf" else "solid arm")
    assert cli.main(["new", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.urdf", "robot.stl"]


@pytest.mark.parametrize(
    ("lower", "upper", "start"),
    [(-1, 1, 0.0), (1, 3, 1.1), (-3, -1, -1.1), (0, 2, 0.1), (float("-inf"), float("inf"), 0.0), (0.5, 0.5, 0.5)],
)
def test_joints_start_inside_their_limits(lower: float, upper: float, start: float) -> None:
    assert inside(lower, upper) == pytest.approx(start)


@pytest.mark.parametrize("inertia", [1.0, 1.04, 1.7, 8.7])
def test_damping_never_chatters_after_rounding(inertia: float) -> None:
    import numpy as np

    from ipc_articulation.checking.chatter import CALM

    M = inertia * np.array([[1.0, 0.9], [0.9, 1.0]])  # where the second gives way, the first moves 0.19 of its inertia
    kv = choose_gains(M, np.array([True, False]), 0.01)[1][0]
    assert 0.8 * CALM < 0.01 * kv / (0.19 * inertia) <= CALM


def test_gains_of_a_robot_whose_joints_move_each_other_are_stable() -> None:
    import numpy as np

    from ipc_articulation.checking.gains import growth_of

    M = np.array([[1.0, 0.99999], [0.99999, 1.0]])  # the two together move nearly nothing
    kp, kv = choose_gains(M, np.array([True, True]), 0.05)
    assert growth_of(M + 0.05 * np.diag(kv), kp, kv, 0.05)[0] <= 1.0
    assert kp.min() > 0.0
