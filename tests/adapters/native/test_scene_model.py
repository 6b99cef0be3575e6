"""A model of our own dynamics from a robot's file and what a scene file says of it."""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipc_articulation.adapters.native.scene_model import SceneModel

from ipc_articulation import spatial
from ipc_articulation.coupling.robots import Actuator, RobotSetup
from ipc_articulation.dynamics.integrators import Scheme
from ipc_articulation.errors import AdapterError, ModelError, SceneFileError
from ipc_articulation.repairs import RepairWarning
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.robot_simulation import make_model
from tests.adapters.native.mechanisms import at

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPE = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
URDF = f"""
<robot name="arm">
  <link name="base">{SHAPE}</link>
  <link name="pillar">{SHAPE}</link>
  <link name="cap">{SHAPE}</link>
  <link name="upper">{INERTIAL}{SHAPE}</link>
  <link name="lower">{INERTIAL}{SHAPE}</link>
  <joint name="aside" type="fixed"><parent link="base"/><child link="pillar"/><origin xyz="0 2 0"/></joint>
  <joint name="above" type="fixed"><parent link="pillar"/><child link="cap"/><origin xyz="0 0 1"/></joint>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit effort="50" velocity="1" lower="-2" upper="2"/><dynamics damping="3"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="lower"/><origin xyz="0.6 0 0"/><axis xyz="1 0 0"/>
    <limit effort="20" velocity="1"/>
  </joint>
</robot>"""


@pytest.fixture
def model(tmp_path: Path) -> SceneModel:
    (tmp_path / "arm.urdf").write_text(URDF)
    return SceneModel(tmp_path / "arm.urdf", [])


def setup(integrator: str = "implicitfast", **keys: Any) -> RobotSetup:
    return RobotSetup(0.01, np.array([0.0, 0.0, -5.0]), integrator, **keys)


def poses(model: SceneModel, **keys: Any) -> dict[str, np.ndarray]:
    mechanism = model.build(setup(**keys)).adapter.describe()
    return {body.name: body.pose for body in (*mechanism.links, *mechanism.static)}


def test_the_file_of_the_scene_sets_step_gravity_and_scheme(model: SceneModel) -> None:
    adapter = model.build(setup()).adapter
    assert (adapter.dt, adapter.gravity[2], adapter.scheme) == (0.01, -5.0, Scheme.VELOCITY)


def test_armature_and_damping_are_set_by_joint_or_stay(model: SceneModel) -> None:
    coordinates = model.build(setup(armature={"slide": 0.2}, damping={"slide": 4.0})).adapter.model.coordinates
    np.testing.assert_array_equal(coordinates.rotor_inertia, [0.0, 0.2])
    np.testing.assert_array_equal(coordinates.damping, [3.0, 4.0])


def test_position_actuators_pull_to_their_target(model: SceneModel) -> None:
    actuators = (Actuator("slide", 70.0, 7.0), Actuator("shoulder", 0.0, 4.0))
    driven = model.build(setup(actuators=actuators, start={"slide": 0.25}))
    assert driven.actuated == ["shoulder", "slide"]
    assert driven.speeds == {"shoulder"}
    np.testing.assert_array_equal(driven.start, [0.0, 0.25])
    adapter = driven.adapter
    np.testing.assert_allclose(adapter.drive.pd.forces(adapter.model, adapter.q, [1.0, 0.0]), [-4.0, 0.0])
    driven.command(np.array([0.0, 0.35]))
    np.testing.assert_allclose(adapter.drive.pd.forces(adapter.model, adapter.q, [1.0, 1.0]), [-4.0, 0.0], atol=1e-12)
    driven.command(np.array([3.0, 0.25]))
    np.testing.assert_allclose(adapter.drive.pd.forces(adapter.model, adapter.q, [1.0, 0.0]), [8.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("start", [2.0 + 0.05, -2.0 - 0.05])
def test_a_start_beyond_a_limit_is_warned_of_and_returns_slowly(start: float, model: SceneModel) -> None:
    said = rf"joint 'shoulder' starts at {start:g}, beyond its limits -2 to 2: the first steps bring it back by 0.1 per"
    with pytest.warns(UserWarning, match=said):
        adapter = model.build(setup(start={"shoulder": start})).adapter
    moved = adapter.predict().delta_theta_tilde[0]
    assert moved == pytest.approx(-np.sign(start) * 0.1 * adapter.dt, rel=1e-9)


def test_a_start_at_a_limit_is_not_warned_of(model: SceneModel) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.build(setup(start={"shoulder": 2.0}))


def test_force_is_bounded_by_actuator_and_file(model: SceneModel) -> None:
    actuators = (Actuator("shoulder", 70.0, 7.0, 5.0), Actuator("slide", 70.0, 7.0, 90.0))
    np.testing.assert_array_equal(model.build(setup(actuators=actuators)).adapter.model.coordinates.effort, [5.0, 20.0])


def test_joints_start_where_they_are_told(model: SceneModel) -> None:
    np.testing.assert_allclose(poses(model, start={"slide": 0.25})["lower"][:3, 3], [0.85, 0.0, 1.0])


def test_the_robot_moves_as_a_whole(model: SceneModel) -> None:
    half = np.sqrt(0.5)
    turned = spatial.rotation_from_quaternion((half, 0.0, 0.0, half))  # a quarter turn about z
    placed = poses(model, pose=spatial.pose(turned, (1.0, 0.0, 2.0)))
    np.testing.assert_allclose(placed["lower"][:3, 3], [1.0, 0.6, 3.0], atol=1e-12)
    np.testing.assert_allclose(placed["pillar"][:3, 3], [-1.0, 0.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(placed["cap"][:3, 3], [-1.0, 0.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(placed["base"][:3, 0], [0.0, 1.0, 0.0], atol=1e-12)


def test_only_what_carries_a_link_is_out_of_its_reach(model: SceneModel) -> None:
    untouchable = {tuple(sorted(pair)) for pair in model.build(setup()).adapter.describe().untouchable}
    assert {pair for pair in untouchable if {"upper", "lower"} & set(pair)} == {
        ("lower", "upper"),
        ("base", "upper"),
        ("base", "lower"),
    }
    assert ("base", "pillar") in untouchable


def test_friction_goes_to_every_surface_of_the_robot(model: SceneModel) -> None:
    mechanism = model.build(setup(friction=0.3)).adapter.describe()
    assert [body.friction for body in (*mechanism.links, *mechanism.static)] == [0.3] * 5


def test_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.urdf"):
        SceneModel(tmp_path / "none.urdf", [])
    with pytest.raises(AdapterError, match=r"model file '.*none\.xml' does not exist"):
        SceneModel(tmp_path / "none.xml", [])


MJCF = """
<mujoco>
  <compiler angle="radian"/>
  <option integrator="RK4"/>
  <worldbody>
    <geom name="ground" type="plane" size="0 0 1" pos="0 0 -1" friction="0.7"/>
    <geom name="wall" type="box" size="0.05 1 1" pos="3 0 0" friction="0.3"/>
    <body name="foot"><geom size="0.1"/></body>
    <body name="arm" pos="0 0 1">
      <joint name="turn" axis="0 1 0" ref="0.2"/><joint name="slide" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.1 0.1" friction="0.9"/>
    </body>
  </worldbody>
  <contact><exclude body1="arm" body2="foot"/></contact>
  {actuator}
</mujoco>"""


def mjcf(tmp_path: Path, actuator: str = "") -> SceneModel:
    (tmp_path / "arm.xml").write_text(MJCF.format(actuator=actuator))
    return SceneModel(tmp_path / "arm.xml", [])


def test_mjcf_files_come_with_what_stands_in_their_world(tmp_path: Path) -> None:
    adapter = mjcf(tmp_path).build(setup("implicit", pose=at(0, 0, 2))).adapter
    mechanism = adapter.describe()
    assert [link.name for link in mechanism.links] == ["arm/turn", "arm"]
    assert mechanism.links[1].friction == 0.9
    assert {body.name: body.friction for body in mechanism.static} == {"world/wall": 0.3, "foot": 1.0}
    (plane,) = mechanism.planes
    assert (plane.name, plane.point[2]) == ("world/ground", 1.0)
    assert frozenset({"arm", "foot"}) in mechanism.untouchable
    assert frozenset({"arm", "world/wall"}) not in mechanism.untouchable
    np.testing.assert_array_equal(adapter.q, [0.2, 0.0])  # MuJoCo's qpos0
    np.testing.assert_allclose(mechanism.links[1].pose, at(0, 0, 3), atol=1e-15)


SURROUNDED = """<mujoco><asset><hfield name="hills" nrow="3" ncol="3" size="1 1 1 0.5"/></asset><worldbody>
  <geom name="floor" type="plane" size="1 1 1" friction="0.2" priority="1"/>
  <geom name="land" type="hfield" hfield="hills" pos="9 0 0"/>
  <body name="plate" mocap="true" pos="0 3 1"><geom size="0.1"/></body>
  <body name="arm" pos="0 0 1"><joint name="turn"/><geom name="rod" size="0.1" contype="0" conaffinity="0"/></body>
  <body name="leg" pos="0 2 1"><joint name="kick"/><geom size="0.1"/></body>
</worldbody><contact><pair geom1="floor" geom2="rod" friction="0.3 0.3 0 0 0"/></contact></mujoco>"""


def test_mjcf_pairs_priorities_height_fields_and_mocap_bodies(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(SURROUNDED)
    with pytest.warns(RepairWarning, match="body 'plate': it is a mocap body; it stands still"):
        adapter = SceneModel(tmp_path / "arm.xml", []).build(setup("implicit", pose=at(0, 0, 2))).adapter
    robot = adapter.describe()
    rules = {rule.first | rule.second: rule.friction for rule in robot.contact_rules}
    assert rules[frozenset({"world/floor", "arm"})] == 0.3
    assert rules[frozenset({"world/floor", "leg"})] == 0.2
    assert frozenset({"arm", "leg"}) in robot.untouchable
    (land,) = robot.static
    assert land.mesh is not None
    assert land.mesh.vertices[:, 2].min() == -0.5
    (plate,) = robot.free
    assert plate.driven
    np.testing.assert_allclose(adapter.predict().aims, [at(0, 3, 3)])


def test_mjcf_needs_mujoco(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    message = r"'arm\.xml' is read by MuJoCo: 'mujoco' is not installed; install it, or give a \.urdf file"
    with pytest.raises(AdapterError, match=message):
        mjcf(tmp_path)


def test_a_scene_file_tells_where_it_names_a_robot_that_cannot_be_coupled(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(
        MJCF.format(actuator="").replace('body name="arm"', 'body name="arm" gravcomp="1"')
    )
    (tmp_path / "arm.yaml").write_text("adapter: native\ndt: 0.01\nsteps: 1\nrobot: {model: arm.xml}\n")
    with pytest.raises(SceneFileError, match="4:16: body 'arm' has gravcomp, but a mechanism feels all of gravity"):
        make_model(*read_scene(tmp_path / "arm.yaml"))


POINTS = """<robot name="points"><link name="world"/>
  <joint name="a" type="continuous"><parent link="world"/><child link="one"/><axis xyz="0 0 1"/></joint>
  <link name="one"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia {none}/></inertial></link>
  <joint name="b" type="continuous"><parent link="one"/><child link="two"/><axis xyz="1 0 0"/></joint>
  <link name="two"><inertial><mass value="2"/><origin xyz="0.2 0 0"/><inertia {none}/></inertial></link>
</robot>""".format(none='ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"')


def test_a_joint_that_moves_no_inertia_is_given_a_rotor(tmp_path):
    """Joint b turns a point on its axis; joint a moves 0.09 kg·m²."""
    (tmp_path / "points.urdf").write_text(POINTS)
    with pytest.warns(UserWarning, match=r"joint 'b': at the start it moves no inertia .* rotor inertia \(9e-06\)"):
        adapter = SceneModel(tmp_path / "points.urdf", []).build(setup()).adapter
    np.testing.assert_allclose(adapter.predict().mass, np.diag([0.09, 9e-6]), atol=1e-12)
    adapter = SceneModel(tmp_path / "points.urdf", []).build(setup(armature={"b": 0.5})).adapter
    np.testing.assert_allclose(adapter.predict().mass, np.diag([0.09, 0.5]), atol=1e-12)
