"""What a wrong URDF file is answered with; with strict repairs where it could be repaired."""

from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest

from ipc_articulation.dynamics.joints import FixedJoint
from ipc_articulation.dynamics.model import PlacedJoint
from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.dynamics.reading.tree import root_of
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import strict

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
ENDS = '<parent link="base"/><child link="arm"/>'


def robot(arm="", elbow="", kind="revolute", ends=ENDS, more=""):
    """Two links and a joint; line 3 is the arm's, line 4 the elbow's, line 5 for more. The arm has a mass."""
    arm = arm if "<inert" in arm else f'<inertial><mass value="1"/>{INERTIA}</inertial>{arm}'
    return f"""<robot name="r">
<link name="base"/>
<link name="arm">{arm}</link>
<joint name="elbow" type="{kind}">{ends}{elbow}</joint>
{more}
</robot>"""


def shape(geometry):
    return robot(f"<collision><geometry>{geometry}</geometry></collision>")


def joint(name, parent, child, inside=""):
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def message(path_or_text, **options):
    with strict(), pytest.raises(ModelError) as raised:
        read_urdf(path_or_text, **options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<inertial/>", "<inertial> lacks <mass>"),
        (f"<inertial>{INERTIA}</inertial>", "<inertial> lacks <mass>"),
        ('<inertial><mass value="1"/></inertial>', "<inertial> lacks <inertia>"),
        (f"<inertial><mass/>{INERTIA}</inertial>", '<mass> lacks value="…"'),
        (f'<inertial><mass value="nan"/>{INERTIA}</inertial>', '<mass> has value="nan"; give a finite number'),
        (f'<inertial><mass value="inf"/>{INERTIA}</inertial>', '<mass> has value="inf"; give a finite number'),
        ('<inertial><mass value="1"/><inertia ixx="1"/></inertial>', '<inertia> lacks ixy="…"'),
        (
            f'<inertial><mass value="1"/>{INERTIA}<origin xyz="1 2"/></inertial>',
            '<origin> has xyz="1 2"; give 3 finite numbers',
        ),
        (
            f'<inertial><mass value="1" unit="kg"/>{INERTIA}</inertial>',
            "<mass> has the unknown attribute 'unit'; valid: value",
        ),
        (
            f'<inertial><mas value="1"/>{INERTIA}</inertial>',
            "<inertial> has the unknown element <mas>; did you mean 'mass'? valid: inertia, mass, origin",
        ),
        (
            f'<inertial>{INERTIA}<mass value="1"/>{INERTIA}</inertial>',
            "<inertial> has more than one <inertia>; give one",
        ),
        (
            "<inertail/>",
            "<link> has the unknown element <inertail>; did you mean 'inertial'? valid: collision, inertial, visual",
        ),
        ("<visual/>", "<visual> lacks <geometry>"),
        (
            "<visual><geometri/></visual>",
            "<visual> has the unknown element <geometri>; did you mean 'geometry'? valid: geometry, material, origin",
        ),
        (
            '<visual><origin rpy="0 0 0" quat_xyzw="0 0 0 1"/><geometry><sphere radius="1"/></geometry></visual>',
            "<origin> has both rpy and quat_xyzw; give one of them",
        ),
        (
            '<visual><origin quat_xyzw="0 0 0 0"/><geometry><sphere radius="1"/></geometry></visual>',
            "quat_xyzw: the quaternion is zero; give (w, x, y, z) of length one",
        ),
    ],
)
def test_link(inside, expected):
    assert message(robot(inside)) == f"<text>:3: link 'arm': {expected}"


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        ("", "<geometry> has 0 shapes; give one of box, sphere, cylinder, capsule, mesh"),
        (
            '<sphere radius="1"/><box size="1 1 1"/>',
            "<geometry> has 2 shapes; give one of box, sphere, cylinder, capsule, mesh",
        ),
        ("<cone/>", "<geometry> has the unknown element <cone>; valid: box, capsule, cylinder, mesh, sphere"),
        ('<cylinder radius="1" height="1"/>', "<cylinder> has the unknown attribute 'height'; valid: length, radius"),
        ('<box size="1 1"/>', '<box> has size="1 1"; give 3 finite numbers'),
        ('<sphere radius="big"/>', '<sphere> has radius="big"; give a finite number'),
        ('<sphere radius="1_0"/>', '<sphere> has radius="1_0"; give a finite number'),
        ('<sphere radius="١"/>', '<sphere> has radius="١"; give a finite number'),
        ('<box size="1 -1 1"/>', '<box> has size="1 -1 1"; lengths cannot be negative'),
        ('<sphere radius="-1"/>', '<sphere> has radius="-1"; lengths cannot be negative'),
        ('<cylinder radius="1" length="-1"/>', '<cylinder> has length="-1"; lengths cannot be negative'),
        ('<capsule radius="1" height="-1"/>', '<capsule> has height="-1"; lengths cannot be negative'),
        (
            '<capsule radius="1"/>',
            '<capsule> needs the distance between its spheres\' centres, as height="…" or as length="…"',
        ),
        (
            '<capsule radius="1" height="1" length="1"/>',
            '<capsule> needs the distance between its spheres\' centres, as height="…" or as length="…"',
        ),
        ("<mesh/>", '<mesh> lacks filename="…"'),
        ('<mesh filename="a.stl" scale="2"/>', '<mesh> has scale="2"; give 3 finite numbers'),
    ],
)
def test_geometry(geometry, expected):
    assert message(shape(geometry)) == f"<text>:3: link 'arm': {expected}"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (
            '<origin xzy="0 0 0"/>',
            "<origin> has the unknown attribute 'xzy'; did you mean 'xyz'? valid: quat_xyzw, rpy, xyz",
        ),
        ('<axis xyz="0 0 0"/>', "a joint axis must be three finite numbers, not all zero; it is [0.0, 0.0, 0.0]"),
        ('<axis xyz="0 0 one"/>', '<axis> has xyz="0 0 one"; give 3 finite numbers'),
        ('<limit lower="a"/>', '<limit> has lower="a"; give a number'),
        ('<limit effort="nan"/>', '<limit> has effort="nan"; give a number'),
        (
            '<limit low="0"/>',
            "<limit> has the unknown attribute 'low'; did you mean 'lower'? valid: acceleration, command_effort, "
            "current, deceleration, effort, gear_velocity, jerk, lower, upper, velocity",
        ),
        (
            '<dynamics rotor="0"/>',
            "<dynamics> has the unknown attribute 'rotor'; valid: D, K, damping, friction, mu_coulomb, mu_viscous, "
            "rotor_inertia, spring_mount, stiffness",
        ),
        ('<dynamics spring_mount="1 0 0 0"/>', '<dynamics> has spring_mount="1 0 0 0"; give a finite number'),
        (
            '<dinamics damping="1"/>',
            "<joint> has the unknown element <dinamics>; did you mean 'dynamics'? valid: axis, calibration, child, "
            "dynamics, limit, mimic, origin, parent, safety_controller",
        ),
        ('<mimic multiplier="2"/>', '<mimic> lacks joint="…"'),
        ('<mimic factor="2"/>', "<mimic> has the unknown attribute 'factor'; valid: joint, multiplier, offset"),
        ('<axis rpy="0 0 0"/>', "<axis> has the unknown attribute 'rpy'; valid: xyz"),
        ('<mimic joint="elbo"/>', "mimics the unknown joint 'elbo'; did you mean 'elbow'? joints: elbow"),
    ],
)
def test_joint(inside, expected):
    assert message(robot(elbow=inside)) == f"<text>:4: joint 'elbow': {expected}"


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        ("0 0 0 0", "spring_mount: the quaternion is zero; give (w, x, y, z) of length one"),
        ("0.3", '<dynamics> has spring_mount="0.3"; give 4 finite numbers'),
    ],
)
def test_spring_mount_of_a_spherical_joint(mount, expected):
    text = robot(elbow=f'<dynamics spring_mount="{mount}"/>', kind="spherical")
    assert message(text) == f"<text>:4: joint 'elbow': {expected}"


def test_unknown_joint_type():
    assert message(robot(kind="revolut")) == (
        "<text>:4: joint 'elbow': unknown type 'revolut'; did you mean 'revolute'? valid: continuous, fixed, floating, "
        "planar, prismatic, revolute, spherical"
    )


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ('<child link="arm"/>', "<joint> lacks <parent>"),
        ('<parent link="base"/>', "<joint> lacks <child>"),
        ('<parent/><child link="arm"/>', '<parent> lacks link="…"'),
        ('<parent name="base"/><child link="arm"/>', "<parent> has the unknown attribute 'name'; valid: link"),
        ('<parent link="bas"/><child link="arm"/>', "unknown parent link 'bas'; did you mean 'base'? links: arm, base"),
        ('<parent link="base"/><child link="leg"/>', "unknown child link 'leg'; links: arm, base"),
        ('<parent link="arm"/><child link="arm"/>', "links 'arm' form a loop; a tree is needed: remove a joint"),
    ],
)
def test_ends_of_a_joint(ends, expected):
    assert message(robot(ends=ends)) == f"<text>:4: joint 'elbow': {expected}"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('<link name="arm"/>', "<text>:5: link 'arm': line 3 has the same name; give each link its own"),
        (joint("elbow", "base", "arm"), "<text>:5: joint 'elbow': line 4 has the same name; give each joint its own"),
        ("<link/>", '<text>:5: <link> lacks name="…"'),
        ('<joint type="fixed"/>', '<text>:5: <joint> lacks name="…"'),
        ('<joint name="wrist"/>', "<text>:5: joint 'wrist': <joint> lacks type=\"…\""),
        (
            '<lnk name="hand"/>',
            "<text>:5: <robot> has the unknown element <lnk>; did you mean 'link'? valid: joint, link",
        ),
        (
            '<lnik name="hand"/>',
            "<text>:5: <robot> has the unknown element <lnik>; did you mean 'link'? valid: joint, link",
        ),
        (
            '<link name="hand"/><link name="foot"/>',
            "<text>:1: links 'base', 'hand', 'foot' are no joint's child; join all but one of them to the rest",
        ),
        (
            joint("wrist", "base", "arm"),
            "<text>:5: joint 'wrist': link 'arm' is the child of joint 'elbow' too; a tree is needed: "
            "leave one of them out",
        ),
        (
            '<link name="a"/><link name="b"/><link name="c"/>'
            + joint("1", "b", "c")
            + joint("2", "a", "b")
            + joint("3", "b", "a"),
            "<text>:5: joint '2': links 'b', 'a' form a loop; a tree is needed: remove a joint",
        ),
        (
            '<link name="world"/>' + joint("wrist", "arm", "world"),
            "<text>:5: link 'world': only the root link can be the world, and that is 'base'; give another name",
        ),
        (
            '<xacro:macro xmlns:xacro="http://www.ros.org/wiki/xacro"/>',
            "<text>:5: this is a xacro file; give what the tool xacro makes of it",
        ),
    ],
)
def test_robot(more, expected):
    assert message(robot(more=more)) == expected


def test_world_does_not_float():
    text = '<robot name="r">\n<link name="world"/></robot>'
    assert message(text, floating_base=True) == (
        "<text>:2: link 'world': the root link is the world, which does not float; give it another name"
    )


def test_not_a_robot():
    assert message("<sdf/>") == "<text>:1: the outermost element is <sdf>; that of a URDF file is <robot>"
    assert message("<robot/>") == "<text>:1: <robot> has no <link>; give at least one"


def test_file_that_is_missing(tmp_path):
    file = tmp_path / "robot.urdf"
    assert message(file) == f"{file}: No such file or directory; give a URDF file, or its text"


def test_file_that_is_no_xml(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text('<robot name="r">\n<link name="base">\n</robot>')
    assert message(file) == (
        f"{file}:3: not well-formed XML: Opening and ending tag mismatch: link line 2 and robot, line 3, column 9"
    )


def test_errors_name_the_file(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(robot(kind="hinge"))
    assert message(file).startswith(f"{file}:4: joint 'elbow': unknown type 'hinge'")


@pytest.mark.parametrize(
    ("name", "looked_for"),
    [
        ("arm.stl", "{folder}/arm.stl"),
        ("file:///nowhere/arm.stl", "/nowhere/arm.stl"),
        (
            "package://arms/arm.stl",
            "/given/arms/arm.stl, /ros/arms/arm.stl, ",
        ),
    ],
)
def test_mesh_that_is_missing(name, looked_for, tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", "/ros")
    file = tmp_path / "robot.urdf"
    file.write_text(shape(f'<mesh filename="{name}"/>'))
    got = message(file, package_dirs=["/given"])
    looked_for = looked_for.format(folder=tmp_path, parent=tmp_path.parent)
    assert got.startswith(f"{file}:3: link 'arm': mesh file '{name}' not found; looked for {looked_for}")
    assert got.endswith("; package_dirs can say where packages are") == name.startswith("package")


@pytest.mark.parametrize("wrong", [5, None, b"<robot/>", ["robot.urdf"]])
def test_neither_a_file_nor_a_text(wrong):
    assert message(wrong) == f"give a URDF file, or its text; it is {wrong!r}"


def test_a_path_that_no_file_has():
    assert message("a\0b.urdf") == "a\0b.urdf: embedded null byte; give a URDF file, or its text"


@pytest.mark.parametrize(
    ("name", "looked_for"), [("m" * 5000, Path.cwd() / ("m" * 5000)), ("file://[::1/arm.stl", "/arm.stl")]
)
def test_a_mesh_file_that_no_system_has(name, looked_for):
    expected = f"mesh file '{name}' not found; looked for {looked_for}"
    assert message(shape(f'<mesh filename="{name}"/>')).endswith(expected)


@pytest.mark.slow
def test_the_root_of_a_long_chain_is_found_at_once():
    names = [f"l{i}" for i in range(20_000)]
    joints = {child: (None, PlacedJoint(child, FixedJoint(), parent, child)) for child, parent in pairwise(names)}
    start = process_time()
    assert root_of(None, dict.fromkeys(names), joints) == names[-1]
    assert process_time() - start < 5.0  # 0.1 s; from each link down to the root 10 s


COUNT = 1000


def test_long_lists_of_links_are_cut():
    links = "".join(f'<link name="l{i}"/>' for i in range(COUNT))
    joints = "".join(joint(f"j{i}", f"l{(i + 1) % COUNT}", f"l{i}") for i in range(COUNT))
    assert message(f'<robot name="r">{links}{joints}</robot>').endswith(
        f"'l8', 'l9' and {COUNT - 10} more form a loop; a tree is needed: remove a joint"
    )
    assert message(f'<robot name="r">{links}</robot>').endswith(
        f"'l8', 'l9' and {COUNT - 10} more are no joint's child; join all but one of them to the rest"
    )


def test_a_second_floating_base_in_series_is_refused():
    text = (
        '<robot name="r"><link name="base"/>\n<link name="body"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
        'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>\n<joint name="free" type="floating"><parent link="base"/>'
        '<child link="body"/></joint></robot>'
    )
    assert message(text, floating_base=True) == (
        "<text>:3: joint 'free': it floats on link 'base', which has no mass: leave floating_base out"
    )
    assert read_urdf(text).build().nv == 6
