"""Scene files run, and what they leave behind is right."""

import os
import signal
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import ipc_articulation
from ipc_articulation.errors import EngineError, SceneFileError, SolverError
from ipc_articulation.progress import progress
from ipc_articulation.recording import Recording, read_recording
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.repairs import strict
from ipc_articulation.running import result
from ipc_articulation.simulation.articulation_simulation import ArticulationSimulation

SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result, "draw_plot", lambda *_: "no plot")
    monkeypatch.setattr(result, "draw_scene", lambda *_: "no picture")


def run(name: str, out: Path, **options) -> Recording:
    return ipc_articulation.run(SCENES / f"{name}.yaml", engine="cpu", out=out, quiet=True, **options).recording


@pytest.mark.usefixtures("no_pictures")
def test_hinge_pair_turns_by_the_right_hand_rule(tmp_path: Path) -> None:
    recording = run("hinge_pair", tmp_path)
    assert recording.steps == 100
    np.testing.assert_allclose(recording.theta[-1], [-np.pi / 6, np.pi / 6], rtol=0, atol=1e-6)
    np.testing.assert_allclose(recording.delta_theta[1:], recording.delta_theta_tilde[1:], rtol=0, atol=1e-8)
    turned = recording.body_poses[-1, :, :2, :2] @ np.linalg.inv(recording.body_poses[0, :, :2, :2])
    angles = np.arctan2(turned[:, 1, 0], turned[:, 0, 0])  # about +z, the direction of the hinges' axes
    np.testing.assert_allclose(angles, [-np.pi / 6, np.pi / 6], rtol=0, atol=1e-6)


@pytest.mark.usefixtures("no_pictures")
def test_hinge_slider_follows_both_coordinates(tmp_path: Path) -> None:
    recording = run("hinge_slider", tmp_path)
    np.testing.assert_allclose(recording.theta[-1], [np.pi / 6, 0.1], rtol=0, atol=1e-6)
    np.testing.assert_allclose(recording.contact_force[1:], 0.0, atol=1e-2)


@pytest.mark.slow
@pytest.mark.usefixtures("no_pictures")
def test_the_pendulum_knocks_the_box_away(tmp_path: Path) -> None:
    recording = run("pendulum", tmp_path, steps=160)
    assert recording.moved("box") > 0.05
    assert recording.body_poses[-1, recording.body_names.index("box"), 0, 3] > 0.35  # the way that the bob flew
    assert np.nanmin(recording.minimum_distance) > 0.0


@pytest.mark.slow
def test_the_panda_pushes_the_crate_and_nothing_ever_touches(tmp_path: Path) -> None:
    pytest.importorskip("pyvista")
    result = ipc_articulation.run(SCENES / "panda_push.yaml", engine="cpu", out=tmp_path, quiet=True)
    recording = result.recording
    assert recording.moved("crate") > 0.2
    assert recording.minimum_distance.min() > 0.0
    assert np.isfinite(recording.minimum_distance).all()  # the crate stands on the ground all the time
    assert result.notes == ()
    assert (tmp_path / "panda_push" / "end.png").stat().st_size > 10_000
    free_flight = recording.time < 1.0  # before the hand is at the crate
    assert np.abs(recording.contact_force[free_flight][1:]).max() < 1e-3


@pytest.mark.usefixtures("no_pictures")
def test_recordings_read_back(tmp_path: Path) -> None:
    recording = run("hinge_slider", tmp_path, steps=3)
    again = read_recording(tmp_path / "hinge_slider")
    assert (again.joint_names, again.body_names) == (("hinge", "slide"), ("arm", "slider"))
    for key in QUANTITIES:
        np.testing.assert_array_equal(getattr(again, key), getattr(recording, key))
    assert again.extra["engine"] == "cpu"
    assert again.newton_iterations[1:].min() >= 1
    assert np.isnan(again.newton_iterations[0])


def test_a_recording_names_what_it_has() -> None:
    with pytest.raises(AttributeError, match="a recording has no 'forces'; it has time, theta"):
        _ = Recording("a", 0.1, 1, (), ()).forces


@pytest.mark.usefixtures("no_pictures")
def test_a_failing_step_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = ArticulationSimulation.step

    def fail(self: ArticulationSimulation, index: int) -> None:
        if index == 4:
            raise SolverError("the step is not finite")
        take(self, index)

    monkeypatch.setattr(ArticulationSimulation, "step", fail)
    with pytest.raises(SolverError, match="the step is not finite"):
        run("hinge_slider", tmp_path)
    assert read_recording(tmp_path / "hinge_slider").steps == 4


@pytest.mark.usefixtures("no_pictures")
def test_ctrl_c_ends_the_step_and_writes_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = ArticulationSimulation.step

    def interrupt(self: ArticulationSimulation, index: int) -> None:
        if index == 2:
            os.kill(os.getpid(), signal.SIGINT)
        take(self, index)

    monkeypatch.setattr(ArticulationSimulation, "step", interrupt)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run("hinge_slider", tmp_path)
    assert read_recording(tmp_path / "hinge_slider").steps == 3
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("no_pictures")
def test_the_engine_that_moves_nothing_says_so(tmp_path: Path) -> None:
    result = ipc_articulation.run(SCENES / "hinge_slider.yaml", engine="none", out=tmp_path, steps=2, quiet=True)
    assert np.isnan(result.recording.newton_iterations).all()
    np.testing.assert_array_equal(result.recording.body_poses[-1], result.recording.body_poses[0])


def test_pictures_that_cannot_be_made_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ipc_articulation.extras.find_spec", lambda name: None)
    result = ipc_articulation.run(SCENES / "hinge_slider.yaml", engine="cpu", out=tmp_path, steps=1, quiet=True)
    assert result.notes == (
        "motion.png: matplotlib is missing; install it with: pip install 'ipc_articulation[view]'",
        "end.png: pyvista is missing; install it with: pip install 'ipc_articulation[view]'",
    )
    assert [file.name for file in result.files] == ["recording.zarr"]


def test_a_machine_without_opengl_still_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drawing process dies as it does where there is no libGL: by a signal, with a word on standard error."""
    pytest.importorskip("pyvista")
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'libGL.so.1: cannot open shared object file' >&2\nkill -SEGV $$\n")
    broken.chmod(0o755)
    monkeypatch.setattr("ipc_articulation.viewing.drawing.process._COMMAND", (str(broken),))
    result = ipc_articulation.run(SCENES / "hinge_slider.yaml", engine="cpu", out=tmp_path, steps=1, quiet=True)
    assert len(result.notes) == 1
    assert "end.png: off-screen drawing does not work here" in result.notes[0]
    assert "libGL.so.1: cannot open shared object file" in result.notes[0]


ARM = """
<mujoco><worldbody>
  <body name="base" pos="0 0 0.5">
    <geom type="box" size="0.05 0.05 0.05"/>
    <body name="link">
      <joint name="turn" type="hinge" axis="0 1 0"/>
      <geom type="box" pos="0.3 0 0" size="0.2 0.03 0.03"/>
    </body>
  </body>
</worldbody></mujoco>
"""

BALL = "shape: {type: sphere, radius: 1}"
ROBOT = """\
adapter: mujoco
dt: 0.01
steps: 2
robot:
  model: arm.xml
  actuators:
    - {joints: turn, kp: 50, kv: 5}
  initial: {turn: 0.2}
controller: {type: hold}
"""


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("joints: turn", "joints: tunr", "7:16: 'tunr' matches no joint; did you mean 'turn'? known: turn"),
        ("joints: turn", "joints: [turn, twist]", "7:16: unknown joint 'twist'; known: turn"),
        ("joints: turn", "joints: '*'", "7:16: '*' is no regular expression: no argument for repetition operator"),
        ("joints: turn", "joints: 3", "7:16: joints are given by a regular expression or by a list of names"),
        ("joints: turn", "joints: []", "7:16: joints are given by a regular expression or by a list of names"),
        ("kp: 50", "kp: .nan", "7:26: a number must be finite, got .nan"),
        ("{turn: 0.2}", "{trun: 0.2}", "8:12: unknown joint 'trun'; did you mean 'turn'? known: turn"),
        (
            "dt: 0.01",
            f"dt: 0.01\nbodies: [{{name: link, {BALL}}}]",
            "3:17: the robot's file has a body or plane 'link' already",
        ),
        (
            "{type: hold}",
            "{type: sine, joints: elbow, amplitude: 1, frequency: 1}",
            "9:13: 'elbow' matches no joint with an actuator; known: turn",
        ),
        ("dt: 0.01", "dt: 0.01\nconfig: {newton: {max: 3}}", "3:19: libuipc's scene configuration has no 'max' here"),
        ("dt: 0.01", "dt: 0.01\nconfig: {newton: 3}", "3:18: 'newton' must be a mapping of"),
    ],
)
def test_what_a_model_refuses_is_placed_in_the_file(tmp_path: Path, old: str, new: str, message: str) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "arm.yaml").write_text(ROBOT.replace(old, new))
    with pytest.raises(SceneFileError) as caught:
        ipc_articulation.run(tmp_path / "arm.yaml", engine="cpu", out=tmp_path, quiet=True)
    assert message in str(caught.value)


def test_an_adapter_that_reads_no_scene_files_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "arm.yaml").write_text(ROBOT.replace("mujoco", "other"))
    other = metadata.EntryPoint("other", "json.decoder:JSONDecoder", "ipc_articulation.adapters")
    found = metadata.EntryPoints([other])
    monkeypatch.setattr("ipc_articulation.scenefile.reading.entry_points", lambda group: found)
    monkeypatch.setattr("ipc_articulation.simulation.robot_model.entry_points", lambda group: found)
    message = r"1:10: adapter 'other' cannot read scene files: it has no module json\.decoder\.scene_model"
    with pytest.raises(SceneFileError, match=message):
        ipc_articulation.run(tmp_path / "arm.yaml", engine="cpu", out=tmp_path, quiet=True)


@pytest.mark.usefixtures("no_pictures")
def test_a_held_arm_stays_where_it_is_told_to(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "arm.yaml").write_text(ROBOT + "gravity: [0, 0, 0]\n")
    result = ipc_articulation.run(tmp_path / "arm.yaml", engine="cpu", out=tmp_path, steps=20, quiet=True)
    np.testing.assert_allclose(result.recording.theta, 0.2, atol=1e-9)


def test_bodies_that_intersect_at_the_start_are_named_and_placed(tmp_path: Path, capfd) -> None:
    box = "shape: {type: box, size: [1, 1, 1]}"
    file = tmp_path / "overlap.yaml"
    file.write_text(
        "adapter: none\ndt: 0.01\nsteps: 1\nbodies:\n"
        f"  - {{name: far, {box}, pose: {{position: [9, 0, 0]}}}}\n"
        f"  - {{name: here, {box}}}\n"
        f"  - {{name: there, {box}, pose: {{position: [0.9, 0.1, 0.05]}}}}\n"
    )
    with pytest.raises(SceneFileError) as caught:
        ipc_articulation.run(file, engine="cpu", out=tmp_path, quiet=True, settings={"dt": 0.02})
    (fault,) = caught.value.faults
    assert (fault.line, fault.column) == (6, 5)
    assert fault.message == (
        "'here' and 'there' intersect at the start, 0.1 m deep; move them apart, to a gap of 0.001 m (below it they "
        "repel each other), or disable their contact in the contact table; see them: "
        f"ipc-articulation show {file} --set dt=0.02"
    )
    assert "Intersection" not in "".join(capfd.readouterr())


def test_a_robot_on_the_engine_that_moves_nothing_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "arm.yaml").write_text(ROBOT)
    with pytest.raises(EngineError) as caught:
        ipc_articulation.run(tmp_path / "arm.yaml", engine="none", out=tmp_path / "out", quiet=True)
    assert str(caught.value) == (
        "engine 'none' moves nothing, so a robot cannot run on it; valid: cpu, cuda, auto. The start alone: "
        f"ipc-articulation show {tmp_path / 'arm.yaml'}; a robot without contact: --set contact.enabled=false"
    )
    assert not list((tmp_path / "out" / "arm").glob("*.zarr"))


@pytest.mark.usefixtures("no_pictures")
def test_free_bodies_fall_to_the_ground_and_stay_above_it(tmp_path: Path) -> None:
    file = tmp_path / "fall.yaml"
    file.write_text("""adapter: none
dt: 0.01
steps: 60
ground: {height: 0.1}
bodies:
  - {name: box, shape: {type: box, size: [0.1, 0.1, 0.1]}, mass: 2, pose: {position: [0, 0, 0.2]}}
  - {name: ball, shape: {type: sphere, radius: 0.05}, pose: {position: [0.3, 0, 0.2]}}
  - {name: can, shape: {type: cylinder, radius: 0.05, length: 0.1}, pose: {position: [-0.3, 0, 0.2]}}
  - {name: pill, shape: {type: capsule, radius: 0.05, length: 0.1}, pose: {position: [-0.3, 0.3, 0.25]}}
""")
    recording = ipc_articulation.run(file, engine="cpu", out=tmp_path, quiet=True).recording
    assert recording.free_names == ("box", "ball", "can", "pill")
    assert 0.0 < recording.minimum_distance.min() < 0.001
    fallen = recording.body_poses[0, :, 2, 3] - recording.body_poses[-1, :, 2, 3]
    np.testing.assert_allclose(fallen, 0.05, atol=0.002)


@pytest.mark.usefixtures("no_pictures")
def test_a_run_tells_its_figures(tmp_path: Path, capsys) -> None:
    ipc_articulation.run(SCENES / "pendulum.yaml", engine="cpu", out=tmp_path, steps=5)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "scene             pendulum  A double pendulum hits a box"
    assert lines[2] == "steps             5 of 0.005 s: 0.025 s simulated"
    assert lines[4].startswith("minimum distance  0.00")
    assert lines[5].startswith("moved             box 0.00")
    assert lines[6] == f"written           {tmp_path / 'pendulum' / 'recording.zarr'}"
    assert lines[-2:] == ["left out          no plot", "                  no picture"]


def test_the_bar_shows_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    with progress("arm", 3, quiet=False) as show:
        show(3)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress("arm", 3, quiet=False) as show:
        show(3)
    assert "arm" in (shown := capsys.readouterr().err)
    assert "3/3" in shown
    with progress("arm", 3, quiet=True) as show:
        show(3)
    assert capsys.readouterr().err == ""


URDF = """
<robot name="arm">
  <link name="base"/>
  <link name="link">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="FILE"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="link"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""


@pytest.mark.parametrize("mesh", ["package://arm_description/link.stl", "meshes/link.stl"])
def test_a_mesh_missing_from_a_robot_is_named_at_its_model(tmp_path: Path, mesh: str) -> None:
    (tmp_path / "arm.urdf").write_text(URDF.replace("FILE", mesh))
    (tmp_path / "arm.yaml").write_text(ROBOT.replace("arm.xml", "arm.urdf"))
    with strict(), pytest.raises(SceneFileError, match=r"arm\.yaml:5:10: .*link\.stl"):
        ipc_articulation.run(tmp_path / "arm.yaml", engine="cpu", out=tmp_path, quiet=True)
