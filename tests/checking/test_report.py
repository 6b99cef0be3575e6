"""What `check_file` finds in scenes that are wrong or risky."""

import re
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.checking import Report, check_file
from ipc_articulation.checking.gains import growth_of
from ipc_articulation.cli import main
from tests.robot_warnings import OF_ROBOTS

SCENES = Path(__file__).parents[2] / "scenes"
BOXES = """\
adapter: none
dt: 0.01
steps: 10
contact: {d_hat: 0.002}
bodies:
  - name: first
    shape: {type: box, size: [0.2, 0.2, 0.2]}
    pose: {position: [0, 0, 0.2]}
  - name: second
    shape: {type: box, size: [0.2, 0.2, 0.2]}
    pose: {position: [0.3, 0, 0.2]}
ground: {}
"""
ARM = """\
adapter: mujoco
dt: 0.01
steps: 10
robot:
  model: pendulum.xml
  actuators:
    - {joints: shoulder, kp: 100, kv: 10}
controller: {type: sine, joints: shoulder, amplitude: 0.5, frequency: 0.5}
"""


@pytest.fixture
def check(tmp_path: Path):
    (tmp_path / "pendulum.xml").write_text((SCENES / "pendulum.xml").read_text())

    def checked(text: str, *changes: tuple[str, str]) -> Report:
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        file = tmp_path / "scene.yaml"
        file.write_text(text)
        return check_file(file)

    return checked


def told(faults) -> list[str]:
    return [f"{fault.line}:{fault.column} {fault.message}" for fault in faults]


def test_a_closed_mesh_without_a_volume_is_an_error_with_its_place(check, tmp_path: Path) -> None:
    (tmp_path / "flat.off").write_text(
        "OFF\n4 4 0\n0 0 0\n1 0 0.1\n1 1 0.2\n0 1 0.1\n3 0 1 2\n3 0 2 3\n3 0 3 1\n3 1 3 2\n"
    )
    report = check(BOXES, ("{type: box, size: [0.2, 0.2, 0.2]}", "{type: mesh, file: flat.off}"))
    (message,) = told(report.errors)
    assert message.startswith("7:12 mesh '")
    assert message.endswith("flat.off' has no volume; give it a thickness")


MEANINGLESS = [
    (
        "pose: {position: [0, 0, 0.2]}",
        "pose: {position: [0, 0, 0.2]}\n    push: {force: [1, 0, 0], start: 2, end: 1}",
        "9:45 `end` of a push must be after `start`, 2 s; it is 1 s",
    ),
    (
        "ground: {}",
        "view: {eye: [1, 2, 3], target: [1, 2, 3]}",
        "12:13 `eye` and `target` are the same point, so the camera has no direction; change one of them",
    ),
]
NAMES = [
    ("name: first", 'name: ""', "6:11", "''"),
    ("name: first", 'name: " "', "6:11", "' '"),
    ("name: first", r'name: "a\nb"', "6:11", r"'a\nb'"),
    ("name: first", r'name: "bell\a"', "6:11", r"'bell\x07'"),
    ("name: second", 'name: "second "', "9:11", "'second '"),
    ("ground: {}", 'materials: {"": {friction: 0.5}}', "12:17", "''"),
    ("ground: {}", r'walls: [{name: "\t", point: [0, 0, 0], normal: [0, 0, 1]}]', "12:16", r"'\t'"),
]


@pytest.mark.parametrize(("old", "new", "message"), MEANINGLESS)
def test_what_means_nothing_is_an_error_with_its_place(check, old: str, new: str, message: str) -> None:
    assert told(check(BOXES, (old, new)).errors) == [message]


def test_what_a_reader_leaves_out_is_told_once_with_the_file(check, tmp_path: Path) -> None:
    """Both the check of names and that of the start read the robot."""
    tendon = '<tendon><fixed name="band" stiffness="1"><joint joint="shoulder" coef="1"/></fixed></tendon>'
    text = (SCENES / "pendulum.xml").read_text()
    (tmp_path / "pendulum.xml").write_text(text.replace("</mujoco>", f"{tendon}</mujoco>"))
    report = check(ARM, ("mujoco", "native"))
    (message,) = [fault.message for fault in report.warnings if "band" in fault.message]
    assert message.startswith(f"{tmp_path / 'pendulum.xml'}: tendon 'band': it acts on joints by itself")


@pytest.mark.parametrize(("old", "new", "place", "shown"), NAMES)
def test_names_that_nobody_reads_are_errors_with_their_place(check, old: str, new: str, place: str, shown: str) -> None:
    (error,) = told(check(BOXES, (old, new)).errors)
    assert error.startswith(place)
    assert error.endswith(f"a name must be printable text on one line, without spaces around it; got {shown}")


@pytest.mark.parametrize("text", [BOXES, ARM])
def test_good_scenes_are_clean(check, text: str) -> None:
    report = check(text)
    assert (report.errors, report.warnings) == ((), ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[0.3, 0, 0.2]", "[0.19, 0, 0.2]"), "8:11 'first' and 'second' overlap at the start; move them apart"),
        (("[0.3, 0, 0.2]", "[0.3, 0, 0.05]"), "11:11 'second' and the ground overlap at the start; move them apart"),
        (("[0.3, 0, 0.2]", "[0.3, 0, -5]"), "11:11 'second' and the ground overlap at the start; move them apart"),
        (("bodies:", "config: {newton: {zzz: 1}}\nbodies:"), "5:19 libuipc's scene configuration has no 'zzz' here"),
    ],
)
def test_what_lets_no_run_begin_is_an_error(check, change: tuple[str, str], message: str) -> None:
    (error,) = told(check(BOXES, change).errors)
    assert error.startswith(message)


def test_bodies_that_never_touch_may_overlap(check) -> None:
    pair = ("contact: {d_hat: 0.002}", "contact: {d_hat: 0.002, pairs: [{between: [first, second], enabled: false}]}")
    near = ("[0.3, 0, 0.2]", "[0.19, 0, 0.2]")
    assert not check(BOXES, pair, near).errors
    assert not check(BOXES, near, ("d_hat: 0.002", "d_hat: 0.002, enabled: false")).errors
    joint = "joints:\n  - {name: j, type: revolute, parent: first, child: second, anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
    assert not check(BOXES + joint, near).errors


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[0.3, 0, 0.2]", "[0.2005, 0, 0.2]"), "8:11 'first' and 'second' are 0.0005 m apart at the start, less than"),
        (("[0.3, 0, 0.2]", "[0.3, 0, 0.1005]"), "11:11 'second' and the ground are 0.0005 m apart at the start, less"),
        (("dt: 0.01", "dt: 0.1"), "2:5 the time step 0.1 s is outside 1e-05 to 0.05 s: contact and fast joints are"),
        (("d_hat: 0.002", "d_hat: 1e-6"), "4:18 d_hat 1e-06 m is outside 1e-05 to 0.05 m: it nears rounding"),
        (("dt: 0.01", "stiffness: 1e3\ndt: 0.01"), "2:12 the stiffness 1000 Pa is outside 1e+06 to 1e+11 Pa: bodies b"),
        (("d_hat: 0.002", "d_hat: 0.002, resistance: 10"), "4:37 the resistance 10 Pa is outside 1e+06 to 1e+12 Pa"),
        (("shape", "mass: 1e-7\n    shape"), "7:11 the mass of body 'first' 1e-07 kg is outside 1e-05 to 1e+06 kg"),
        (("[0.2, 0.2, 0.2]", "[0.02, 0.02, 0.003]"), "8:11 'first' is 0.003 m thin, less than twice d_hat 0.002 m; m"),
        (("size: [0.2, 0.2, 0.2]}\n    pose: {position: [0.3", "size: [0.004, 0.004, 0.004]}\n    pose: {position: [0"),
         "11:11 'second' is inside 'first' and can never leave it"),
    ],
)  # fmt: skip
def test_what_runs_but_is_seldom_meant_is_a_warning(check, change: tuple[str, str], message: str) -> None:
    report = check(BOXES, change)
    assert report.errors == ()
    (warning,) = told(report.warnings)
    assert warning.startswith(message)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("strength_ratio: 1e20", "the strength_ratio of joint 'j' 1e+20 is outside 1 to 1e+12: the masses are lost in"),
        ("strength_ratio: 1e-3", "the strength_ratio of joint 'j' 0.001 is outside 1 to 1e+12: the joint gives way"),
        (
            "drive: {target: 1, duration: 1, strength_ratio: 1e16}",
            "the strength_ratio of the drive of joint 'j' 1e+16 is outside 1 to 1e+12: the masses are lost in rounding",
        ),
    ],
)
def test_joints_whose_strength_hides_the_masses_are_told(check, keys: str, message: str) -> None:
    joint = "joints:\n  - {name: j, type: prismatic, parent: first, child: second, anchor: [0, 0, 0], axis: [0, 0, 1], "
    (warning,) = told(check(BOXES + joint + keys + "}\n").warnings)
    assert message in warning
    assert warning.startswith("14:")


def test_bodies_that_are_too_light_for_newtons_early_end_are_told(check) -> None:
    joint = "joints:\n  - {name: j, type: revolute, parent: first, child: second, anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
    early = "config: {newton: {semi_implicit: {enable: 1}}}\n"
    light = early + BOXES.replace("name: second", "name: second\n    density: 10") + joint
    (warning,) = told(check(light).warnings)
    assert warning == (
        "13:11 'second' has 10 kg/m³, which is so light for a stiffness of 1e+08 Pa that Newton's method may end "
        "before its joints have turned (stiffness·dt²/density is 1e+03, more than 60); leave newton: "
        "{semi_implicit: {enable: …}} away, or give a stiffness of at most 6e+06 Pa"
    )
    for change in (
        ("density: 10", "density: 250"),
        (early, ""),
        ("ground", "stiffness: 4e6\nground"),
        (joint, joint + "articulations:\n  - {joints: [j], mass: [[1]], velocity: [0]}\n"),
    ):
        assert check(light, change).warnings == ()


def test_a_variable_that_nothing_says_is_told(check) -> None:
    text = "variables: {unused: 1, step: 0.01, base: 1, twice: '${2 * base}'}\ndt: ${step}\nsteps: ${twice}"
    assert told(check(BOXES, ("dt: 0.01\nsteps: 10", text)).warnings) == [
        "2:13 variable 'unused' is not used: nothing says ${unused}"
    ]


def test_a_light_mesh_is_told_by_its_own_mass(check) -> None:
    (warning,) = told(check(BOXES, ("[0.2, 0.2, 0.2]", "[1e-3, 1e-3, 1e-3]"), ("0.002", "1e-4")).warnings)
    assert warning.startswith("8:11 the mass of 'first' 1e-06 kg is outside 1e-05 to 1e+06 kg")


def test_all_unknown_joints_are_told_at_once(check) -> None:
    initial = "\n  initial: {elbo: 0.1, shoulder: 0.2}\n  damping: {nose: 1}\ncontroller:"
    report = check(ARM, ("joints: shoulder, kp", "joints: shoulde, kp"), ("\ncontroller:", initial))
    assert told(report.errors) == [
        "7:16 'shoulde' matches no joint; did you mean 'shoulder'? known: elbow, shoulder",
        "8:13 unknown joint 'elbo'; did you mean 'elbow'? known: elbow, shoulder",
        "9:13 'nose' matches no joint; known: elbow, shoulder",
    ]


def test_joints_of_a_faulty_scene_are_looked_at_too(check) -> None:
    messages = told(check(ARM, ("joints: shoulder, kp", "joints: shoulde, kp"), ("steps: 10", "steps: -1")).errors)
    assert len(messages) == 2
    assert messages[0].startswith("3:8 steps should be greater than 0")
    assert messages[1].startswith("7:16 'shoulde' matches no joint")


def test_a_controller_names_joints_with_actuators(check) -> None:
    (error,) = told(check(ARM, ("sine, joints: shoulder", "sine, joints: elbow")).errors)
    assert error == "8:34 'elbow' matches no joint with an actuator; known: shoulder"


@pytest.mark.parametrize(
    ("controllers", "message"),
    [
        ("[{type: trajectory, file: a.csv}]", "8:15 unknown joint with an actuator 'elbow'; known: shoulder"),
        ("[{type: torque, file: b.csv}]", "8:15 unknown joint 'elbo'; did you mean 'elbow'? known: elbow, shoulder"),
        ("[{type: hold}, &s {type: sine, joints: shoulder, amplitude: 0.5, frequency: 0.5}, *s]", "two controllers"),
    ],
)
def test_what_only_all_controllers_say_together_with_their_files_is_an_error(
    check, tmp_path: Path, controllers: str, message: str
) -> None:
    (tmp_path / "a.csv").write_text("time,elbow\n0,1\n")
    (tmp_path / "b.csv").write_text("time,elbo\n0,1\n")
    sine = "controller: {type: sine, joints: shoulder, amplitude: 0.5, frequency: 0.5}"
    (error,) = told(check(ARM, (sine, f"controllers: {controllers}")).errors)
    assert message in error


def test_a_list_with_a_faulty_item_is_not_also_called_too_short(check) -> None:
    sine = "controller: {type: sine, joints: shoulder, amplitude: 0.5, frequency: 0.5}"
    points = "controller: {type: trajectory, waypoints: [{time: 1, joints: {shoulder: 45 deg}}]}"
    (error,) = told(check(ARM, (sine, points)).errors)
    assert error.startswith("8:73 controller.waypoints[0].joints.shoulder should be a number, got '45 deg'; ")
    (error,) = told(check(ARM, (sine, "controller: {type: trajectory, waypoints: []}")).errors)
    assert error == "8:43 controller.waypoints should have at least 1 item, not 0, got []"


@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_a_broken_robot_file_is_told_with_its_own_line(check, tmp_path: Path, adapter: str) -> None:
    (tmp_path / "arm.urdf").write_text(
        "<robot name='arm'>\n  <link name='a'/>\n  <joint name='j' type='hinge'/>\n</robot>"
    )
    (error,) = told(check(ARM, ("pendulum.xml", "arm.urdf"), ("mujoco", adapter)).errors)
    assert error.startswith("5:10 ")
    assert "arm.urdf:3: joint 'j'" in error


def test_gravity_that_points_up_is_told_with_its_place(check) -> None:
    up = ("dt: 0.01", "gravity: [0, 0, 9.81]\ndt: 0.01")
    (warning,) = told(check(BOXES, up, ("ground: {}\n", "")).warnings)
    assert warning == "2:10 gravity [0, 0, 9.81] m/s² points up, so bodies fall up and a ground faces down"
    assert not check(BOXES, ("dt: 0.01", "gravity: [0, -9.81, 0]\ndt: 0.01"), ("ground: {}\n", "")).warnings


def test_unstable_gains_name_the_joint_and_a_bound(check) -> None:
    assert not check(ARM, ("kp: 100, kv: 10", "kp: 2000, kv: 1")).warnings
    (warning,) = told(check(ARM, ("kp: 100, kv: 10", "kp: 2e6, kv: 1")).warnings)
    assert warning.startswith("7:30 joint 'shoulder' is unstable: each step of 0.01 s makes its error ")
    assert "with these kv, gains up to about kp " in warning


def test_the_gain_that_is_unstable_is_named_with_its_line(check) -> None:
    spread = "- joints: shoulder\n      kv: 10\n      kp: 4.5e7"
    (warning,) = told(check(ARM, ("- {joints: shoulder, kp: 100, kv: 10}", spread)).warnings)
    assert warning.startswith("9:11 joint 'shoulder' is unstable")


def test_stability_is_that_of_the_substeps(check) -> None:
    stiff = ("kp: 100, kv: 10", "kp: 2e5, kv: 1")
    assert len(check(ARM, stiff).warnings) == 1
    assert not check(ARM, stiff, ("  actuators:", "  substeps: 50\n  actuators:")).warnings


def test_growth_is_that_of_the_step() -> None:
    M, kp, kv, dt = np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([1e5, 100.0]), np.array([1.0, 2.0]), 0.01
    growth, amounts = growth_of(M, kp, kv, dt)
    theta, w = np.array([1e-3, 0.0]), np.zeros(2)
    sizes = []
    for _ in range(60):  # θ⁺ = θ + w⁺, w⁺ = w - M⁻¹(dt² K θ + dt C w)
        w = w - np.linalg.solve(M, dt**2 * kp * theta + dt * kv * w)
        theta = theta + w
        sizes.append(np.linalg.norm([*theta, *w]))
    assert growth > 1.0
    assert amounts[0] > amounts[1]
    assert (sizes[-1] / sizes[-21]) ** (1 / 20) == pytest.approx(growth, rel=1e-2)
    assert growth_of(M, kp / 10, kv, dt)[0] < 1.0


def test_nothing_that_a_scene_names_is_run(check, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef f(state): return {{}}\n")
    sine = "{type: sine, joints: shoulder, amplitude: 0.5, frequency: 0.5}"
    report = check(ARM, (sine, "{type: python, python: evil.py:f}"))
    assert report.errors == ()
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(SCENES.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_scenes_of_the_repository_are_clean(file: Path) -> None:
    report = check_file(file)
    assert report.errors == ()
    assert [fault.message for fault in report.warnings if not re.search(OF_ROBOTS, fault.message)] == []


LIMITED = """<mujoco><compiler angle='radian'/><worldbody><body name='arm' pos='0 0 1'>
  <joint name='elbow' range='0.2 1' limited='true'/><geom size='0.1'/></body></worldbody></mujoco>"""


def test_a_start_beyond_limits_is_a_warning_as_in_a_run_and_strict_refuses_it(check, tmp_path: Path, capsys) -> None:
    (tmp_path / "limited.xml").write_text(LIMITED)
    text = "adapter: mujoco\ndt: 0.01\nsteps: 1\nrobot:\n  model: limited.xml\n  initial: {elbow: 2}\n"
    report = check(text)
    assert report.errors == ()
    (message,) = [fault.message for fault in report.warnings]
    assert message.startswith("joint 'elbow' starts at 2, beyond its limits 0.2 to 1: ")
    file, out = str(tmp_path / "scene.yaml"), str(tmp_path / "out")
    capsys.readouterr()
    assert main(["run", file, "--out", out, "--engine", "cpu", "--quiet", "--no-pictures"]) == 0
    assert capsys.readouterr().err == f"ipc-articulation: warning: {message}\n"
    assert main(["check", file, "--strict"]) == main(["run", file, "--out", out, "--name", "b", "--strict"]) == 2
    assert f"{file}:5:10: {message}" in capsys.readouterr().err


def test_drawings_that_a_run_replaces_are_a_warning(check, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ipc_articulation.coupling.visuals.MOST_TRIANGLES", 10)
    drawn = "<geom size='0.1' contype='0' conaffinity='0'/></body>"
    (tmp_path / "limited.xml").write_text(LIMITED.replace("</body>", drawn))
    (warning,) = check(
        "adapter: mujoco\ndt: 0.01\nsteps: 1\nrobot:\n  model: limited.xml\n  initial: {elbow: 1}\n"
    ).warnings
    assert warning.message.startswith("the visual meshes have ")


LIMITED_URDF = """\
adapter: pinocchio
dt: 0.01
steps: 10
robot:
  model: arm.urdf
  base: fixed
  surfaces: collision
  restraints: engine
"""
HINGE = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/><axis xyz="0 1 0"/>{}</joint>'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def test_limits_that_act_nowhere_are_named(check, tmp_path: Path) -> None:
    """Pinocchio has none of its own; an engine that has some may be left to them."""
    pytest.importorskip("pinocchio")
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in ("base", "a", "b", "c"))
    joints = HINGE.format("turn", "revolute", "base", "a", '<limit lower="-1" upper="1" effort="9" velocity="9"/>')
    joints += HINGE.format("rub", "continuous", "a", "b", '<dynamics friction="0.1"/>')
    joints += HINGE.format("spin", "continuous", "b", "c", "")
    (tmp_path / "arm.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    assert told(check(LIMITED_URDF).warnings) == [
        "8:15 the engine of adapter 'pinocchio' has no limits of joint 'turn' and dry friction of joint 'rub', so they "
        "act nowhere; write step or exact"
    ]
    assert check(LIMITED_URDF, ("restraints: engine", "restraints: step")).warnings == ()
    assert check(LIMITED_URDF, ("adapter: pinocchio", "adapter: native")).warnings == ()
