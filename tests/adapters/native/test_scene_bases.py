"""Floating bases of a robot's file as a scene file sets them free, places and fixes them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipc_articulation.adapters.native.scene_model import SceneModel

from ipc_articulation import spatial
from ipc_articulation.coupling.robots import Actuator
from ipc_articulation.dynamics.integrators.momentum import momentum
from ipc_articulation.errors import AdapterError, ModelError, UnsupportedError
from tests.adapters.native.mechanisms import at
from tests.adapters.native.test_scene_model import INERTIAL, URDF, setup
from tests.dynamics.reading import osim_documents as osim

LOOSE = URDF.replace('<link name="base">', f'<link name="base">{INERTIAL}')
TURNED = spatial.pose(spatial.rotation_about((0.0, 0.0, 1.0), 0.5), (0.1, 0.2, 0.3))


def urdf(tmp_path: Path, text: str, **options: Any) -> SceneModel:
    (tmp_path / "robot.urdf").write_text(text)
    return SceneModel(tmp_path / "robot.urdf", [], **options)


def test_a_base_that_is_set_free_starts_at_its_pose_in_the_file_that_the_scene_moves(tmp_path: Path) -> None:
    model = urdf(tmp_path, LOOSE, base="free", base_pose=at(0, 0, 2))
    assert model.joint_names == ["shoulder", "slide"]
    driven = model.build(setup(pose=TURNED, start={"slide": 0.25}))
    robot = driven.adapter.describe()
    assert [joint.kind for joint in robot.joints] == ["free", "revolute", "prismatic"]
    np.testing.assert_allclose(robot.links[0].pose, TURNED @ at(0, 0, 2), atol=1e-15)
    np.testing.assert_allclose(robot.links[2].pose, TURNED @ at(0.85, 0, 3), atol=1e-15)
    np.testing.assert_allclose(driven.adapter.theta(), [0.1, 0.2, 2.3, 0.0, 0.0, 0.5, 0.0, 0.25], atol=1e-15)
    assert driven.joints[:4] == ["root_joint/x", "root_joint/y", "root_joint/z", "root_joint/rx"]


def test_settings_of_all_joints_are_not_those_of_a_floating_base(tmp_path: Path) -> None:
    model = urdf(tmp_path, LOOSE, base="free")
    actuators = (Actuator("slide", 70.0, 7.0, 5.0),)
    driven = model.build(
        setup(damping=dict.fromkeys(model.joint_names, 4.0), actuators=actuators, start={"slide": 0.2})
    )
    assert driven.actuated == ["slide"]
    np.testing.assert_array_equal(driven.start, [0.2])
    np.testing.assert_array_equal(driven.adapter.model.coordinates.damping, [0.0] * 6 + [4.0, 4.0])
    driven.command(np.array([0.3]))
    tau = driven.adapter.drive.pd.forces(driven.adapter.model, driven.adapter.q, np.zeros(8))
    np.testing.assert_allclose(tau, [0.0] * 7 + [7.0], atol=1e-12)


def test_forces_on_a_floating_base_are_along_the_scenes_axes(tmp_path: Path) -> None:
    driven = urdf(tmp_path, LOOSE, base="free").build(setup(pose=TURNED))
    forces = np.arange(1.0, 9.0)
    driven.push(forces)
    pushed = driven.adapter.predict()
    driven.push(np.zeros(8))
    moved = pushed.delta_theta_tilde - driven.adapter.predict().delta_theta_tilde
    np.testing.assert_allclose(pushed.mass @ moved, 0.01**2 * forces, rtol=1e-9)


FLOATS = URDF.replace('name="above" type="fixed"', 'name="above" type="floating"').replace(
    '<link name="cap">', f'<link name="cap">{INERTIAL}'
)


def test_a_floating_joint_of_a_urdf_file_floats_unless_the_scene_fixes_it(tmp_path: Path) -> None:
    robot = urdf(tmp_path, FLOATS, base="free").build(setup()).adapter.describe()
    kinds = {robot.links[joint.child].name: joint.kind for joint in robot.joints}
    assert kinds == {"cap": "free", "upper": "revolute", "lower": "prismatic"}
    assert frozenset({"pillar", "cap"}) not in robot.untouchable  # the pillar does not carry it
    assert frozenset({"base", "upper"}) in robot.untouchable
    placed = urdf(tmp_path, FLOATS, base_pose=at(0, 3, 1)).build(setup()).adapter.describe()
    np.testing.assert_allclose([link.pose for link in placed.links if link.name == "cap"], [at(0, 3, 1)], atol=1e-15)
    fixed = urdf(tmp_path, FLOATS, base="fixed").build(setup()).adapter.describe()
    assert [joint.kind for joint in fixed.joints] == ["revolute", "prismatic"]
    assert "cap" in {body.name for body in fixed.static}


def test_a_base_that_cannot_be_set_free_or_placed_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the root link is the world, which does not float; give it another name"):
        urdf(tmp_path, URDF.replace('"base"', '"world"'), base="free")
    with pytest.raises(AdapterError, match="no bases float, and 'base_pose' under 'robot' is that of the only one"):
        urdf(tmp_path, URDF, base_pose=at(0, 0, 1))
    rod = osim.body("rod", osim.joint("PinJoint", "hinge", [osim.coordinate("turn")]))
    (tmp_path / "leg.osim").write_text(osim.document(osim.bodies(rod)))
    with pytest.raises(AdapterError, match=r"leg\.osim: 'base: free' is for URDF and MJCF files; the joints of this"):
        SceneModel(tmp_path / "leg.osim", [], base="free")


def test_the_momentum_of_one_floating_robot_is_kept_on_request(tmp_path: Path) -> None:
    adapter = urdf(tmp_path, LOOSE, base="free").build(setup("momentum")).adapter
    adapter.v[6:] = 1.0, 0.5  # the joints move against the base
    start = momentum(adapter.model, adapter.q, adapter.v)
    adapter.commit(adapter.predict().delta_theta_tilde, np.zeros((0, 4, 4)), np.zeros((0, 4, 4)))
    fallen = momentum(adapter.model, adapter.q, adapter.v) - start
    np.testing.assert_allclose(fallen[3:], [0.0, 0.0, -5.0 * 0.01 * adapter.model.mass], atol=1e-12)
    assert np.abs(start).max() > 0.1
    with pytest.raises(UnsupportedError, match="model 'arm' has 'above' and 'shoulder' there: build a model of each"):
        urdf(tmp_path, FLOATS).build(setup("momentum"))
