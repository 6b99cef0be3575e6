"""`new --robot` writes a scene that starts as the robot's file says, and that runs."""

from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pytest

import ipc_articulation
from ipc_articulation.checking import check_file
from ipc_articulation.checking.start import Start, make_start
from ipc_articulation.cli import main
from ipc_articulation.dynamics.reading.base import loose_base
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.schema import RobotScene, Scene
from tests.dynamics.reading import osim_documents as osim

ADAPTERS = ("mujoco", "native")


def starter(tmp_path: Path, model: str, *more: str, name: str = "robot.xml", status: int = 0) -> RobotScene:
    """The scene that `new` writes for a model; it has no errors."""
    (tmp_path / name).write_text(model)
    file = tmp_path / "scene.yaml"
    assert main(["new", str(file), "--robot", str(tmp_path / name), "--force", *more]) == status
    report = check_file(file)
    assert report.errors == ()
    scene, _ = read_scene(file)
    assert isinstance(scene, RobotScene)
    return scene


def runs(tmp_path: Path, steps: int = 3) -> np.ndarray:
    file, out = tmp_path / "scene.yaml", tmp_path / "out"
    run = ipc_articulation.run(file, engine="cpu", steps=steps, out=out, quiet=True, pictures=False, force=True)
    assert run.recording.minimum_distance.min() > 0.0
    return run.recording.theta


def strictly(file: Path) -> tuple[int, int]:
    """Exit status of `check` and of a short `run`, both with --strict."""
    run = [
        "run",
        str(file),
        "--strict",
        "--force",
        "--out",
        str(file.parent / "out"),
        "--steps",
        "1",
        "--engine",
        "cpu",
    ]
    return main(["check", str(file), "--strict"]), main([*run, "--no-pictures", "--quiet"])


def started(tmp_path: Path) -> tuple[Start, Scene]:
    scene, document = read_scene(tmp_path / "scene.yaml")
    return make_start(scene, document), scene


def mjcf(worldbody: str, more: str = "") -> str:
    return f"<mujoco><compiler angle='radian'/>{more}<worldbody>{worldbody}</worldbody></mujoco>"


ARM = """<body name="arm" pos="0 0 1">
  <joint name="turn" axis="0 1 0" ref="0.3" range="-1 1" limited="true"/>
  <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
</body>"""
KEYS = '<keyframe><key name="away" qpos="0.9"/><key name="Home" qpos="-0.5"/></keyframe>'
FLOOR = '<geom name="ground" type="plane" size="0 0 1"/>'


def test_a_joint_starts_at_its_reference(tmp_path: Path) -> None:
    assert starter(tmp_path, mjcf(ARM)).robot.initial == {"turn": 0.3}


def test_a_joint_starts_at_the_keyframe_called_home(tmp_path: Path) -> None:
    assert starter(tmp_path, mjcf(ARM, KEYS)).robot.initial == {"turn": -0.5}
    assert "keyframe 'Home'" in (tmp_path / "scene.yaml").read_text()


def test_else_at_the_first_keyframe(tmp_path: Path) -> None:
    assert starter(tmp_path, mjcf(ARM, KEYS.replace("Home", "b"))).robot.initial == {"turn": 0.9}


def test_a_start_beyond_the_limits_is_inside_them(tmp_path: Path) -> None:
    scene = starter(tmp_path, mjcf(ARM.replace('range="-1 1"', 'range="0.5 1.5"')))
    assert scene.robot.initial == {"turn": 0.55}


def test_gravity_is_that_of_the_file(tmp_path: Path) -> None:
    assert starter(tmp_path, mjcf(ARM, '<option gravity="0 0 -1.62"/>')).gravity == (0.0, 0.0, -1.62)
    disabled = starter(tmp_path, mjcf(ARM, '<option><flag gravity="disable"/></option>'))
    assert (disabled.gravity, disabled.ground) == ((0.0, 0.0, 0.0), None)


def test_the_time_step_is_that_of_the_file(tmp_path: Path) -> None:
    assert starter(tmp_path, mjcf(ARM, '<option timestep="0.004"/>')).dt == 0.004
    assert starter(tmp_path, mjcf(ARM)).dt == 0.01


@pytest.mark.parametrize("kind", ["RK4", "implicit", "discrete"])
def test_an_integrator_that_cannot_be_coupled_is_replaced(tmp_path: Path, kind: str, capsys) -> None:
    model = mjcf(ARM, f'<option integrator="{kind}"/>')
    assert starter(tmp_path, model).integrator == "implicitfast"
    assert f"instead of the robot file's {kind.upper()}" in (tmp_path / "scene.yaml").read_text()
    assert f"integrator {kind.upper()}: it cannot be coupled" in capsys.readouterr().err
    assert main(["new", str(tmp_path / "b.yaml"), "--robot", str(tmp_path / "robot.xml"), "--strict"]) == 2


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_the_floor_of_the_file_is_the_ground(tmp_path: Path, adapter: str) -> None:
    scene = starter(tmp_path, mjcf(FLOOR + ARM), "--adapter", adapter)
    assert scene.ground is None
    assert "'world/ground'" in (tmp_path / "scene.yaml").read_text()
    runs(tmp_path)


def test_a_broad_box_is_a_floor_and_a_base_is_none(tmp_path: Path) -> None:
    box = '<geom name="slab" type="box" size="2 2 0.1" pos="0 0 -0.5"/>'
    assert starter(tmp_path, mjcf(box + ARM)).ground is None
    base = f'<body name="base"><geom type="box" size="2 2 0.1"/>{ARM}</body>'
    scene = starter(tmp_path, mjcf(base))
    assert scene.ground is not None
    assert scene.robot.pose.position[2] == pytest.approx(0.102)


SLIDER = """<body name="foot" pos="0 0 0.1">
  <joint name="up" type="slide" axis="0 0 -1"/><geom name="g" type="sphere" size="0.1"/>
</body>"""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_slide_raises_what_stands_in_the_floor(tmp_path: Path, adapter: str) -> None:
    scene = starter(tmp_path, mjcf(FLOOR + SLIDER), "--adapter", adapter)
    assert scene.robot.initial == {"up": -0.002}
    assert scene.robot.untouchable == ()
    runs(tmp_path)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_what_nothing_lifts_is_untouchable(tmp_path: Path, adapter: str) -> None:
    cage = '<geom name="cage" type="box" size="1 1 1" pos="0 0 1"/>'
    scene = starter(tmp_path, mjcf(FLOOR + cage + SLIDER.replace('"0 0 -1"', '"1 0 0"')), "--adapter", adapter)
    assert {frozenset(pair) for pair in scene.robot.untouchable} == {
        frozenset({"foot", "world/cage"}),
        frozenset({"foot", "ground"}),
    }
    assert "no joint can lift them out" in (tmp_path / "scene.yaml").read_text()
    runs(tmp_path)


MOTORS = '<actuator><motor name="m" joint="turn" gear="40" ctrlrange="-1 1" ctrllimited="true"/></actuator>'


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_joints_with_motors_are_held(tmp_path: Path, adapter: str) -> None:
    text = mjcf(ARM.replace("</body>", PASSIVE + "</body>"), MOTORS)
    scene = starter(tmp_path, text, "--adapter", adapter)
    assert [actuators.joints for actuators in scene.robot.actuators] == [("turn",)]
    assert "do nothing until a controller" in (tmp_path / "scene.yaml").read_text()
    theta = runs(tmp_path, 20)
    assert abs(theta[-1, 0] - theta[0, 0]) < 0.04
    assert abs(theta[-1, 1] - theta[0, 1]) > 0.06  # the joint without a motor swings


PASSIVE = """<body name="tip" pos="0.5 0 0"><joint name="swing" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02"/></body>"""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_actuators_of_the_file_hold_their_joints(tmp_path: Path, adapter: str) -> None:
    servo = '<actuator><position joint="turn" kp="200" kv="20" gear="3"/></actuator>'
    scene = starter(tmp_path, mjcf(ARM, servo), "--adapter", adapter)
    assert scene.robot.actuators == ()
    theta = runs(tmp_path, 20)
    assert abs(theta[-1, 0] - 0.3) < 0.02


FLOATING = """<body name="trunk" pos="0 0 0.6"><freejoint/><geom type="box" size="0.2 0.1 0.05"/>
  <body name="leg" pos="0 0 -0.1"><joint name="hip" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 -0.05 0 0 -0.3" size="0.03"/></body></body>"""


SENSOR = '<keyframe><key qpos="0 0 1 1 0 0 0 0.2"/></keyframe><sensor><framepos objtype="body" objname="leg"/></sensor>'


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_base_that_floats_in_the_file_floats(tmp_path: Path, adapter: str, capsys) -> None:
    scene = starter(tmp_path, mjcf(FLOOR + FLOATING, SENSOR), "--adapter", adapter)
    assert (scene.robot.base, scene.robot.initial) == (None, {"hip": 0.2})
    assert "trunk" not in capsys.readouterr().err
    start, _ = started(tmp_path)
    assert [joint.kind for joint in start.robot.joints] == ["free", "revolute"]
    height = runs(tmp_path, 60)[:, 2]
    assert height[0] == pytest.approx(1.0, abs=1e-9)
    assert height[-1] < 0.8  # it fell
    file = tmp_path / "scene.yaml"
    file.write_text(file.read_text().replace("robot:\n", "robot:\n  base: fixed\n"))
    start, _ = started(tmp_path)
    assert [joint.kind for joint in start.robot.joints] == ["revolute"]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_floating_base_is_where_the_keyframe_has_it(tmp_path: Path, adapter: str) -> None:
    key = '<keyframe><key name="home" qpos="1 2 0.7 0.8 0 0 0.6 0.2"/></keyframe>'
    scene = starter(tmp_path, mjcf(FLOOR + FLOATING, key), "--adapter", adapter)
    assert (scene.robot.base_pose.position, scene.robot.base_pose.quaternion) == ((1, 2, 0.7), (0.8, 0, 0, 0.6))
    start, _ = started(tmp_path)
    trunk = next(body for body in start.robot.static + start.robot.links if body.name == "trunk")
    np.testing.assert_allclose(trunk.pose[:3, 3], [1, 2, 0.7])
    np.testing.assert_allclose(trunk.pose[:2, 0], [0.28, 0.96])
    hip = start.robot.joints[-1]
    np.testing.assert_allclose(hip.anchor, [1, 2, 0.6])


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_floating_base_is_raised_out_of_the_floor_of_the_file(tmp_path: Path, adapter: str) -> None:
    low = FLOATING.replace("0 0 0.6", "0.1 0 0.4")  # the foot would be 3 cm in the floor
    scene = starter(tmp_path, mjcf(FLOOR + low), "--adapter", adapter)
    assert scene.robot.base_pose.position == pytest.approx((0.1, 0, 0.432))
    assert scene.robot.untouchable == ()
    assert "raised out of the floor" in (tmp_path / "scene.yaml").read_text()
    runs(tmp_path)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_base_pose_needs_one_floating_base(tmp_path: Path, adapter: str) -> None:
    starter(tmp_path, mjcf(FLOOR + ARM), "--adapter", adapter)
    file = tmp_path / "scene.yaml"
    file.write_text(file.read_text().replace("robot:", "robot:\n  base_pose: {position: [0, 0, 1]}"))
    (error,) = check_file(file).errors
    assert "no bases float" in error.message


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_controls_of_the_keyframe_are_targets(tmp_path: Path, adapter: str) -> None:
    servo = '<actuator><position joint="turn" kp="200" kv="20" gear="2"/></actuator>'
    key = '<keyframe><key name="home" qpos="0.2" ctrl="{}"/></keyframe>'
    scene = starter(tmp_path, mjcf(ARM, servo + key.format(1.2)), "--adapter", adapter)
    assert scene.controller.waypoints[0].joints == {"turn": 0.6}
    theta = runs(tmp_path, 60)
    assert abs(theta[-1, 0] - 0.6) < 0.05
    for nothing_else in ("0.4", "0"):  # where the joint starts, and a keyframe without controls
        scene = starter(tmp_path, mjcf(ARM, servo + key.format(nothing_else)), "--adapter", adapter)
        assert scene.controller.type == "hold"


LINK = """<link name="{name}">
  <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.05"/></geometry></collision>
</link>"""
HIP = """<joint name="hip_{name}" type="revolute"><parent link="{base}"/><child link="{name}"/>
  <origin xyz="{x} 0 -0.3"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint>"""


def legged(base: str = "trunk", legs: tuple[str, ...] = ("left", "right")) -> str:
    parts = [LINK.format(name=base)]
    parts += [LINK.format(name=leg) + HIP.format(name=leg, base=base, x=0.3 * i) for i, leg in enumerate(legs)]
    return f"<robot name='walker'>{''.join(parts)}</robot>"


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_loose_trunk_of_urdf_is_said(tmp_path: Path, adapter: str, capsys) -> None:
    scene = starter(tmp_path, legged(), "--adapter", adapter, name="walker.urdf")
    assert scene.robot.base == "free"
    assert "nothing carries base 'trunk'; it floats, by 'base: free' under 'robot'" in capsys.readouterr().err
    assert started(tmp_path)[0].robot.joints[0].kind == "free"
    starter(tmp_path, legged(), "--adapter", adapter, "--strict", "--force", name="walker.urdf")
    file = tmp_path / "scene.yaml"
    assert strictly(file) == (0, 0)
    file.write_text(file.read_text().replace("  base: free", "  # base"))
    assert strictly(file) == (2, 2)
    warnings = [fault.message for fault in check_file(file).warnings]
    assert ["nothing connects its base 'trunk'" in text for text in warnings] == [True]


def test_only_a_base_that_carries_all_joints_can_be_set_free(tmp_path: Path) -> None:
    two = ARM + ARM.replace('"arm"', '"other"').replace('"turn"', '"second"').replace('"0 0 1"', '"0 1 1"')
    starter(tmp_path, mjcf(two), "--adapter", "mujoco")
    file = tmp_path / "scene.yaml"
    file.write_text(file.read_text().replace("robot:\n", "robot:\n  base: free\n"))
    (error,) = check_file(file).errors
    assert "sets free the one body on the world that carries all joints and has none itself" in error.message
    assert "the bodies on the world are 'arm', 'other'" in error.message


def test_a_drone_without_joints_can_be_set_free(tmp_path: Path) -> None:
    starter(tmp_path, f"<robot name='drone'>{LINK.format(name='hull')}</robot>", "--adapter", "mujoco", name="d.urdf")
    file = tmp_path / "scene.yaml"
    file.write_text(file.read_text().replace("robot:\n", "robot:\n  base: free\n"))
    start, _ = started(tmp_path)
    assert [body.name for body in start.robot.free] == ["hull"]
    file.write_text(file.read_text().replace("adapter: mujoco", "adapter: native"))
    start, _ = started(tmp_path)
    assert [(joint.kind, start.robot.links[joint.child].name) for joint in start.robot.joints] == [("free", "hull")]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_gains_of_all_joints_are_not_those_of_a_floating_base(tmp_path: Path, adapter: str) -> None:
    starter(tmp_path, legged(), "--adapter", adapter, name="walker.urdf")
    file = tmp_path / "scene.yaml"
    text = file.read_text().partition("  actuators:")[0]
    file.write_text(text + '  actuators: [{joints: ".*", kp: 5, kv: 0.5}]\n')
    assert [fault.message for fault in check_file(file).warnings if "unstable" in fault.message] == []


def test_a_joint_that_moves_no_inertia_is_named(tmp_path: Path, capsys) -> None:
    twice = ARM.replace("<geom", '<joint name="again" axis="0 1 0"/><geom')
    (tmp_path / "twice.xml").write_text(mjcf(twice))
    assert main(["new", str(tmp_path / "a.yaml"), "--robot", str(tmp_path / "twice.xml"), "--adapter", "mujoco"]) == 2
    assert (
        "moves no inertia, or the same as other joints: the robot's mass matrix is singular" in capsys.readouterr().err
    )


def test_a_drone_with_one_arm_is_loose_if_it_is_heavier(tmp_path: Path) -> None:
    assert loose_base(_written(tmp_path, legged(legs=("flying_arm",)))) is None
    heavy = legged(legs=("flying_arm",)).replace('value="1"', 'value="3"', 1)
    assert loose_base(_written(tmp_path, heavy)) == "trunk"
    assert loose_base(_written(tmp_path, heavy.replace("flying_", ""))) is None


def _written(folder: Path, text: str) -> Path:
    (folder / "robot.urdf").write_text(text)
    return folder / "robot.urdf"


@pytest.mark.parametrize("model", [legged(base="world"), legged(legs=("arm",))])
def test_an_arm_is_meant_to_be_fixed(tmp_path: Path, model: str) -> None:
    assert starter(tmp_path, model, name="arm.urdf").robot.base is None


@pytest.mark.parametrize("name", ["robot.mjcf", "ROBOT.XML", "robot.txt"])
def test_the_content_decides_the_format(tmp_path: Path, name: str) -> None:
    (tmp_path / "arm.xml").write_text(mjcf(ARM))
    text = "<?xml version='1.0'?><!-- <robot> --><mujoco><include file='arm.xml'/></mujoco>"
    assert starter(tmp_path, text, name=name).robot.initial == {"turn": 0.3}


def test_urdf_in_a_file_of_xml(tmp_path: Path) -> None:
    assert list(starter(tmp_path, legged(), name="walker.xml").robot.initial) == ["hip_left", "hip_right"]


def test_the_refusals_of_both_adapters_are_told(tmp_path: Path, capsys) -> None:
    cloth = '<flexcomp name="cloth" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" dim="2" mass="1"/>'
    (tmp_path / "cloth.xml").write_text(mjcf(ARM + cloth))
    assert main(["new", str(tmp_path / "a.yaml"), "--robot", str(tmp_path / "cloth.xml")]) == 2
    said = capsys.readouterr().err
    assert "cannot be simulated" in said
    assert ["with adapter mujoco: " in said, "with adapter native: " in said] == [True, True]
    assert not (tmp_path / "a.yaml").exists()


def test_an_opensim_file_goes_to_our_own_dynamics_and_why_is_said(tmp_path: Path, capsys) -> None:
    rod = osim.body("rod", osim.joint("PinJoint", "hinge", [osim.coordinate("turn")]))
    scene = starter(tmp_path, osim.document(osim.bodies(rod)), name="robot.osim")
    assert scene.adapter == "native"
    assert "with adapter mujoco: " in capsys.readouterr().err
    assert "# with adapter mujoco: " in (tmp_path / "scene.yaml").read_text()


def test_the_gravity_of_an_opensim_file_is_the_scenes(tmp_path: Path) -> None:
    rod = osim.body("rod", osim.joint("PinJoint", "hinge", [osim.coordinate("turn")]))
    moon = "<gravity>0 -1.62 0</gravity>"
    assert starter(tmp_path, osim.document(osim.bodies(rod) + moon), name="robot.osim").gravity == (0.0, 0.0, -1.62)


PUBLISHED = (
    "gymnasium/envs/mujoco/assets/hopper.xml",
    "gymnasium/envs/mujoco/assets/ant.xml",
    "dm_control/suite/fish.xml",
)


CARRIED = """<body name="hand" mocap="true" pos="0 3 1">
  <body name="bob"><joint/><geom size="0.1" pos="0 0 0.3"/></body></body>"""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_body_that_cannot_be_coupled_is_left_out(tmp_path: Path, adapter: str, capsys) -> None:
    scene = starter(tmp_path, mjcf(ARM + CARRIED), "--adapter", adapter)
    reason = "has joints on the mocap body 'hand': moving bases are not supported; name it under 'ignore'"
    assert scene.robot.ignore == ("bob",)
    assert f"{reason}; left out, by 'ignore'" in capsys.readouterr().err
    runs(tmp_path)


@pytest.mark.parametrize("file", PUBLISHED)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_published_files_run_untouched(tmp_path: Path, file: str, adapter: str) -> None:
    robot = Path(__file__).parents[2] / "models" / file
    if not robot.is_file():
        pytest.skip("needs the robots of tools/fetch_robots.py")
    assert main(["new", str(tmp_path / "scene.yaml"), "--robot", str(robot), "--adapter", adapter]) == 0
    assert check_file(tmp_path / "scene.yaml").errors == ()
    runs(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "<robot", "<mujoco><worldbody/></mujoco", "<mujoco><geom/></mujoco>", "solid mesh", "\0\1\2"]
)
@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".osim", ".bin"])
def test_what_is_no_robot_has_the_exit_status_of_wrong_files(tmp_path: Path, text: str, suffix: str, capsys) -> None:
    file = tmp_path / f"robot{suffix}"
    file.write_text(text)
    assert main(["new", str(tmp_path / "a.yaml"), "--robot", str(file)]) == 2
    assert str(file) in capsys.readouterr().err
    scene = tmp_path / "scene.yaml"
    scene.write_text(f"adapter: native\ndt: 0.01\nsteps: 1\nrobot: {{model: {file.name}}}\n")
    assert main(["check", str(scene)]) == 2


@pytest.mark.parametrize(
    "text",
    [
        f"<mujocoinclude><body>{ARM}</body></mujocoinclude>",
        "<mujoco><actuator><motor joint='turn'/></actuator></mujoco>",
        "<!-- of the arm --><mujoco><sensor><jointpos joint='turn'/></sensor></mujoco>",
    ],
)
def test_a_part_that_other_files_include_is_no_robot(tmp_path: Path, text: str, capsys) -> None:
    (tmp_path / "part.xml").write_text(text)
    assert main(["new", str(tmp_path / "scene.yaml"), "--robot", str(tmp_path / "part.xml")]) == 2
    assert "part that other MJCF files include; give one of those" in capsys.readouterr().err


ODD_NAMES = ("${j}", ".*", "a: b", "#x", "- k", "yes", "1e3", 'it\'s "so"', "two\nlines", "😀", "x" * 1500)


def _chain(names: tuple[str, ...]) -> str:
    """A URDF file of a chain of links in a row, which joints of these names join."""
    said = [escape(name, {'"': "&quot;", "\n": "&#10;"}) for name in names]
    inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    box = "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>"
    links = [f'<link name="link {name}">{inertial}{box}</link>' for name in ("", *said)]
    joints = [
        f'<joint name="{name}" type="revolute"><parent link="link {parent}"/><child link="link {name}"/>'
        "<origin xyz='0.3 0 0'/><limit lower='-1' upper='1' effort='9' velocity='9'/></joint>"
        for parent, name in zip(("", *said), said, strict=False)
    ]
    return f"<robot name='odd'>{''.join(links + joints)}</robot>"


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_names_of_joints_with_special_characters_are_read_back(tmp_path: Path, adapter: str) -> None:
    scene = starter(tmp_path, _chain(ODD_NAMES), "--adapter", adapter, name="odd.urdf")
    assert tuple(scene.robot.initial) == ODD_NAMES
    assert tuple(name for actuator in scene.robot.actuators for name in actuator.joints) == ODD_NAMES
    start, _ = started(tmp_path)
    assert start.joints == start.actuated == ODD_NAMES
    assert runs(tmp_path, steps=1).shape == (2, len(ODD_NAMES))


@pytest.mark.parametrize(("model", "title"), [('<mujoco model="Walker">', "Walker"), ("<mujoco>", "robot")])
def test_the_title_is_the_robots_own_name(tmp_path: Path, model: str, title: str) -> None:
    assert starter(tmp_path, mjcf(ARM).replace("<mujoco>", model)).title == title


def test_the_title_is_the_robots_own_name_in_urdf(tmp_path: Path) -> None:
    assert starter(tmp_path, _chain(("elbow",)), name="model.urdf").title == "odd"


@pytest.mark.slow
def test_coordinates_of_a_planar_joint_have_the_same_names_and_axes_with_both_adapters(tmp_path: Path) -> None:
    model = _chain(("slide", "turn")).replace('name="slide" type="revolute"', 'name="slide" type="planar"')
    names, thetas = [], []
    for adapter in ADAPTERS:
        starter(tmp_path, model, "--adapter", adapter, name="planar.urdf")
        names.append(started(tmp_path)[0].joints)
        file, out = tmp_path / "scene.yaml", tmp_path / "out"
        settings = {"robot.initial_velocity": {name: 0.1 + 0.1 * k for k, name in enumerate(names[-1])}}
        settings |= {"robot.actuators": [], "gravity": [0, 0, 0], "controller": None}
        run = ipc_articulation.run(file, "cpu", 3, out, quiet=True, settings=settings, pictures=False, force=True)
        thetas.append(run.recording.theta[-1])
    assert names[0] == names[1] == ("slide[0]", "slide[1]", "slide[2]", "turn")
    np.testing.assert_allclose(*thetas, atol=1e-4)


@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_a_link_called_ground_has_a_wall_for_its_floor(tmp_path: Path, adapter: str) -> None:
    text = mjcf(ARM.replace('<body name="arm" pos="0 0 1">', '<body name="ground" pos="0 0 1">'))
    scene = starter(tmp_path, text, "--adapter", adapter)
    assert scene.ground is None
    assert [(wall.name, wall.normal) for wall in scene.walls] == [("floor", (0.0, 0.0, 1.0))]
    assert np.isfinite(runs(tmp_path)).all()


def test_a_bar_says_which_stage_is_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("ipc_articulation.progress._INTERVAL", 0.0)
    monkeypatch.setenv("COLUMNS", "200")
    model = '<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody></mujoco>'
    starter(tmp_path, model, "--adapter", "mujoco")
    bar = capsys.readouterr().err
    stages = ("choosing gains", "placing the robot", "looking for overlaps", "checking the scene", "5/5")
    places = [bar.index(stage) for stage in stages]
    assert places == sorted(places)
