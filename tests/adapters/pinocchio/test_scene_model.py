"""Robots of scene files in Pinocchio: they are built, driven and moved as with our own dynamics."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.native import scene_model as native
from ipc_articulation.adapters.pinocchio import scene_model as pinocchio

import ipc_articulation
from ipc_articulation import spatial
from ipc_articulation.coupling.robots import Actuator
from ipc_articulation.errors import ModelError, UnsupportedError
from ipc_articulation.packages import find_file, package_folders
from tests.adapters.shared.urdf_arm import JOINTS, LIMIT, LINKS, NONE, joint, run, setup


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{LINKS}{JOINTS}</robot>')
    return tmp_path / "arm.urdf"


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_a_driven_robot_moves_as_with_our_own_dynamics(integrator, file) -> None:
    settings = setup(
        integrator,
        pose=spatial.pose(spatial.rotation_about(np.array([0.0, 0.6, 0.8]), 0.4), (0.1, 0.2, 0.3)),
        armature={"slide": 0.2},
        damping={"spin": 0.1},
        actuators=(Actuator("slide", 70.0, 7.0), Actuator("shoulder", 200.0, 9.0, 4.0), Actuator("spin", 0.0, 0.5)),
        start={"shoulder": 0.3, "spin": 0.5},
        start_velocity={"shoulder": 0.2},
    )
    ours, theirs = (module.SceneModel(file, []).build(settings) for module in (pinocchio, native))
    assert ours.actuated == ["slide", "shoulder", "spin"]
    assert ours.speeds == theirs.speeds == {"spin"}
    assert set(theirs.actuated) == {"shoulder", "slide", "spin"}
    start = {link.name: link.pose for link in ours.adapter.describe().links}
    here, there = run(ours), run(theirs)
    for name, pose in there.items():
        np.testing.assert_allclose(here[name], pose, rtol=0, atol=1e-9)
        assert np.abs(pose - start[name]).max() > 0.02


def test_dry_friction_is_set_by_joint(file) -> None:
    adapter = pinocchio.SceneModel(file, []).build(setup(frictionloss={"slide": 4.0})).adapter
    names = [joint.name for joint in adapter.describe().joints]
    np.testing.assert_array_equal(adapter.predict().restraints.friction, [4.0 * (name == "slide") for name in names])


def test_the_names_are_those_of_our_own_dynamics(file) -> None:
    ours, theirs = (module.SceneModel(file, []) for module in (pinocchio, native))
    assert ours.joint_names == [name for name in theirs.joint_names if name != "follow"]
    robots = [model.build(setup()).adapter.describe() for model in (ours, theirs)]
    for group in ("links", "static"):
        assert len({frozenset(body.name for body in getattr(robot, group)) for robot in robots}) == 1
    assert robots[0].untouchable == robots[1].untouchable


SCENE = """
adapter: pinocchio
dt: 0.005
steps: 20
robot:
  model: arm.urdf
  base: fixed
  untouchable: [[finger, wheel]]
  actuators: [{joints: shoulder, kp: 50, kv: 5}]
ground: {height: -0.5}
"""


def test_a_scene_file_runs(file) -> None:
    (file.parent / "scene.yaml").write_text(SCENE)
    result = ipc_articulation.run(file.parent / "scene.yaml", out=file.parent / "out", quiet=True, pictures=False)
    assert result.recording.rows == 21


def test_a_force_beyond_the_limit_is_the_limit_without_gains(file) -> None:
    driven = pinocchio.SceneModel(file, []).build(setup(actuators=(Actuator("shoulder", 100.0, 2.0, 30.0),)))
    driven.command(np.array([0.04]))
    np.testing.assert_allclose([driven.adapter.tau[0], driven.adapter.kd[0]], [4.0, 2.0])
    driven.command(np.array([0.06]))  # 6 N·m, and the joint of the file has 5
    np.testing.assert_allclose([driven.adapter.tau[0], driven.adapter.kd[0]], [5.0, 0.0])


def test_a_wheel_counts_its_turns_as_with_our_own_dynamics(file) -> None:
    for module in (pinocchio, native):
        settings = setup("Euler", actuators=(Actuator("spin", 1.0, 0.0),), start={"spin": 4.0})
        driven = module.SceneModel(file, []).build(settings)
        row = driven.joints.index("spin")
        assert driven.adapter.theta()[row] == 4.0
        before = driven.adapter.predict().delta_theta_tilde[row]
        driven.command(np.array([-3.0]))
        assert driven.adapter.predict().delta_theta_tilde[row] < before - 1e-4


LEADS = (
    joint("late", "revolute", "base", "finger", LIMIT.format(5) + '<mimic joint="spin" multiplier="0.5" offset="0.1"/>')
    + joint("shoulder", "revolute", "base", "upper", LIMIT.format(5) + '<dynamics damping="0.3"/>')
    + joint("slide", "prismatic", "upper", "lower", LIMIT.format(50))
    + joint("spin", "continuous", "lower", "wheel", "{}")
)


@pytest.mark.parametrize("chain", ["", '<mimic joint="slide" multiplier="-2"/>'])
def test_joints_follow_later_ones_ones_without_end_and_chains_as_with_our_own_dynamics(chain, tmp_path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(f'<robot name="arm">{LINKS}{LEADS.format(chain)}</robot>')
    settings = setup("Euler", start={"shoulder": 0.2, "slide": 0.1})
    poses = []
    for module in (pinocchio, native):
        adapter = module.SceneModel(file, []).build(settings).adapter
        for _ in range(40):
            adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
        robot = adapter.describe()
        poses.append({link.name: link.pose for link in robot.links})
    for name, pose in poses[1].items():
        np.testing.assert_allclose(poses[0][name], pose, rtol=0, atol=1e-9)


def test_a_joint_that_carries_its_leader_is_refused_by_name(tmp_path) -> None:
    file = tmp_path / "arm.urdf"
    shoulder = joint("shoulder", "revolute", "base", "upper", '<mimic joint="slide"/>')
    others = LEADS[LEADS.index('<joint name="slide"') :].format("")
    file.write_text(f'<robot name="arm">{LINKS}{shoulder}{others}{joint("late", "fixed", "base", "finger")}</robot>')
    message = (
        "joint 'shoulder' follows joint 'slide', which Pinocchio can only place after it: .* native and mujoco run"
    )
    with pytest.raises(UnsupportedError, match=message):
        pinocchio.SceneModel(file, []).build(setup())


@pytest.mark.parametrize("base", [None, "fixed", "free"])
def test_a_base_floats_where_the_scene_says_so(base, file) -> None:
    robot = pinocchio.SceneModel(file, [], base=base).build(setup(pose=spatial.pose(p=(0, 0, 2)))).adapter.describe()
    assert (robot.joints[0].kind == "free") == (base == "free")
    bodies = {body.name: body.pose for body in (*robot.links, *robot.static)}
    np.testing.assert_allclose(bodies["base"][:3, 3], [0.0, 0.0, 2.0])


def test_a_base_that_floats_in_the_file_is_fixed_if_the_scene_says_so(tmp_path) -> None:
    links = '<link name="ground"/>' + LINKS
    root = '<joint name="root" type="floating"><parent link="ground"/><child link="base"/></joint>'
    file = tmp_path / "arm.urdf"
    file.write_text(f'<robot name="arm">{links}{root}{JOINTS}</robot>')
    kinds = [
        pinocchio.SceneModel(file, [], base=base).build(setup()).adapter.describe().joints[0].kind
        for base in (None, "fixed")
    ]
    assert kinds == ["free", "revolute"]


def test_what_is_wrong_is_named(tmp_path, file) -> None:
    (tmp_path / "arm.xml").write_text("<mujoco/>")
    with pytest.raises(
        UnsupportedError, match=r"arm\.xml: adapter pinocchio reads URDF files; adapters mujoco and native"
    ):
        pinocchio.SceneModel(tmp_path / "arm.xml", [])
    (tmp_path / "bad.urdf").write_text("<robot><link/></robot>")
    with pytest.raises(ModelError, match=r'bad\.urdf:1: <link> lacks name="…"'):
        pinocchio.SceneModel(tmp_path / "bad.urdf", [])
    with pytest.raises(
        UnsupportedError, match="integrator 'implicit' needs adapter native; with adapter pinocchio use"
    ):
        pinocchio.SceneModel(file, []).build(setup("implicit"))


def test_meshes_have_all_their_materials_and_their_unit(tmp_path) -> None:
    pytest.importorskip("collada")
    left, right = (trimesh.creation.box([1.0] * 3, spatial.pose(p=(x, 0, 0))) for x in (0.0, 3.0))
    faces = trimesh.util.concatenate([left, right]).faces + 1
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in (*left.vertices, *right.vertices))
    cubes = ("usemtl a", *faces[:12], "usemtl b", *faces[12:])
    text = points + "\n".join(row if isinstance(row, str) else "f {} {} {}".format(*row) for row in cubes)
    (tmp_path / "two.obj").write_text(text)
    content = trimesh.exchange.dae.export_collada([left, right])
    (tmp_path / "two.dae").write_bytes(
        content.replace(b"<up_axis>Y_UP", b'<unit name="centimeter" meter="0.01"/><up_axis>Z_UP')
    )
    shapes = "".join(
        f'<collision><geometry><mesh filename="two.{kind}"/></geometry></collision>' for kind in ("obj", "dae")
    )
    inertia = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="arm"><inertial>{inertia}</inertial>{shapes}</link>'
    (tmp_path / "arm.urdf").write_text(
        f'<robot name="arm"><link name="base"/>{link}{joint("turn", "continuous", "base", "arm")}</robot>'
    )
    ours, theirs = (
        module.SceneModel(tmp_path / "arm.urdf", []).build(setup()).adapter.describe().links[0].mesh
        for module in (pinocchio, native)
    )
    assert len(ours.faces) == 48
    np.testing.assert_allclose(np.sort(ours.vertices, axis=0), np.sort(theirs.vertices, axis=0), atol=1e-12)


@pytest.mark.slow
def test_the_panda_with_its_meshes_is_that_of_our_own_dynamics(tmp_path) -> None:
    try:
        file = find_file("package://example-robot-data/robots/panda_description/urdf/panda.urdf", tmp_path)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    ours, theirs = (
        module.SceneModel(file, package_folders()).build(setup()).adapter.describe() for module in (pinocchio, native)
    )
    assert [link.name for link in ours.links] == [link.name for link in theirs.links]
    for a, b in zip(ours.links, theirs.links, strict=True):
        np.testing.assert_allclose(a.pose, b.pose, atol=1e-12)
        np.testing.assert_allclose(a.mesh.vertices.max(axis=0), b.mesh.vertices.max(axis=0), atol=1e-6)
        assert len(a.visual) == len(b.visual)
    assert ours.untouchable == theirs.untouchable
