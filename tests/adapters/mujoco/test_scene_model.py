"""A MuJoCo model from a robot's file and what a scene file says of it."""

import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.scene_model import SceneModel

from ipc_articulation import spatial
from ipc_articulation.coupling.robots import Actuator, RobotSetup
from ipc_articulation.errors import AdapterError

ARM = """
<mujoco>
  <option timestep="0.5"/>
  <worldbody>
    <geom name="rail" type="box" size="1 0.1 0.1" pos="0 0 -0.5"/>
    <body name="base" pos="1 0 0">
      <geom type="box" size="0.1 0.1 0.1"/>
      <body name="upper">
        <joint name="shoulder" axis="0 1 0" damping="3"/>
        <geom type="box" pos="0.3 0 0" size="0.2 0.03 0.03" friction="0.9"/>
        <body name="lower" pos="0.6 0 0">
          <joint name="slide" type="slide" axis="1 0 0"/>
          <geom type="sphere" size="0.05"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="own" joint="slide" kp="7"/>
    <motor name="motor" joint="shoulder"/>
  </actuator>
</mujoco>
"""


@pytest.fixture
def model(tmp_path: Path) -> SceneModel:
    (tmp_path / "arm.xml").write_text(ARM)
    return SceneModel(tmp_path / "arm.xml", [])


def setup(**keys: Any) -> RobotSetup:
    return RobotSetup(0.01, np.array([0.0, 0.0, -9.81]), "implicitfast", **keys)


def test_the_file_of_the_scene_sets_step_gravity_and_integrator(model: SceneModel) -> None:
    option = model.build(setup()).model.opt
    assert (option.timestep, option.gravity[2]) == (0.01, -9.81)
    assert option.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def test_substeps_divide_the_step_of_the_scene(model: SceneModel) -> None:
    driven = model.build(setup(substeps=4))
    assert driven.model.opt.timestep == 0.0025
    driven.adapter.follow_time_step(0.01)
    assert driven.adapter.step_count == 4


def test_damping_is_linear(model: SceneModel) -> None:
    """MuJoCo 4 has coefficients of |v| and v² as well; they stay zero."""
    compiled = model.build(setup(damping={"shoulder": 1.5, "slide": 1.5})).model
    np.testing.assert_array_equal(compiled.dof_damping, 1.5)
    assert not np.any(getattr(compiled, "dof_dampingpoly", 0.0))


def test_armature_and_damping_are_set_by_joint_or_stay(model: SceneModel) -> None:
    compiled = model.build(setup(armature={"slide": 0.2})).model
    np.testing.assert_array_equal(compiled.dof_armature, [0.0, 0.2])
    np.testing.assert_array_equal(compiled.dof_damping, [3.0, 0.0])


def test_defaults_of_the_file_do_not_change_actuators_of_the_scene(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text("""<mujoco>
      <default><general gear="40" ctrlrange="-1 1" ctrllimited="true" forcerange="-2 2" dynprm="3" group="2"/>
        <position inheritrange="1"/></default>
      <worldbody><body><joint name="turn" range="-1 1"/><geom size="0.1"/></body></worldbody>
    </mujoco>""")
    wanted = (Actuator("turn", 50.0, 5.0),)
    model = SceneModel(tmp_path / "arm.xml", []).build(setup(actuators=wanted)).model
    assert model.actuator_gear[0, 0] == 1.0
    assert not model.actuator_ctrllimited.any()
    assert not model.actuator_forcelimited.any()
    assert (model.actuator_gainprm[0, 0], model.actuator_biasprm[0, :3].tolist()) == (50.0, [0.0, -50.0, -5.0])


def test_position_actuators_pull_to_their_target(model: SceneModel) -> None:
    driven = model.build(setup(actuators=(Actuator("shoulder", 40.0, 4.0, 5.0),)))
    assert driven.actuated == ["slide", "shoulder"]  # the file's own first; a motor takes no target
    driven.command(np.array([0.0, 0.1]))
    driven.data.qvel[0] = 0.5
    mujoco.mj_forward(driven.model, driven.data)
    shoulder = driven.model.nu - 1
    assert driven.data.actuator_force[shoulder] == pytest.approx(40.0 * 0.1 - 4.0 * 0.5)
    driven.command(np.array([0.0, 9.0]))
    mujoco.mj_forward(driven.model, driven.data)
    assert driven.data.actuator_force[shoulder] == pytest.approx(5.0)


def test_joints_start_where_they_are_told(model: SceneModel) -> None:
    driven = model.build(setup(start={"slide": 0.25}))
    np.testing.assert_array_equal(driven.data.qpos, [0.0, 0.25])
    np.testing.assert_array_equal(driven.start, [0.25])
    assert driven.data.body("lower").xpos[0] == pytest.approx(1.0 + 0.6 + 0.25)


def test_the_robot_moves_as_a_whole(model: SceneModel) -> None:
    half = np.sqrt(0.5)
    turned = spatial.rotation_from_quaternion((half, 0.0, 0.0, half))  # a quarter turn about z
    data = model.build(setup(pose=spatial.pose(turned, (0.0, 0.0, 2.0)))).data
    np.testing.assert_allclose(data.body("base").xpos, [0.0, 1.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(data.body("lower").xpos, [0.0, 1.6, 2.0], atol=1e-12)
    np.testing.assert_allclose(data.geom("rail").xpos, [0.0, 0.0, 1.5], atol=1e-12)
    np.testing.assert_allclose(data.geom("rail").xmat.reshape(3, 3)[:, 0], [0.0, 1.0, 0.0], atol=1e-12)


def test_friction_goes_to_every_surface_or_to_those_without_their_own(model: SceneModel, tmp_path: Path) -> None:
    frictions = model.build(setup(default_friction=0.4)).model.geom_friction[:, 0]
    np.testing.assert_array_equal(frictions, [0.4, 0.4, 0.9, 0.4])
    again = SceneModel(tmp_path / "arm.xml", [])
    np.testing.assert_array_equal(again.build(setup(friction=0.3)).model.geom_friction[:, 0], 0.3)


def test_friction_of_an_override_is_replaced_like_that_of_surfaces(tmp_path: Path) -> None:
    option = '<option o_friction="0.7 0.7"><flag override="enable"/></option>'
    (tmp_path / "arm.xml").write_text(ARM.replace("<worldbody>", f"{option}<worldbody>", 1))
    for wanted, keys in ((0.7, {"default_friction": 0.4}), (0.3, {"friction": 0.3})):
        adapter = SceneModel(tmp_path / "arm.xml", []).build(setup(**keys)).adapter
        assert {body.friction for body in adapter.describe().links if body.mesh is not None} == {wanted}


def test_joints_without_a_name_are_numbered(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(
        ARM.replace('name="shoulder" ', "").replace('<motor name="motor" joint="shoulder"/>', "")
    )
    model = SceneModel(tmp_path / "arm.xml", [])
    assert model.joint_names == ["joint0", "slide"]
    assert model.build(setup(armature={"joint0": 0.2})).model.dof_armature[0] == 0.2


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match=r"model file '.*none\.xml' does not exist"):
        SceneModel(tmp_path / "none.xml", [])


def test_what_mujoco_refuses_is_told_in_its_words(model: SceneModel) -> None:
    model.spec.worldbody.add_geom(size=[1.0, 0.0, 0.0], material="none")
    with pytest.raises(AdapterError, match=r"arm\.xml: MuJoCo cannot compile the model: .*material 'none' not found"):
        model.build(setup())


def test_geoms_of_the_world_between_two_points_are_moved(tmp_path: Path) -> None:
    ends = '<geom name="bar" type="capsule" fromto="0 0 0 1 0 0" size="0.1"/>'
    (tmp_path / "arm.xml").write_text(ARM.replace("<worldbody>", f"<worldbody>{ends}"))
    pose = spatial.pose(spatial.rotation_from_quaternion([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]), [5.0, 0.0, 2.0])
    model = SceneModel(tmp_path / "arm.xml", ()).build(setup(pose=pose)).model
    np.testing.assert_allclose(model.geom("bar").pos, [5.0, 0.5, 2.0], atol=1e-12)
    axis = spatial.rotation_from_quaternion(model.geom("bar").quat)[:, 2]
    np.testing.assert_allclose(np.abs(axis), [0.0, 1.0, 0.0], atol=1e-12)


def test_meshes_of_a_urdf_are_found_beside_it(tmp_path: Path) -> None:
    import trimesh

    (tmp_path / "meshes").mkdir()
    trimesh.creation.box((0.2, 0.2, 0.2)).export(tmp_path / "meshes" / "link.stl")
    (tmp_path / "arm.urdf").write_text("""
        <robot name="arm">
          <link name="base"/>
          <link name="link">
            <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
            <collision><geometry><mesh filename="meshes/link.stl"/></geometry></collision>
          </link>
          <joint name="turn" type="continuous"><parent link="base"/><child link="link"/><axis xyz="0 0 1"/></joint>
        </robot>""")
    driven = SceneModel(tmp_path / "arm.urdf", []).build(setup())
    (link,) = driven.adapter.describe().links
    assert link.mesh.vertices.max() == pytest.approx(0.1)


@pytest.mark.parametrize(("start", "warned"), [({}, True), ({"elbow": -1.5}, True), ({"elbow": 0.5}, False)])
def test_a_start_beyond_the_limits_is_warned_of(start: dict[str, float], warned: bool, tmp_path: Path) -> None:
    """Some robots are beyond their limits where all joints are zero, the Panda among them."""
    limited = '<joint name="elbow" range="0.2 1"/>'
    (tmp_path / "arm.xml").write_text(
        f"<mujoco><compiler angle='radian'/><worldbody><body>{limited}<geom size='0.1'/></body></worldbody></mujoco>"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = SceneModel(tmp_path / "arm.xml", []).build(setup(start=start))
    position = start.get("elbow", 0.0)
    assert made.data.qpos[0] == position
    message = f"joint 'elbow' starts at {position:g}, beyond its limits 0.2 to 1: MuJoCo pushes it back in the first "
    assert [message in str(warning.message) for warning in caught] == [True] * warned


MIMIC = """<robot name="pair"><link name="base"/>{links}
  <joint name="lead" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="follow" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="9"/><mimic joint="lead" multiplier="-1" offset="0.4"/></joint>
</robot>"""
LINK = """<link name="{}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


@pytest.mark.parametrize(("start", "expected"), [({}, [0.0, 0.4]), ({"lead": 0.3}, [0.3, 0.1])])
def test_mimic_joints_with_an_offset_start_where_it_holds(start, expected, tmp_path: Path) -> None:
    (tmp_path / "pair.urdf").write_text(MIMIC.format(links=LINK.format("a") + LINK.format("b")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = SceneModel(tmp_path / "pair.urdf", []).build(setup(start=start))
    np.testing.assert_allclose(made.data.qpos, expected, atol=1e-12)
    mujoco.mj_step(made.model, made.data)
    assert np.abs(made.data.qvel).max() < 1e-9


@pytest.mark.parametrize(
    ("equality", "said"),
    [
        (
            '<joint name="lock" joint1="turn" polycoef="0.5 0 0 0 0"/>',
            "equality 'lock' of joint 'turn' is violated by 0.5",
        ),
        ('<connect name="pin" body1="arm" anchor="0 0 1" active="false"/>', None),
        (
            '<weld name="glue" body1="arm" relpose="0 0 0.2 1 0 0 0"/>',
            "equality 'glue' is violated by 0.2 (m or rad) at",
        ),
    ],
)
def test_a_start_that_violates_an_equality_is_warned_of(equality, said, tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(
        f"<mujoco><worldbody><body name='arm'><joint name='turn'/><geom size='0.1'/></body></worldbody>"
        f"<equality>{equality}</equality></mujoco>"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SceneModel(tmp_path / "arm.xml", []).build(setup())
    assert [said in str(warning.message) for warning in caught] == [True] * (said is not None)


TURNED = """
<mujoco>
  <compiler angle="degree"/>
  <worldbody>
    <geom type="box" size="0.1 0.2 0.3" pos="1 0 0" euler="0 30 0"/>
    <geom type="box" size="0.1 0.2 0.3" axisangle="1 1 0 40"/>
    <geom type="capsule" size="0.1" fromto="0 0 0 1 0 2"/>
    <geom type="plane" size="1 1 1" zaxis="1 0 1"/>
    <body pos="1 2 3" xyaxes="0 1 0 0 0 1"><joint/><geom size="0.1" pos="0.5 0.4 0.3"/></body>
    <body euler="10 20 30">
      <joint/><geom type="box" size="0.1 0.2 0.3" pos="1 0 0"/>
      <body pos="1 0 0" euler="10 20 30"><joint/><geom type="box" size="0.1 0.2 0.3" euler="9 8 7"/></body>
    </body>
    <frame pos="0 1 0" euler="0 0 45">
      <geom type="box" size="0.1 0.2 0.3"/>
      <frame pos="0 0 1"><body zaxis="0 1 1"><joint/><geom size="0.1" pos="0.1 0 0"/></body></frame>
    </frame>
    <site pos="1 0 0" euler="0 45 0"/>
  </worldbody>
</mujoco>
"""


def test_a_pose_moves_everything_however_the_file_gives_its_orientation(tmp_path: Path) -> None:
    (tmp_path / "turned.xml").write_text(TURNED)
    pose = spatial.pose(spatial.rotation_from_quaternion(np.array([0.5, 0.5, 0.5, 0.5])), np.array([1.0, 2.0, 3.0]))
    here, there = (SceneModel(tmp_path / "turned.xml", []).build(setup(pose=p)).data for p in (np.eye(4), pose))
    for kind in ("xpos", "geom_xpos", "site_xpos"):
        moved = getattr(here, kind) @ pose[:3, :3].T + pose[:3, 3]
        np.testing.assert_allclose(getattr(there, kind)[kind == "xpos" :], moved[kind == "xpos" :], atol=1e-12)
    for kind in ("xmat", "geom_xmat", "site_xmat"):
        moved = pose[:3, :3] @ getattr(here, kind).reshape(-1, 3, 3)
        actual = getattr(there, kind).reshape(-1, 3, 3)
        np.testing.assert_allclose(actual[kind == "xmat" :], moved[kind == "xmat" :], atol=1e-12)
