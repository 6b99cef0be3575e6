"""Visual surfaces of bodies from robot files: places, colours, bounds."""

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.mujoco import MujocoAdapter, load_model
from ipc_articulation.adapters.mujoco.scene_model import SceneModel
from ipc_articulation.adapters.native.robot import read_robot

from ipc_articulation import spatial
from ipc_articulation.coupling import visuals
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.coupling.solids import PLAIN
from ipc_articulation.coupling.visuals import visuals_of
from ipc_articulation.dynamics.model.shapes import Box, MeshFile, Shape, Sphere

URDF = """
<robot name="arm">
  <material name="red"><color rgba="0.8 0 0 1"/></material>
  <link name="base">
    <visual><origin xyz="0 0 1"/><geometry><box size="0.2 0.2 2"/></geometry>
      <material name="blue"><color rgba="0 0 0.5 1"/></material></visual>
    <collision><origin xyz="1 0 0"/><geometry><box size="0.3 0.3 0.1"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="1 0.1 0.1"/></geometry><material name="red"/></visual>
    <visual><origin xyz="0.5 0 0"/><geometry><box size="0.2 0.2 0.2"/></geometry><material name="blue"/></visual>
    <visual><geometry><mesh filename="painted.ply"/></geometry></visual>
    <visual><geometry><mesh filename="broken.stl"/></geometry><material name="nobody's"/></visual>
    <visual><geometry><sphere radius="0"/></geometry></visual>
    <collision><geometry><box size="1 0.1 0.1"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 3" rpy="0 0 1"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="10" velocity="10"/></joint>
</robot>"""

MJCF = """
<mujoco>
  <asset><material name="gold" rgba="1 0.5 0 1"/></asset>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint axis="0 1 0"/>
      <geom type="box" size="0.5 0.05 0.05" group="3" mass="1"/>
      <geom type="box" size="0.4 0.1 0.1" pos="1 0 0" contype="0" conaffinity="0" material="gold" group="2"/>
      <geom type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0" rgba="0 1 0 0" group="2"/>
      <body name="tip" pos="0 0 0.5">
        <geom type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0" rgba="0 0 1 1" group="2"/>
      </body>
      <body name="hand" pos="2 0 0"><joint axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1" mass="1" group="3"/></body>
    </body>
  </worldbody>
</mujoco>"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    painted = trimesh.creation.box((0.1, 0.1, 0.1))
    painted.visual.face_colors = [0, 255, 0, 255]
    painted.export(tmp_path / "painted.ply")
    (tmp_path / "broken.stl").write_text("no mesh")
    (tmp_path / "arm.urdf").write_text(URDF)
    return tmp_path / "arm.urdf"


def assert_looks_right(found: dict, poses: dict) -> None:
    base, arm = found
    (pillar,) = found[base]
    assert pillar.colour == (0.0, 0.0, 0.5, 1.0)
    R, p = poses[base][:3, :3], poses[base][:3, 3]
    corners = pillar.vertices @ R.T + p
    np.testing.assert_allclose([corners.min(axis=0), corners.max(axis=0)], [[-0.1, -0.1, 0], [0.1, 0.1, 2]], atol=1e-6)
    red, blue, green = found[arm]
    assert [look.colour for look in (red, blue, green)] == [(0.8, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 0, 1)]
    np.testing.assert_allclose(np.ptp(red.vertices, axis=0), [1, 0.1, 0.1], atol=1e-6)
    np.testing.assert_allclose(blue.vertices.mean(axis=0), [0.5, 0, 0], atol=1e-6)


def test_urdf_with_our_own_reader(urdf: Path) -> None:
    content = read_robot(urdf, [])
    (base,) = content.static(PLAIN)
    arm = content.mechanism.links[1]
    bodies = [base, CoupledBody(arm.name, np.eye(4), visual=arm.visual)]
    assert_looks_right(visuals_of(bodies), {"base": base.pose})


def test_urdf_with_mujoco(urdf: Path) -> None:
    """MuJoCo itself does not read drawings."""
    model = load_model(urdf)
    robot = MujocoAdapter(model, mujoco.MjData(model)).describe()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = visuals_of((*robot.static, *robot.links))
    assert_looks_right(found, {robot.static[0].name: robot.static[0].pose})


def test_urdf_with_mujoco_in_another_place(urdf: Path) -> None:
    robot = SceneModel(urdf, [])
    pose = spatial.pose(np.diag([-1.0, -1.0, 1.0]), [3.0, 0.0, 1.0])
    (base,) = robot.build(RobotSetup(0.01, np.zeros(3), "Euler", pose)).adapter.describe().static
    (pillar,) = visuals_of([base])[base.name]
    corners = pillar.vertices @ base.pose[:3, :3].T + base.pose[:3, 3]
    np.testing.assert_allclose(corners.min(axis=0), [2.9, -0.1, 1.0], atol=1e-6)
    np.testing.assert_allclose(corners.max(axis=0), [3.1, 0.1, 3.0], atol=1e-6)


def test_urdf_that_is_gone(urdf: Path) -> None:
    model = load_model(urdf)
    urdf.unlink()
    robot = MujocoAdapter(model, mujoco.MjData(model)).describe()
    assert visuals_of((*robot.static, *robot.links)) == {}


def test_mjcf_shows_its_groups_for_display() -> None:
    model = mujoco.MjModel.from_xml_string(MJCF)
    found = visuals_of(MujocoAdapter(model, mujoco.MjData(model)).describe().links)
    assert list(found) == ["arm"]  # the hand has only its shape for contact
    gold, tip = found["arm"]  # what is transparent is not drawn
    assert [gold.colour, tip.colour] == [(1.0, 0.5, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]
    np.testing.assert_allclose(gold.vertices.min(axis=0), [0.6, -0.1, -0.1])
    np.testing.assert_allclose(gold.vertices.max(axis=0), [1.4, 0.1, 0.1])
    np.testing.assert_allclose(tip.vertices.max(axis=0), [0.1, 0.1, 0.6])  # it is welded to the arm


def test_too_many_triangles_are_left_out_with_one_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visuals, "MOST_TRIANGLES", 400)
    shapes = {"ball": (Shape(Sphere(1.0)), Shape(Sphere(2.0))), "box": (Shape(Box((1, 1, 1))),)}
    bodies = [CoupledBody(name, np.eye(4), visual=visual) for name, visual in shapes.items()]
    with pytest.warns(
        UserWarning, match=r"652 triangles, more than 400: ball are drawn by their collision shapes"
    ) as notes:
        assert list(visuals_of(bodies)) == ["box"]
    assert len(notes) == 1


def test_a_missing_file_is_not_drawn() -> None:
    body = CoupledBody("arm", np.eye(4), visual=(Shape(MeshFile(Path("nowhere.dae"))),))
    assert visuals_of([body]) == {}
