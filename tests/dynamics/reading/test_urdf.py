"""What the elements of a URDF file mean."""

import numpy as np
import pytest

from ipc_articulation.dynamics.joints import (
    FixedJoint,
    FloatingJoint,
    PlanarJoint,
    PrismaticJoint,
    RevoluteJoint,
    SphericalJoint,
)
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, MeshFile, Shape, Sphere
from ipc_articulation.dynamics.reading import read_urdf


def links(in_arm="", joint="", name="base", **options):
    """A mechanism of two links."""
    joint = joint or f'<joint name="elbow" type="revolute"><parent link="{name}"/><child link="arm"/></joint>'
    return read_urdf(f'<robot name="r"><link name="{name}"/><link name="arm">{in_arm}</link>{joint}</robot>', **options)


def arm(inside):
    return next(link for link in links(inside).links if link.name == "arm")


def elbow(inside="", kind="revolute"):
    return links(
        joint=f'<joint name="elbow" type="{kind}"><parent link="base"/><child link="arm"/>{inside}</joint>'
    ).joints[1]


def collision(geometry):
    (shape,) = arm(f"<collision><geometry>{geometry}</geometry></collision>").collision
    return shape.geometry


def test_root_link_is_bolted_to_the_world():
    mechanism = links()
    assert [link.name for link in mechanism.links] == ["base", "arm"]
    assert [(joint.name, joint.parent, joint.child) for joint in mechanism.joints] == [
        ("root_joint", "world", "base"),
        ("elbow", "base", "arm"),
    ]
    assert isinstance(mechanism.joints[0].joint, FixedJoint)
    assert mechanism.name == "r"
    assert mechanism.file is None


def test_root_link_floats():
    assert isinstance(links(floating_base=True).joints[0].joint, FloatingJoint)


def test_link_named_world_is_the_world():
    mechanism = links(name="world")
    assert [link.name for link in mechanism.links] == ["arm"]
    assert [(joint.name, joint.parent) for joint in mechanism.joints] == [("elbow", "world")]


def test_shapes_of_the_world_are_kept():
    sphere = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    mass = '<inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    joint = '<joint name="root_joint" type="fixed"><parent link="world"/><child link="world_link"/></joint>'
    mechanism = read_urdf(f'<robot><link name="world_link"/><link name="world">{sphere}{mass}</link>{joint}</robot>')
    ground = mechanism.links[1]
    assert (ground.name, ground.mass) == ("world_link_", 0.0)
    assert ground.collision[0].geometry == Sphere(1.0)
    assert [(joint.name, joint.parent, joint.child) for joint in mechanism.joints] == [
        ("root_joint_", "world", "world_link_"),
        ("root_joint", "world", "world_link"),
    ]


def test_link_without_inertial_has_no_mass():
    joint = '<joint name="elbow" type="fixed"><parent link="base"/><child link="arm"/></joint>'
    link = links(joint=joint).links[1]
    assert link.mass == 0.0
    assert not np.any(link.inertia)


def test_inertia_is_turned_to_the_axes_of_the_link():
    link = arm(
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="7"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial>'
    )
    assert link.mass == 7.0
    np.testing.assert_array_equal(link.centre, [1, 2, 3])
    np.testing.assert_allclose(link.inertia, [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]], atol=1e-15)


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        ('<box size="1 2 3"/>', Box((1.0, 2.0, 3.0))),
        ('<sphere radius="0.5"/>', Sphere(0.5)),
        ('<cylinder radius="0.5" length="2"/>', Cylinder(0.5, 2.0)),
        ('<capsule radius="0.5" height="2"/>', Capsule(0.5, 2.0)),
        ('<capsule radius="0.5" length="2"/>', Capsule(0.5, 2.0)),
    ],
)
def test_geometry(geometry, expected):
    assert collision(geometry) == expected


def test_shapes_have_places_and_names():
    shape = '<{0} name="{0}"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><sphere radius="1"/></geometry></{0}>'
    link = arm(shape.format("visual") + 2 * shape.format("collision"))
    assert [each.name for each in (*link.visual, *link.collision)] == ["visual", "collision", "collision"]
    sin, cos = np.sin([0.1, 0.2, 0.3]), np.cos([0.1, 0.2, 0.3])
    np.testing.assert_allclose(link.visual[0].pose[2, :3], [-sin[1], cos[1] * sin[0], cos[1] * cos[0]])
    np.testing.assert_allclose(link.visual[0].pose[:2, 0], [cos[2] * cos[1], sin[2] * cos[1]])
    np.testing.assert_array_equal(link.visual[0].pose[:3, 3], [1, 2, 3])


def test_quaternion_of_an_origin_ends_with_w():
    origin = elbow('<origin quat_xyzw="0 0 0.70710678 0.70710678"/>').origin
    np.testing.assert_allclose(origin[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "joint"),
    [
        ("revolute", RevoluteJoint((1, 0, 0))),
        ("continuous", RevoluteJoint((1, 0, 0))),
        ("prismatic", PrismaticJoint((1, 0, 0))),
        ("planar", PlanarJoint((1, 0, 0))),
        ("fixed", FixedJoint()),
        ("floating", FloatingJoint()),
        ("spherical", SphericalJoint()),
    ],
)
def test_joint_types_and_their_axis_by_default(kind, joint):
    read = elbow(kind=kind).joint
    assert type(read) is type(joint)
    np.testing.assert_array_equal(read.subspace(read.neutral()), joint.subspace(joint.neutral()))


def test_axis_is_made_unit():
    assert elbow('<axis xyz="0 3 4"/>').joint.elements == RevoluteJoint((0, 0.6, 0.8)).elements


def test_limits():
    limit = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'
    joint = elbow(limit)
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == (-1.0, 2.0, 3.0, 4.0)
    with pytest.warns(
        UserWarning, match=r"^<text>:1: the position limits of continuous joints have no effect, those of"
    ):
        turning = elbow(limit, "continuous")
    assert (turning.lower, turning.upper, turning.effort, turning.velocity) == (-np.inf, np.inf, 3.0, 4.0)


@pytest.mark.parametrize("limit", ["", '<limit lower="0.5" upper="0.5"/>', '<limit effort="inf" velocity="inf"/>'])
def test_no_limits(limit):
    joint = elbow(limit)
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == (-np.inf, np.inf, np.inf, np.inf)


def test_limits_that_no_step_enforces_are_told():
    limit, spring = '<limit lower="-1" upper="2" velocity="4"/>', '<dynamics stiffness="3"/>'
    with pytest.warns(UserWarning, match=r"^<text>:1: joint 'elbow': the position limits of a spherical joint have no"):
        elbow(limit.replace('velocity="4"', ""), "spherical")
    with pytest.warns(UserWarning, match=r"^<text>:1: joint 'elbow': the velocity limit 4 has no effect: no step"):
        elbow(limit + spring)


def test_limit_that_is_not_given_is_zero():
    assert elbow('<limit upper="2"/>').lower == 0.0


def test_dynamics():
    joint = elbow('<dynamics damping="1" friction="2" stiffness="3" rotor_inertia="4" spring_mount="5"/>')
    assert (joint.damping, joint.friction, joint.stiffness, joint.rotor_inertia) == (1.0, 2.0, 3.0, 4.0)
    np.testing.assert_array_equal(joint.spring_mount, [5.0])
    assert elbow().spring_mount is None


def test_spherical_spring_is_mounted_at_a_quaternion():
    joint = elbow('<dynamics stiffness="500" damping="3" spring_mount=".7071 0 .7071 0"/>', "spherical")
    np.testing.assert_allclose(joint.spring_mount, np.sqrt([0.5, 0, 0.5, 0]))
    with pytest.warns(UserWarning, match=r"^<text>:1: joint 'elbow': spring_mount: the quaternion .* normalised$"):
        joint = elbow('<dynamics spring_mount="2 0 0 0"/>', "spherical")
    np.testing.assert_array_equal(joint.spring_mount, [1, 0, 0, 0])


def test_fixed_joint_keeps_its_place_only():
    joint = elbow('<axis xyz="0 0 0"/><limit lower="0" upper="1"/><dynamics damping="1"/>', "fixed")
    assert (joint.damping, joint.upper) == (0.0, np.inf)


def test_mimic():
    leader = '<joint name="wrist" type="revolute"><parent link="base"/><child link="hand"/></joint><link name="hand"/>'
    elbow = '<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>{}</joint>'
    whole = '<mimic joint="wrist" multiplier="-2" offset="0.5"/>'
    mimic = links(joint=elbow.format(whole) + leader).joints[1].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("wrist", -2.0, 0.5)
    mimic = links(joint=elbow.format('<mimic joint="wrist"/>') + leader).joints[1].mimic
    assert (mimic.multiplier, mimic.offset) == (1.0, 0.0)


def test_elements_of_other_tools_have_no_effect():
    others = "<transmission/><gazebo/><material/><sensor/><mujoco/><ros2_control/>"
    inside = '<x:motor xmlns:x="x"/><limit xmlns:x="x" x:jerk="1"/><calibration/><safety_controller k_velocity="1"/>'
    joint = f'<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>{inside}</joint>'
    assert len(links("<contact/><self_collision_checking/>", joint + others).joints) == 2


def test_closed_loops_of_raisim_are_left_out_with_a_warning():
    joint = '<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/></joint>'
    with pytest.warns(UserWarning, match=r"^<text>:1: <constraints> is not read: the mechanism stays a tree$"):
        links(joint=joint + "<constraints/>")


def test_text_may_begin_with_blanks():
    assert read_urdf('\n  <robot name="r"><link name="base"/></robot>').name == "r"


def test_encoding_declared_in_a_text_does_not_matter():
    text = '<?xml version="1.0" encoding="latin-1"?><robot name="Küka"><link name="base"/></robot>'
    assert read_urdf(text).name == "Küka"


@pytest.fixture
def mesh(tmp_path, monkeypatch):
    """`tmp_path/packages/arms/meshes/arm.stl`, and a function that reads a URDF file with a mesh of a name."""
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    path = tmp_path / "packages" / "arms" / "meshes" / "arm.stl"
    path.parent.mkdir(parents=True)
    path.touch()

    def read(filename, folder="packages/arms/urdf", **options):
        file = tmp_path / folder / "arm.urdf"
        file.parent.mkdir(parents=True, exist_ok=True)
        shape = f'<visual><geometry><mesh filename="{filename}" scale="1 -1 2"/></geometry></visual>'
        file.write_text(f'<robot name="r"><link name="base">{shape}</link></robot>')
        mechanism = read_urdf(file, **options)
        assert mechanism.file == file
        return mechanism.links[0].visual[0]

    return path, read


@pytest.mark.parametrize(
    "filename", ["../meshes/arm.stl", "package://arms/meshes/arm.stl", "package:///arms/meshes/arm.stl"]
)
def test_mesh_beside_the_urdf_is_found(mesh, filename):
    path, read = mesh
    geometry = read(filename).geometry
    assert isinstance(geometry, MeshFile)
    assert geometry.path.resolve() == path
    assert geometry.scale == (1.0, -1.0, 2.0)


def test_mesh_with_a_whole_path_is_found(mesh):
    path, read = mesh
    assert read(str(path)).geometry.path == path
    assert read(path.as_uri()).geometry.path == path


@pytest.mark.parametrize("depth", [0, 1], ids=["package", "folder with the package"])
def test_package_is_found_from_elsewhere(mesh, monkeypatch, depth):
    path, read = mesh
    place = path.parents[1 + depth]
    assert read("package://arms/meshes/arm.stl", "urdf", package_dirs=[place]).geometry.path == path
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(place))
    assert read("package://arms/meshes/arm.stl", "urdf").geometry.path == path


def test_package_dirs_come_first(mesh, tmp_path):
    _, read = mesh
    other = tmp_path / "other" / "arms" / "arm.stl"
    other.parent.mkdir(parents=True)
    other.touch()
    (tmp_path / "packages" / "arms" / "arm.stl").touch()
    assert read("package://arms/arm.stl", package_dirs=[tmp_path / "other"]).geometry.path == other


def test_mesh_without_scale_is_as_in_its_file(mesh):
    path, _ = mesh
    assert collision(f'<mesh filename="{path}"/>') == MeshFile(path, (1.0, 1.0, 1.0))


def test_shape_without_origin_is_at_the_link():
    shape = arm('<collision><geometry><sphere radius="1"/></geometry></collision>').collision[0]
    assert isinstance(shape, Shape)
    np.testing.assert_array_equal(shape.pose, np.eye(4))
