"""Driven revolute and prismatic joints: derivatives, factors, aims and passive joints."""

import re

import numpy as np
import pytest
from uipc.constitution import (
    AffineBodyDrivingPrismaticJoint,
    AffineBodyDrivingRevoluteJoint,
    AffineBodyPrismaticJoint,
    AffineBodyRevoluteJoint,
    AffineBodyRevoluteJointExternalForce,
)
from uipc.geometry import linemesh

from ipc_articulation import affine
from ipc_articulation.errors import SceneError
from tests.engine.joints import (
    TIGHT,
    add_boxes,
    add_hinge,
    add_slider,
    begin,
    check_derivatives,
    hinge_inertia,
    put,
    put_animated,
    read,
    term,
    write,
)
from tests.engine.nodes import energy
from tests.engine.scenes import BoxScene, translation

G, DT = 9.8, 0.01
X_AXIS, Z_AXIS = [[0, 0, 0], [0.4, 0, 0]], [[0.0, 0, 0], [0, 0, 0.4]]
ON = {"driving__is_constrained": 1}


def boxes(tmp_path, gravity=(0, 0, 0), child=(0, 0.5, 0), **config):
    """A fixed parent at the origin and a free child, without contact."""
    scene = BoxScene(tmp_path, gravity=gravity, contact__enable=0, **TIGHT, **config)
    scene.add_box(translation(0, 0, 0), is_fixed=1)
    scene.add_box(translation(*child), kappa=1e9)
    return scene


def driven_hinge(scene, ratio=100.0, ends=Z_AXIS, **attributes):
    return add_hinge(scene, *scene.slots, ends, (AffineBodyDrivingRevoluteJoint(), ratio), **{**ON, **attributes})


def driven_slider(scene, ratio=100.0, ends=X_AXIS, **attributes):
    return add_slider(scene, *scene.slots, ends, (AffineBodyDrivingPrismaticJoint(), ratio), **{**ON, **attributes})


@pytest.mark.parametrize(("drive", "aim"), [(driven_hinge, {"aim_angle": 0.7}), (driven_slider, {"aim_distance": 0.7})])
def test_gradient_and_hessian(tmp_path, drive, aim):
    scene = boxes(tmp_path)
    drive(scene, **aim)
    drives, state = term(scene.start(), "driving joint"), scene.engine.cpu.state
    rng = np.random.default_rng(3)
    begin(drives, state, DT)
    for _ in range(10):
        check_derivatives(drives, state.q + 0.2 * rng.standard_normal(state.q.shape))


def test_slider_energy_is_libuipcs(tmp_path):
    """K/2 (tᵢ·d - d̃)² + K/2 (tⱼ·d - d̃)², also where the two axes are not parallel."""
    scene = boxes(tmp_path)
    driven_slider(scene, aim_distance=0.7)
    drives, state = term(scene.start(), "driving joint"), scene.engine.cpu.state
    begin(drives, state, DT)
    q = state.q + 0.2 * np.random.default_rng(5).standard_normal(state.q.shape)
    d = affine.world_points(q[1], np.array([[0, -0.5, 0]]))[0] - affine.world_points(q[0], np.zeros((1, 3)))[0]
    t_i, t_j = (affine.linear_part(row)[:, 0] for row in q)
    kappa = 100.0 * 16.0
    assert energy(drives, q) == pytest.approx(0.5 * kappa * ((t_i @ d - 0.7) ** 2 + (t_j @ d - 0.7) ** 2), rel=1e-12)


@pytest.mark.parametrize("init", [0.0, 0.4])
def test_a_hinge_turns_to_its_aim_right_handed(tmp_path, init):
    scene = boxes(tmp_path)
    joint = driven_hinge(scene, aim_angle=1.0, init_angle=init)
    scene.start().run(20)
    assert read(joint, "angle")[0] == pytest.approx(1.0, abs=1e-4)
    turned = 1.0 - init
    np.testing.assert_allclose(scene.q[1, :3], [-0.5 * np.sin(turned), 0.5 * np.cos(turned), 0], atol=1e-4)


@pytest.mark.parametrize("init", [0.0, 0.4])
def test_a_slider_moves_to_its_aim_along_the_edge(tmp_path, init):
    scene = boxes(tmp_path)
    joint = driven_slider(scene, aim_distance=-0.6, init_distance=init)
    scene.start().run(20)
    assert read(joint, "distance")[0] == pytest.approx(-0.6, abs=1e-5)
    np.testing.assert_allclose(scene.q[1, :3], [-0.6 - init, 0.5, 0], atol=1e-5)


def test_an_aim_many_turns_away_is_reached(tmp_path):
    """The spring is weak enough that no step turns the child by π; nobody moves the aim."""
    scene = boxes(tmp_path, child=(0, 0, 0))
    joint = driven_hinge(scene, ratio=2e-4, aim_angle=-15.0)
    scene.start()
    largest, before = 0.0, 0.0
    for _ in range(250):
        now = read(scene.run() and joint, "angle")[0]
        largest, before = max(largest, abs(now - before)), now
    assert largest < np.pi
    assert before == pytest.approx(-15.0, abs=1e-2)


def test_an_aim_written_by_a_callback_is_followed(tmp_path):
    scene = boxes(tmp_path)
    joint = AffineBodyRevoluteJoint().create_geometry(
        np.array([[0, 0, 0.0]]), np.array([[0, 0, 0.4]]), [scene.slots[0]], [0], [scene.slots[1]], [0], [1e4]
    )
    AffineBodyDrivingRevoluteJoint().apply_to(joint, 1e4)
    slot = put_animated(scene, joint, lambda g, frame: write(g, driving__is_constrained=1, aim_angle=0.25 * frame))
    scene.start().run(40)
    assert read(slot, "angle")[0] == pytest.approx(10.0, abs=1e-3)


def test_the_factor_of_a_hinge(tmp_path):
    """At rest K (θ - θ̃) = dt² τ: the sag of an arm of 0.5 m."""
    scene = boxes(tmp_path, gravity=(0, 0, -G), child=(0, 0.5, 0))
    joint = driven_hinge(scene, ratio=0.5, ends=X_AXIS)
    scene.start().run(120)
    angle, weight = read(joint, "angle")[0], 8.0 * G
    assert 0.5 * 16.0 * -angle == pytest.approx(DT**2 * weight * 0.5 * np.cos(angle), rel=1e-3)


def test_the_factor_of_a_slider(tmp_path):
    """At rest 2 K d = dt² m g: both bodies' axes count."""
    scene = boxes(tmp_path, gravity=(0, 0, -G))
    joint = driven_slider(scene, ratio=0.5, ends=Z_AXIS)
    scene.start().run(120)
    assert 2 * 0.5 * 16.0 * -read(joint, "distance")[0] == pytest.approx(DT**2 * 8.0 * G, rel=1e-3)


@pytest.mark.slow
def test_a_passive_hinge_creeps_as_if_in_oil(tmp_path):
    """It aims at where it stands, whatever aim_angle says: under a torque τ it turns by dt² τ / K in each step."""
    scene = boxes(tmp_path, child=(0, 0, 0))
    torque = (AffineBodyRevoluteJointExternalForce(), 20.0)
    drive = (AffineBodyDrivingRevoluteJoint(), 0.1)
    flags = {**ON, "is_passive": 1, "external_torque__is_constrained": 1}
    joint = add_hinge(scene, *scene.slots, Z_AXIS, drive, torque, aim_angle=3.0, **flags)
    scene.start().run(20)
    first = read(joint, "angle")[0]
    scene.run(50)
    assert read(joint, "angle")[0] - first == pytest.approx(50 * DT**2 * 20.0 / (0.1 * 16.0), rel=1e-3)


def test_a_passive_slider_creeps_as_if_in_oil(tmp_path):
    scene = boxes(tmp_path, gravity=(G, 0, 0))
    joint = driven_slider(scene, ratio=2.0, is_passive=1, aim_distance=3.0)
    scene.start().run(30)
    first = read(joint, "distance")[0]
    scene.run(50)
    assert read(joint, "distance")[0] - first == pytest.approx(50 * DT**2 * 8.0 * G / (2 * 2.0 * 16.0), rel=1e-3)


def test_a_drive_that_is_off_does_nothing(tmp_path):
    """The child falls along the slider as if it were free."""
    scene = boxes(tmp_path, gravity=(G, 0, 0))
    joint = driven_slider(scene, aim_distance=-2.0, driving__is_constrained=0)
    scene.start().run(10)
    assert read(joint, "distance")[0] == pytest.approx(G * DT**2 * 55, rel=1e-6)


def test_several_joints_a_mesh_between_instances(tmp_path):
    """One geometry of three instances, one line mesh of two hinges with aims of their own; the chain bends twice."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0, **TIGHT)
    slot = add_boxes(scene, [translation(0, k, 0) for k in range(3)], is_fixed=[1, 0, 0])
    ends = np.array([[0, 0.5, 0], [0, 0.5, 0.2], [0, 1.5, 0], [0, 1.5, 0.2]])
    mesh = linemesh(ends, np.array([[0, 1], [2, 3]]))
    AffineBodyRevoluteJoint().apply_to(mesh, [slot] * 2, [0, 1], [slot] * 2, [1, 2], [1e4, 1e4])
    AffineBodyDrivingRevoluteJoint().apply_to(mesh, 10.0)
    write(mesh, driving__is_constrained=1, aim_angle=[0.5, -1.5])
    joint = put(scene, mesh)
    scene.start().run(60)
    np.testing.assert_allclose(read(joint, "angle"), [0.5, -1.5], atol=1e-4)
    q = affine.q_from_transform(np.array(slot.geometry().transforms().view()))
    tip = affine.world_points(q[2], np.array([[0, 0.5, 0.0]]))[0]
    np.testing.assert_allclose(tip, [-np.sin(0.5) + np.sin(1.0), 0.5 + np.cos(0.5) + np.cos(1.0), 0], atol=1e-3)


@pytest.mark.parametrize("kind", [AffineBodyRevoluteJoint, AffineBodyPrismaticJoint])
def test_joints_with_local_end_points(tmp_path, kind):
    """The child begins turned by 90°; each body has end points of its own on the world's z axis."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0, **TIGHT)
    quarter = translation(0, 0.5, 0)
    quarter[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # its -x axis points along z
    first, second = scene.add_box(np.eye(4), is_fixed=1), scene.add_box(quarter)
    left, right = np.array([[[0, 0, 0]], [[0, 0, 0.4]]]), np.array([[[0, -0.5, 0]], [[-0.4, -0.5, 0]]])
    mesh = kind().create_geometry(*left.astype(float), *right, [first], [0], [second], [0], [1e4])
    is_hinge = kind is AffineBodyRevoluteJoint
    drive = AffineBodyDrivingRevoluteJoint if is_hinge else AffineBodyDrivingPrismaticJoint
    drive().apply_to(mesh, 100.0)
    write(mesh, driving__is_constrained=1, **{"aim_angle" if is_hinge else "aim_distance": 0.3})
    put(scene, mesh)
    scene.start().run(30)
    expected = [-0.5 * np.sin(0.3), 0.5 * np.cos(0.3), 0] if is_hinge else [0, 0.5, 0.3]
    np.testing.assert_allclose(scene.q[1, :3], expected, atol=1e-3)


def test_two_free_bodies_share_the_turn_by_their_inertia(tmp_path):
    """A drive's torques are equal and opposite: angular momentum stays zero, so angles go by 1/I."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0, **TIGHT)
    scene.add_box(np.eye(4), density=3000.0)
    scene.add_box(np.eye(4), density=1000.0)
    joint = driven_hinge(scene, ratio=6e-6, aim_angle=0.4)
    scene.start().run(20)
    angle = read(joint, "angle")[0]
    assert 0.2 < angle < 0.4
    turned = [np.arctan2(A[1, 0], A[0, 0]) for A in affine.linear_part(scene.q)]
    np.testing.assert_allclose(turned, [-0.25 * angle, 0.75 * angle], rtol=0.01)
    assert hinge_inertia(scene, 0, np.zeros(3), [0, 0, 1]) == pytest.approx(24 * 0.2**2 / 6, rel=1e-3)


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("aim_angle", np.nan, "aim_angle is nan; it must be finite"),
        ("driving/strength_ratio", np.inf, "driving/strength_ratio is inf; it must be finite and not negative"),
        ("driving/strength_ratio", -1.0, "driving/strength_ratio is -1.0; it must be finite and not negative"),
    ],
)
def test_bad_numbers_written_by_a_callback_are_named_and_change_nothing(tmp_path, attribute, value, message):
    scene = boxes(tmp_path, gravity=(0, 0, -G))
    joint = driven_hinge(scene, aim_angle=0.5)
    scene.start().run(3)
    q = scene.q.copy()
    good = read(joint, attribute)
    write(joint, **{attribute: value})
    with pytest.raises(SceneError, match=re.escape(f"joint geometry {joint.id()}, joint 0: {message}")):
        scene.run()
    write(joint, **{attribute: good})
    np.testing.assert_array_equal(scene.q, q)
    scene.run(30)
    assert read(joint, "angle")[0] == pytest.approx(0.5, abs=1e-2)


def test_the_turns_are_part_of_the_state(tmp_path):
    """The same pose, one turn further on, is pulled back by that turn."""
    scene = boxes(tmp_path)
    driven_hinge(scene, aim_angle=0.0)
    drives, state = term(scene.start(), "driving joint"), scene.engine.cpu.state
    begin(drives, state._replace(theta=state.theta + 2 * np.pi), DT)
    assert energy(drives, state.q) == pytest.approx(0.5 * 100.0 * 16.0 * (2 * np.pi) ** 2)


@pytest.mark.parametrize("switch", ["driving__is_constrained", "is_passive"])
def test_a_switch_that_is_neither_0_nor_1_is_refused(tmp_path, switch):
    scene = boxes(tmp_path)
    driven_hinge(scene, **{switch: 2})
    name = switch.replace("__", "/")
    with pytest.raises(SceneError, match=f"joint geometry 2: '{name}' of edge 0 is 2; it must be 0 or 1"):
        scene.start().run()
