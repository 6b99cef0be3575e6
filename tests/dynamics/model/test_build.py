import numpy as np
import pytest

from ipc_articulation import spatial
from ipc_articulation.dynamics import (
    Mechanism,
    bias_forces,
    forward_dynamics,
    frame_poses,
    inverse_dynamics,
    joints,
    mass_matrix,
)
from ipc_articulation.dynamics.model import Box, FixedFrame, Shape
from ipc_articulation.errors import ModelError
from tests.dynamics.by_hand import assert_near
from tests.dynamics.model.chains import chain, hinges
from tests.dynamics.random_trees import link_poses, random_inertia, random_mechanism, random_pose, random_states


def test_links_joined_rigidly_have_the_mass_of_all(mechanism, model):
    """Sums of spatial inertias in the body's frame: Ad(H⁻¹)ᵀ I Ad(H⁻¹)."""
    poses = link_poses(mechanism, model, random_states(model, 1).q)
    links = {link.name: link for link in mechanism.links}
    for body in model.bodies:
        total = np.zeros((6, 6))
        for name in body.links:
            X = spatial.adjoint(spatial.inverse(poses[name]) @ poses[body.name])
            link = links[name]
            total += X.T @ spatial.spatial_inertia(link.mass, link.centre, link.inertia) @ X
        assert_near(spatial.spatial_inertia(body.mass, body.centre, body.inertia), total, 1e-12)
    assert sorted(name for body in model.bodies for name in body.links) == sorted(links)


def welded():
    """A hinge with three links in a row on it, and one more hinge on the last of them."""
    rng = np.random.default_rng(0)
    mechanism = Mechanism("welded")
    parent = "world"
    for name, joint in zip("abcd", (joints.RzJoint(), *[joints.FixedJoint()] * 2, joints.RxJoint()), strict=True):
        mechanism.add_link(name, rng.uniform(1.0, 2.0), rng.normal(size=3), random_inertia(rng))
        mechanism.add_joint(f"to_{name}", joint, parent, name, origin=random_pose(rng), child_origin=random_pose(rng))
        parent = name
    return mechanism


def test_fixed_joints_are_merged_and_their_frames_kept():
    mechanism = welded()
    model = mechanism.build()
    assert [body.links for body in model.bodies] == [("a", "b", "c"), ("d",)]
    assert model.joint_names == ("to_a", "to_d")
    assert model.frame_body.tolist() == [0, 0, 0, 1]
    assert model.frame("to_c") == model.frame("c")
    q = np.array([0.3, -0.8])
    expected = link_poses(mechanism, model, q)
    for name in "abcd":
        assert_near(frame_poses(model, q, [name])[0], expected[name])


def test_what_is_fixed_to_the_world_is_body_zero():
    mechanism = chain(joints.RzJoint(), joints.RzJoint())
    for name, parent in (("base", "world"), ("plate", "base"), ("wall", "world")):
        mechanism.add_link(name, 7.0)
        mechanism.add_joint(f"to_{name}", joints.FixedJoint(), parent, name, damping=3.0)
    mechanism.joints = [*mechanism.joints[2:], *mechanism.joints[:2]]
    mechanism.joints[-2].parent = "plate"
    model = mechanism.build()
    ground = model.bodies[0]
    assert ground.links == ("base", "plate", "wall")
    assert (ground.name, ground.joint_name, ground.joint.ndof, ground.parent) == ("base", "to_base", 0, -1)
    assert [body.parent for body in model.bodies] == [-1, 0, 1]
    assert (ground.mass, model.mass) == (21.0, 2.0)
    assert model.coordinates.damping.tolist() == [0.0, 0.0]


def test_a_robot_on_the_world_without_a_base_has_no_body_zero():
    assert hinges(2).build().body_names == ("a", "b")


def test_joints_may_be_added_in_any_order():
    mechanism = hinges(4)
    mechanism.joints.reverse()
    assert mechanism.build().joint_names == ("to_a", "to_b", "to_c", "to_d")


def test_an_order_of_joints_permutes_everything():
    """q, v and M of the same robot in another order are the same numbers in that order."""
    mechanism = random_mechanism(5, floating=False)
    model = mechanism.build()
    rng, moving, order = np.random.default_rng(5), [body for body in model.bodies if body.joint.ndof], []
    while moving:
        done = {body.joint_name for body in model.bodies if body.joint_name in order or not body.joint.ndof}
        ready = [b for b in moving if b.parent < 0 or model.bodies[b.parent].joint_name in done]
        order.append(ready[rng.integers(len(ready))].joint_name)
        moving = [body for body in moving if body.joint_name != order[-1]]
    other = mechanism.build(joint_order=order)
    assert [name for name in other.joint_names if name in order] == order
    assert other.joint_names != model.joint_names
    at_q = np.concatenate([np.arange(model.nq)[model.positions(name)] for name in other.joint_names])
    at_v = np.concatenate([np.arange(model.nv)[model.dofs(name)] for name in other.joint_names])
    bodies = [model.joint(name) for name in other.joint_names]
    q, v, _, tau, wrenches = random_states(model, 5)
    there = q[at_q], v[at_v]
    assert_near(mass_matrix(other, there[0]), mass_matrix(model, q)[np.ix_(at_v, at_v)])
    assert_near(bias_forces(other, *there), bias_forces(model, q, v)[at_v])
    a = forward_dynamics(model, q, v, tau, wrenches)
    assert_near(inverse_dynamics(other, *there, a[at_v], wrenches[bodies]), tau[at_v], 1e-10)
    assert_near(frame_poses(other, there[0]), frame_poses(model, q))
    np.testing.assert_array_equal(other.coordinates.rotor_inertia, model.coordinates.rotor_inertia[at_v])


def test_fixed_links_come_as_soon_as_an_order_lets_them():
    mechanism = welded()
    assert mechanism.build(joint_order=["to_a", "to_d"]).joint_names == ("to_a", "to_d")


def test_shapes_are_placed_in_the_bodys_frame():
    mechanism = welded()
    mechanism.links[2].collision = (Shape(Box((1.0, 1.0, 1.0)), spatial.pose(p=(0.1, 0.2, 0.3))),)
    model = mechanism.build()
    q = np.array([0.3, -0.8])
    body, link = frame_poses(model, q, ["a", "c"])
    (shape,) = model.bodies[0].collision
    assert_near(body @ shape.pose, link @ mechanism.links[2].collision[0].pose)
    assert model.bodies[0].visual == ()


def with_origin(pose, field="origin"):
    mechanism = hinges(1)
    setattr(mechanism.joints[0], field, pose)
    return mechanism


def with_frame(frame):
    mechanism = hinges(2)
    mechanism.frames.append(frame)
    return mechanism


def with_gravity(gravity):
    mechanism = hinges(1)
    mechanism.gravity = gravity
    return mechanism


def massless(joint, **properties):
    mechanism = chain(joints.RzJoint(), joint)
    mechanism.links[1].mass, mechanism.links[1].inertia = 0.0, np.zeros((3, 3))
    for name, value in properties.items():
        setattr(mechanism.joints[1], name, value)
    return mechanism


RIGID = "mechanism 'chain': joint 'to_a': an origin must be a finite (4, 4) pose with last row 0 0 0 1"
TURNED = "mechanism 'chain': joint 'to_a': the rotation of an origin must be orthogonal with determinant 1"
NOT_FINITE = spatial.pose(p=(0.0, np.nan, 0.0))


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (with_origin(np.eye(3)), RIGID),
        (with_origin(NOT_FINITE), RIGID),
        (with_origin(NOT_FINITE, "child_origin"), RIGID),
        (with_origin(np.ones((4, 4))), RIGID),
        (with_origin(np.diag([1.0, 1.0, -1.0, 1.0])), TURNED),
        (with_origin(np.diag([1.1, 1.0, 1.0, 1.0])), TURNED),
        (
            with_frame(FixedFrame("tool", "aa")),
            "mechanism 'chain': frame 'tool': no link 'aa'; did you mean 'a'? valid: a, b, world",
        ),
        (with_frame(FixedFrame("b", "a")), "mechanism 'chain': frame 'b' has the name of a link"),
        (
            with_frame(FixedFrame("tool", "a", np.eye(3))),
            "mechanism 'chain': frame 'tool': an origin must be a finite (4, 4) pose with last row 0 0 0 1",
        ),
        (
            with_gravity((0.0, 9.81)),
            "mechanism 'chain': gravity must be three finite numbers [m/s²]; it is [0.0, 9.81]",
        ),
        (
            with_gravity((0.0, np.inf, 0.0)),
            "mechanism 'chain': gravity must be three finite numbers [m/s²]; it is [0.0, inf, 0.0]",
        ),
        (
            massless(joints.RxJoint()),
            "mechanism 'chain': joint 'to_b' moves no mass; give link 'b' or a descendant of it a mass, or make the "
            "joint fixed",
        ),
        (chain(joints.FixedJoint()), "mechanism 'chain': nothing moves; a model needs a joint that is not fixed"),
        (Mechanism("void"), "mechanism 'void': nothing moves; a model needs a joint that is not fixed"),
    ],
)
def test_wrong_mechanisms(mechanism, message):
    with pytest.raises(ModelError) as error:
        mechanism.build()
    assert str(error.value) == message


def test_messages_begin_with_the_file(tmp_path):
    mechanism = with_origin(np.eye(3))
    mechanism.file = tmp_path / "robot.urdf"
    with pytest.raises(ModelError) as error:
        mechanism.build()
    assert str(error.value).startswith(f"{mechanism.file}: joint 'to_a': an origin must be")


def test_what_has_a_rotor_or_carries_mass_may_be_massless():
    assert massless(joints.RxJoint(), rotor_inertia=0.1).build().nv == 2
    carrying = massless(joints.RxJoint())
    carrying.add_link("load", 1.0, inertia=1.0)
    carrying.add_joint("to_load", joints.RyJoint(), "b", "load")
    assert carrying.build().nv == 3
