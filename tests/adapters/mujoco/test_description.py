import mujoco
import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.mujoco import MujocoAdapter

from tests.adapters.mujoco.models import arm, mass_matrix, panda


@pytest.fixture
def coupled():
    model, data = arm(seed=3)
    mechanism = MujocoAdapter(model, data).describe()
    mujoco.mj_forward(model, data)
    return model, data, mechanism


def test_parts(coupled):
    _, _, mechanism = coupled
    assert [link.name for link in mechanism.links] == ["upper", "wrist/slide", "wrist/roll", "wrist"]
    assert [joint.name for joint in mechanism.joints] == ["shoulder", "slide", "roll", "pitch"]
    assert [joint.kind for joint in mechanism.joints] == ["revolute", "prismatic", "revolute", "revolute"]
    assert [(joint.parent, joint.child) for joint in mechanism.joints] == [(-1, 0), (0, 1), (1, 2), (2, 3)]
    assert [body.name for body in mechanism.free] == ["crate"]
    assert [body.name for body in mechanism.static] == ["world/wall", "base"]
    assert [plane.name for plane in mechanism.planes] == ["world/floor"]


def test_poses_axes_and_planes_are_mujocos(coupled):
    _, data, mechanism = coupled
    for body in (mechanism.links[0], mechanism.links[3], mechanism.free[0], mechanism.static[1]):
        expected = np.eye(4)
        expected[:3, :3], expected[:3, 3] = data.body(body.name).xmat.reshape(3, 3), data.body(body.name).xpos
        np.testing.assert_allclose(body.pose, expected, atol=1e-14)
    for joint in mechanism.joints:
        np.testing.assert_allclose(joint.axis, data.joint(joint.name).xaxis, atol=1e-14)
        np.testing.assert_allclose(joint.anchor, data.joint(joint.name).xanchor, atol=1e-14)
    plane = mechanism.planes[0]
    np.testing.assert_allclose([plane.point, plane.normal], [[0, 0, -1], [0, 0, 1]], atol=1e-14)


def test_links_between_joints_of_one_body_move_with_their_own_joint_only():
    model, data = arm(seed=3)
    adapter = MujocoAdapter(model, data)
    before = adapter.link_poses()
    for address, unmoved in ((1, [0]), (2, [0, 1]), (3, [0, 1, 2])):
        moved_data = mujoco.MjData(model)
        moved_data.qpos[:] = data.qpos
        moved_data.qpos[address] += 0.4
        after = MujocoAdapter(model, moved_data).link_poses()
        np.testing.assert_allclose(after[unmoved], before[unmoved], atol=1e-14)
        assert np.abs(after[len(unmoved)] - before[len(unmoved)]).max() > 0.05


def test_friction_is_the_largest_of_a_bodys_geoms(coupled):
    _, _, mechanism = coupled
    friction = {body.name: body.friction for body in mechanism.links + mechanism.static + mechanism.planes}
    assert friction["wrist"] == 1.5
    assert friction["world/wall"] == 0.3
    assert friction["world/floor"] == 0.7


def test_meshes_hold_the_colliding_geoms_only(coupled):
    _, _, mechanism = coupled
    wrist = trimesh.Trimesh(mechanism.links[3].mesh.vertices, mechanism.links[3].mesh.faces)
    assert wrist.is_watertight
    ball = 4 / 3 * np.pi * 0.04**3
    assert 0.2 * 0.1 * 0.1 + 0.96 * ball < wrist.volume < 0.2 * 0.1 * 0.1 + ball  # palm and tip, not paint
    assert mechanism.links[1].mesh is None
    assert mechanism.links[1].mass == 0.0


def test_inertia_of_a_merged_free_body_gives_mujocos_mass_matrix(coupled):
    model, data, mechanism = coupled
    crate = mechanism.free[0]
    first = int(model.body("crate").dofadr[0])
    block = mass_matrix(model, data)[first : first + 6, first : first + 6]
    assert crate.mass == pytest.approx(block[0, 0])
    d = crate.center
    about_origin = crate.inertia + crate.mass * (d @ d * np.eye(3) - np.outer(d, d))
    np.testing.assert_allclose(block[3:, 3:], about_origin, rtol=1e-12, atol=1e-14)
    lever = crate.mass * np.cross(d, np.eye(3))  # -m [d]ₓ
    np.testing.assert_allclose(crate.pose[:3, :3].T @ block[:3, 3:], lever, atol=1e-13)


def test_velocity_of_a_free_body():
    model, data = arm(seed=4)
    h = 1e-6
    crate = MujocoAdapter(model, data).describe().free[0]
    mujoco.mj_integratePos(model, data.qpos, data.qvel, h)
    after = MujocoAdapter(model, data).describe().free[0]
    np.testing.assert_allclose(crate.velocity, (after.pose - crate.pose) / h, atol=1e-5)


def test_panda():
    model = panda()
    mechanism = MujocoAdapter(model, mujoco.MjData(model)).describe()
    assert len(mechanism.joints) == 9
    assert [joint.kind for joint in mechanism.joints].count("prismatic") == 2
    assert [body.name for body in mechanism.static] == ["panda_link0"]
    assert all(trimesh.Trimesh(link.mesh.vertices, link.mesh.faces).is_watertight for link in mechanism.links)
    hand = next(link for link in mechanism.links if link.name == "panda_link7")
    assert hand.mass == pytest.approx(0.735522 + 0.73)  # link 7 and the hand welded to it
