import mujoco
import numpy as np
import pytest

from ipc_articulation.dynamics.joints import FixedJoint, FloatingJoint, SphericalJoint
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from tests.dynamics.random_mjcf import random_mjcf, random_state

SEEDS = range(5)
STATES = 10


def link_poses(mechanism, qpos):
    """Poses of all links in the world at MuJoCo's positions, from joint to joint."""
    poses, at = {WORLD: np.eye(4)}, 0
    for placed in mechanism.joints:
        H = placed.joint.pose_at(qpos[at : at + placed.joint.nq])
        poses[placed.child] = poses[placed.parent] @ placed.origin @ H @ placed.child_origin
        at += placed.joint.nq
    assert at == len(qpos)
    return poses


def compile_tree(seed):
    model = mujoco.MjModel.from_xml_string(random_mjcf(seed))
    return model, mechanism_from_mujoco(model)


def states_of(model, seed):
    """Random states with MuJoCo's kinematics."""
    for k in range(STATES):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = random_state(model, 100 * seed + k)
        mujoco.mj_kinematics(model, data)
        yield data


def assert_pose(pose, position, matrix):
    np.testing.assert_allclose(pose[:3, 3], position, atol=1e-13)
    np.testing.assert_allclose(pose[:3, :3], matrix.reshape(3, 3), atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_stand_where_mujoco_puts_them(seed):
    model, mechanism = compile_tree(seed)
    for data in states_of(model, seed):
        poses = link_poses(mechanism, data.qpos)
        for b in range(1, model.nbody):
            assert_pose(poses[model.body(b).name], data.xpos[b], data.xmat[b])


@pytest.mark.parametrize("seed", SEEDS)
def test_joints_stand_at_mujocos_anchors(seed):
    model, mechanism = compile_tree(seed)
    for data in states_of(model, seed):
        poses = link_poses(mechanism, data.qpos)
        for placed in mechanism.joints:
            if isinstance(placed.joint, FixedJoint | FloatingJoint):
                continue
            frame = poses[placed.parent] @ placed.origin
            joint = data.joint(placed.name)
            if not isinstance(placed.joint, SphericalJoint):
                axis = frame[:3, :3] @ placed.joint.elements[0].axis
                np.testing.assert_allclose(axis, joint.xaxis, atol=1e-13)
            moved = poses[placed.child] @ np.linalg.inv(placed.child_origin)
            slides = model.joint(placed.name).type[0] == mujoco.mjtJoint.mjJNT_SLIDE
            if not slides:
                np.testing.assert_allclose([frame[:3, 3], moved[:3, 3]], [joint.xanchor] * 2, atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_links_have_mujocos_mass(seed):
    model, mechanism = compile_tree(seed)
    links = {link.name: link for link in mechanism.links}
    data = next(states_of(model, seed))
    poses = link_poses(mechanism, data.qpos)
    for b in range(1, model.nbody):
        name = model.body(b).name
        link, pose = links.pop(name), poses[name]
        assert link.mass == model.body_mass[b]
        np.testing.assert_allclose(pose[:3, :3] @ link.centre + pose[:3, 3], data.xipos[b], atol=1e-13)
        axes = data.ximat[b].reshape(3, 3)
        expected = axes @ np.diag(model.body_inertia[b]) @ axes.T
        np.testing.assert_allclose(pose[:3, :3] @ link.inertia @ pose[:3, :3].T, expected, atol=1e-12)
    assert all(link.mass == 0.0 and not link.inertia.any() for link in links.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_sites_are_frames(seed):
    model, mechanism = compile_tree(seed)
    assert len(mechanism.frames) == model.nsite
    for data in states_of(model, seed):
        poses = link_poses(mechanism, data.qpos)
        for s, frame in enumerate(mechanism.frames):
            assert frame.name == model.site(s).name
            assert_pose(poses[frame.link] @ frame.pose, data.site_xpos[s], data.site_xmat[s])


SMALL = """<mujoco model="small"><option gravity="1 2 3">{flags}</option><worldbody>
  <site name="post" pos="0 0 1"/><site pos="0 1 0"/>
  <body name="base">
    <body name="arm"><joint name="yaw"/><joint axis="1 0 0"/><joint name="pitch" type="slide"/><geom size="0.1"/>
      <site name="base"/>
      <body><geom size="0.1"/></body>
    </body>
  </body>
</worldbody></mujoco>"""


def small(flags=""):
    return mechanism_from_mujoco(mujoco.MjModel.from_xml_string(SMALL.format(flags=flags)))


def test_names_and_order():
    mechanism = small()
    assert mechanism.name == "small"
    assert [link.name for link in mechanism.links] == ["base", "arm/yaw", "arm/joint1", "arm", "body3"]
    assert [(joint.name, joint.parent, joint.child) for joint in mechanism.joints] == [
        ("base/fixed", "world", "base"),
        ("yaw", "base", "arm/yaw"),
        ("joint1", "arm/yaw", "arm/joint1"),
        ("pitch", "arm/joint1", "arm"),
        ("body3/fixed", "arm", "body3"),
    ]


def test_a_site_with_the_name_of_a_body_is_called_after_its_own_body_too():
    frames = [(frame.name, frame.link) for frame in small().frames]
    assert frames == [("post", "world"), ("site1", "world"), ("arm/base", "arm")]


def test_the_world_may_have_another_name():
    spec = mujoco.MjSpec.from_string(SMALL.format(flags=""))
    spec.worldbody.name = "earth"
    assert mechanism_from_mujoco(spec.compile()).joints[0].parent == WORLD


def test_gravity_is_the_models_unless_disabled():
    np.testing.assert_array_equal(small().gravity, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(small('<flag gravity="disable"/>').gravity, np.zeros(3))


def test_the_mechanism_does_not_change_with_the_model():
    model, mechanism = compile_tree(0)
    things = [mechanism, *mechanism.links, *mechanism.joints, *mechanism.frames]
    memory = [value for thing in things for value in vars(thing).values() if isinstance(value, np.ndarray)]
    fields = [value for value in (getattr(model, f) for f in dir(model)) if isinstance(value, np.ndarray)]
    assert memory
    assert not any(np.shares_memory(a, b) for a in memory for b in fields)


@pytest.mark.parametrize("seed", SEEDS)
def test_models_keep_mujocos_coordinates(seed):
    model, mechanism = compile_tree(seed)
    built = mechanism.build()
    assert (built.nq, built.nv) == (model.nq, model.nv)
    moving = [name for name, body in zip(built.joint_names, built.bodies, strict=True) if body.joint.ndof]
    assert moving == [model.joint(j).name for j in range(model.njnt)]
    assert [built.dofs(name).start for name in moving] == model.jnt_dofadr.tolist()
    assert [built.positions(name).start for name in moving] == model.jnt_qposadr.tolist()
