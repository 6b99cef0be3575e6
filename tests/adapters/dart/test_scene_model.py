"""Robots of scene files in DART: they are built, driven and moved as with our own dynamics."""

import re
from pathlib import Path

import numpy as np
import pytest

import ipc_articulation
from ipc_articulation import spatial
from ipc_articulation.checking import check_file
from ipc_articulation.coupling.robots import Actuator
from ipc_articulation.errors import MissingPackageError, ModelError, SceneFileError, UnsupportedError
from ipc_articulation.packages import find_file, package_folders
from ipc_articulation.starting import robot_starter
from tests.adapters.shared.urdf_arm import JOINTS, LINKS, SHAPE, joint, run, setup

pytest.importorskip("dartpy")

from ipc_articulation.adapters.dart import scene_model as dart
from ipc_articulation.adapters.native import scene_model as native

POSE = spatial.pose(spatial.rotation_about(np.array([0.0, 0.6, 0.8]), 0.4), (0.1, 0.2, 0.3))
FREE_OF_MIMICS = JOINTS.replace(JOINTS[JOINTS.index("<mimic") : JOINTS.index("/>", JOINTS.index("<mimic")) + 2], "")


def written(folder: Path, joints: str = FREE_OF_MIMICS, links: str = LINKS) -> Path:
    (folder / "arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')
    return folder / "arm.urdf"


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("base", [None, "free"])
def test_a_driven_robot_moves_as_with_our_own_dynamics(integrator, base, tmp_path) -> None:
    file = written(tmp_path, FREE_OF_MIMICS)
    settings = setup(
        integrator,
        pose=POSE,
        damping={"spin": 0.1},
        actuators=(Actuator("slide", 70.0, 7.0), Actuator("shoulder", 200.0, 9.0, 4.0), Actuator("spin", 0.0, 0.5)),
        start={"shoulder": 0.3, "spin": 0.5},
        start_velocity={"shoulder": 0.2},
    )
    ours, theirs = (module.SceneModel(file, [], base=base).build(settings) for module in (dart, native))
    assert ours.actuated == ["slide", "shoulder", "spin"]
    assert ours.speeds == theirs.speeds == {"spin"}
    start = {link.name: link.pose for link in theirs.adapter.describe().links}
    for link in ours.adapter.describe().links:
        np.testing.assert_allclose(link.pose, start[link.name], rtol=0, atol=1e-12)
    here, there = run(ours), run(theirs)
    for name, pose in there.items():
        np.testing.assert_allclose(here[name], pose, rtol=0, atol=1e-7)
        assert np.abs(pose - start[name]).max() > 0.02


def test_names_and_what_touches_are_those_of_our_own_dynamics(tmp_path) -> None:
    file = written(tmp_path)
    ours, theirs = (module.SceneModel(file, []) for module in (dart, native))
    assert ours.joint_names == theirs.joint_names
    robots = [model.build(setup()).adapter.describe() for model in (ours, theirs)]
    for group in ("links", "static"):
        assert len({frozenset(body.name for body in getattr(robot, group)) for robot in robots}) == 1
    assert robots[0].untouchable == robots[1].untouchable


def test_a_mimic_joint_is_refused_by_name(tmp_path) -> None:
    message = (
        r"arm\.urdf: joint 'follow' mimics joint 'slide', and DART's motors for that push the follower without a "
        "reaction on the leader; use adapter mujoco, native or pinocchio"
    )
    with pytest.raises(UnsupportedError, match=message):
        dart.SceneModel(written(tmp_path, JOINTS), []).build(setup())


def test_limits_and_dry_friction_are_those_of_the_file_and_the_scene(tmp_path) -> None:
    adapter = dart.SceneModel(written(tmp_path), []).build(setup(frictionloss={"slide": 4.0})).adapter
    names = [joint.name for joint in adapter.describe().joints]
    np.testing.assert_array_equal(adapter.predict().restraints.friction, [4.0 * (name == "slide") for name in names])
    limits = dict(zip(names, adapter.limits().tolist(), strict=True))
    assert limits["slide"] == [-2.0, 2.0]
    assert limits["spin"] == [-np.inf, np.inf]


SCENE = """
adapter: dart
dt: 0.005
steps: 20
robot:
  model: arm.urdf
  base: fixed
  untouchable: [[finger, wheel]]
  actuators: [{joints: shoulder, kp: 50, kv: 5}]
ground: {height: -0.5}
"""


@pytest.mark.slow
def test_a_scene_file_runs_and_resumes(tmp_path) -> None:
    written(tmp_path)
    (tmp_path / "scene.yaml").write_text(SCENE)
    whole, half = (tmp_path / name for name in ("whole", "half"))
    result = ipc_articulation.run(tmp_path / "scene.yaml", out=whole, quiet=True, pictures=False)
    assert result.recording.rows == 21
    ipc_articulation.run(tmp_path / "scene.yaml", out=half, steps=10, quiet=True, pictures=False)
    resumed = ipc_articulation.resume(half / "scene", steps=10, quiet=True, pictures=False)
    np.testing.assert_array_equal(resumed.recording.theta, result.recording.theta)


def test_a_scene_file_is_written_for_it(tmp_path) -> None:
    written(tmp_path, FREE_OF_MIMICS)
    starter = robot_starter(str(tmp_path / "arm.urdf"), tmp_path / "new.yaml", "dart")
    assert "\nadapter: dart  #" in starter.text
    (tmp_path / "new.yaml").write_text(starter.text)
    assert not check_file(tmp_path / "new.yaml").errors


@pytest.mark.parametrize("adapter", ["dart", "pinocchio", "mujoco"])
def test_integrators_of_our_own_dynamics_are_refused_in_their_place(adapter, tmp_path) -> None:
    written(tmp_path)
    text = SCENE.replace("dart", adapter) + "integrator: momentum\n"
    (tmp_path / "scene.yaml").write_text(text)
    message = f"11:13: integrator 'momentum' needs adapter native; with adapter {adapter} use Euler or implicitfast"
    with pytest.raises(SceneFileError, match=message):
        ipc_articulation.run(tmp_path / "scene.yaml", out=tmp_path, quiet=True, pictures=False)


def test_without_dart_the_scene_says_how_to_install_it(tmp_path, monkeypatch) -> None:
    written(tmp_path)
    (tmp_path / "scene.yaml").write_text(SCENE)

    def refuse(name: str) -> None:
        raise MissingPackageError("dartpy is missing; install it with: pip install 'ipc_articulation[dart]'")

    monkeypatch.setattr("ipc_articulation.simulation.robot_model.importlib.import_module", refuse)
    message = r"scene.yaml:2:10: adapter 'dart': dartpy is missing; install it with: pip install"
    with pytest.raises(SceneFileError, match=message):
        ipc_articulation.run(tmp_path / "scene.yaml", out=tmp_path / "out", quiet=True, pictures=False)


def test_a_force_beyond_the_limit_is_the_limit_without_gains(tmp_path) -> None:
    driven = dart.SceneModel(written(tmp_path), []).build(setup(actuators=(Actuator("shoulder", 100.0, 2.0, 30.0),)))
    shoulder = driven.adapter.world.getSkeleton(0).getJoint("shoulder")
    driven.command(np.array([0.04]))
    np.testing.assert_allclose([shoulder.getForce(0), shoulder.getDampingCoefficient(0)], [4.0, 2.3])
    driven.command(np.array([0.06]))  # 6 N·m, and the joint of the file has 5
    np.testing.assert_allclose([shoulder.getForce(0), shoulder.getDampingCoefficient(0)], [5.0, 0.3])


def test_bases_are_placed_and_fixed(tmp_path) -> None:
    links = '<link name="ground"/>' + LINKS
    root = '<joint name="root" type="floating"><parent link="ground"/><child link="base"/></joint>'
    file = written(tmp_path, root + FREE_OF_MIMICS, links)
    kinds = [
        dart.SceneModel(file, [], base=base).build(setup()).adapter.describe().joints[0].kind
        for base in (None, "fixed")
    ]
    assert kinds == ["free", "revolute"]
    placed = dart.SceneModel(file, [], base_pose=POSE).build(setup()).adapter.describe()
    np.testing.assert_allclose(placed.links[0].pose, POSE, atol=1e-12)


@pytest.mark.parametrize("shape", ["", SHAPE])
def test_a_link_called_world_is_the_world(shape, tmp_path) -> None:
    links = f'<link name="world">{shape}</link>' + LINKS
    hung = joint("stand", "fixed", "world", "base")
    poses = []
    for module in (dart, native):
        robot = module.SceneModel(written(tmp_path, hung + FREE_OF_MIMICS, links), []).build(setup(pose=POSE))
        found = robot.adapter.describe()
        poses.append({body.name: body.pose for body in (*found.links, *found.static)})
    assert poses[0].keys() == poses[1].keys()
    assert ("world_link" in poses[0]) == bool(shape)
    for name, pose in poses[0].items():
        np.testing.assert_allclose(pose, poses[1][name], atol=1e-12)


def test_ignored_links_and_links_without_mass(tmp_path) -> None:
    links = LINKS + '<link name="bolt"/>'
    file = written(tmp_path, FREE_OF_MIMICS + joint("bolted", "fixed", "finger", "bolt"), links)
    robot = dart.SceneModel(file, [], ignore=["base"]).build(setup()).adapter.describe()
    assert not robot.static
    assert {link.name: round(link.mass, 6) for link in robot.links}["finger"] == 1.0


def test_what_is_wrong_is_named(tmp_path) -> None:
    (tmp_path / "arm.xml").write_text("<mujoco/>")
    with pytest.raises(UnsupportedError, match=r"arm\.xml: adapter dart reads URDF files; adapters mujoco and native"):
        dart.SceneModel(tmp_path / "arm.xml", [])
    (tmp_path / "bad.urdf").write_text("<robot>\n<joint name='a'/></robot>")
    with pytest.raises(ModelError, match=r"bad\.urdf:\d"):
        dart.SceneModel(tmp_path / "bad.urdf", [])
    file = written(tmp_path)
    with pytest.raises(UnsupportedError, match="integrator 'implicit' needs adapter native; with adapter dart use"):
        dart.SceneModel(file, []).build(setup("implicit"))
    with pytest.raises(
        UnsupportedError, match="'spin' has rotor_inertia, which DART does not have; leave it out, also"
    ):
        dart.SceneModel(file, []).build(setup(armature={"spin": 0.1}))
    file = written(tmp_path, FREE_OF_MIMICS.replace('damping="0.3"', 'damping="0.3" stiffness="2"'))
    with pytest.raises(UnsupportedError, match=r"arm\.urdf: joint 'shoulder' has stiffness, which DART does not have"):
        dart.SceneModel(file, []).build(setup())
    (tmp_path / "broken.stl").write_text("nothing")
    mesh = '<{0}><geometry><mesh filename="broken.stl"/></geometry></{0}>'
    links = LINKS.replace("</link>", f"{mesh.format('collision')}</link>", 1)
    with pytest.warns(UserWarning, match=r"broken\.stl' of link 'base'"):
        dart.SceneModel(written(tmp_path, FREE_OF_MIMICS, links), []).build(setup())


def test_the_panda_with_its_meshes_is_that_of_our_own_dynamics(tmp_path) -> None:
    try:
        file = find_file("package://example-robot-data/robots/panda_description/urdf/panda.urdf", tmp_path)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    own = tmp_path / "panda.urdf"  # DART has no exact mimic joints
    own.write_text(re.sub("<mimic[^>]*/>", "", file.read_text()))
    start = setup(start={"panda_joint4": -1.0})
    ours, theirs = (
        module.SceneModel(own, package_folders()).build(start).adapter.describe() for module in (dart, native)
    )
    assert {link.name for link in ours.links} == {link.name for link in theirs.links}
    others = {link.name: link for link in theirs.links}
    for link in ours.links:
        other = others[link.name]
        np.testing.assert_allclose(link.pose, other.pose, atol=1e-12)
        np.testing.assert_allclose(link.mesh.vertices.max(axis=0), other.mesh.vertices.max(axis=0), atol=1e-6)
        assert len(link.visual) == len(other.visual)
    assert ours.untouchable == theirs.untouchable
