"""Forces along sliders and torques about hinges: derivatives, textbook accelerations, reactions, signs."""

import re

import numpy as np
import pytest
from uipc import view
from uipc.constitution import (
    AffineBodyPrismaticJoint,
    AffineBodyPrismaticJointExternalForce,
    AffineBodyRevoluteJoint,
    AffineBodyRevoluteJointExternalForce,
)
from uipc.geometry import linemesh

from ipc_articulation import affine
from ipc_articulation.errors import SceneError
from tests.articulation.reference import axis_rotation
from tests.derivatives import central_difference, relative_error
from tests.engine.joints import (
    TIGHT,
    add_boxes,
    add_hinge,
    add_slider,
    begin,
    hinge_inertia,
    put,
    put_animated,
    read,
    term,
    write,
)
from tests.engine.nodes import derivatives, energy
from tests.engine.scenes import BoxScene, translation

DT, STEPS = 0.002, 20
X_AXIS, Z_AXIS = [[0, 0, 0], [0.4, 0, 0]], [[0.0, 0, 0], [0, 0, 0.4]]
TORQUE_ON, FORCE_ON = {"external_torque__is_constrained": 1}, {"external_force__is_constrained": 1}


def boxes(tmp_path, child=(0, 0.5, 0), integrator="bdf1", **parent):
    """A parent at the origin and a free child, no contact, no gravity."""
    settings = {"dt": DT, "contact__enable": 0, "integrator__type": integrator}
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), **settings, **TIGHT)
    scene.add_box(translation(0, 0, 0), **parent)
    scene.add_box(translation(*child))
    return scene


def turned_hinge(scene, torque, ends=Z_AXIS, **attributes):
    load = (AffineBodyRevoluteJointExternalForce(), torque)
    return add_hinge(scene, *scene.slots, ends, load, **{**TORQUE_ON, **attributes})


def pushed_slider(scene, force, ends=X_AXIS, **attributes):
    load = (AffineBodyPrismaticJointExternalForce(), force)
    return add_slider(scene, *scene.slots, ends, load, **{**FORCE_ON, **attributes})


def spins(scene):
    """Angular velocities of all bodies, (n, 3) [rad/s]."""
    return affine.twist_from_qdot(scene.q, scene.qdot)[1]


@pytest.mark.parametrize("joint", [turned_hinge, pushed_slider])
def test_gradient_and_hessian(tmp_path, joint):
    scene = boxes(tmp_path)
    joint(scene, 3.0)
    force, state = term(scene.start(), "joint force"), scene.engine.cpu.state
    begin(force, state, DT)
    q = state.q + 0.2 * np.random.default_rng(3).standard_normal(state.q.shape)
    g, H = derivatives(force, q)
    assert relative_error(g, central_difference(lambda x: energy(force, x.reshape(q.shape)), q.ravel())) < 1e-6
    assert not H.any()
    assert energy(force, state.q) == 0.0


def test_the_work_of_a_torque_in_a_turn_is_torque_times_angle(tmp_path):
    """Also where the bodies are stretched and sheared, as A⁻ᵀ sees to."""
    scene = boxes(tmp_path)
    turned_hinge(scene, 3.0)
    force, state = term(scene.start(), "joint force"), scene.engine.cpu.state
    rng = np.random.default_rng(6)
    q = state.q.copy()
    q[:, 3:] += 0.2 * rng.standard_normal((2, 9))
    q[0, [5, 8, 11]] = q[1, [5, 8, 11]] = [0, 0, 1]  # the axis stays z in both
    begin(force, type(state).without_past(q, state.qdot, state.theta), DT)
    for row, sign in ((0, -1.0), (1, 1.0)):
        for axis, share in (([0, 0, 1], 1.0), ([1, 0, 0], 0.0)):
            after = q.copy()
            R = axis_rotation(np.array(axis), 1e-6)
            after[row, 3:] = (R @ affine.linear_part(q[row])).ravel()
            assert energy(force, after) / 1e-6 == pytest.approx(-(DT**2) * sign * share * 3.0, abs=1e-9)


@pytest.mark.parametrize("child", [(0, 0, 0), (0, 0.5, 0), (-0.3, 0.1, 0.2)])
def test_a_torque_on_a_hinge_turns_the_child_by_the_textbook(tmp_path, child):
    """α = τ/I about the hinge's axis, right-handed, whereever the centre of mass is."""
    scene = boxes(tmp_path, child, is_fixed=1)
    torque = 0.4
    joint = turned_hinge(scene, torque)
    inertia = hinge_inertia(scene.start(), 1, np.zeros(3), [0, 0, 1])
    assert inertia == pytest.approx(8.0 * (0.2**2 / 6 + child[0] ** 2 + child[1] ** 2), rel=1e-9)
    scene.run(STEPS)
    np.testing.assert_allclose(spins(scene)[1], [0, 0, torque / inertia * STEPS * DT], rtol=2e-3, atol=1e-6)
    angle = torque / inertia * DT**2 * STEPS * (STEPS + 1) / 2
    assert read(joint, "angle")[0] == pytest.approx(angle, rel=2e-3)


def test_the_reaction_on_the_parent_keeps_momentum(tmp_path):
    """Two free bodies on one hinge: no momentum arises, and the spins are as 1/I."""
    scene = boxes(tmp_path, (0, 0, 0.3), density=3000.0)
    torque = 0.4
    turned_hinge(scene, torque)
    scene.start().run(STEPS)
    inertia = np.array([24.0, 8.0]) * 0.2**2 / 6
    np.testing.assert_allclose(spins(scene)[:, 2], [-1, 1] * (torque / inertia * STEPS * DT), rtol=2e-3)
    np.testing.assert_allclose(scene.linear_momentum(), 0.0, atol=1e-9)
    np.testing.assert_allclose(scene.angular_momentum(), 0.0, atol=1e-4 * torque * STEPS * DT)


def test_a_force_on_a_slider_pushes_the_child_by_the_textbook(tmp_path):
    scene = boxes(tmp_path, is_fixed=1)
    joint = pushed_slider(scene, 4.0)
    scene.start().run(STEPS)
    assert scene.qdot[1, 0] == pytest.approx(4.0 / 8.0 * STEPS * DT, rel=1e-6)
    assert read(joint, "distance")[0] == pytest.approx(4.0 / 8.0 * DT**2 * STEPS * (STEPS + 1) / 2, rel=1e-6)


def test_forces_are_the_same_under_bdf2(tmp_path):
    """Its velocity lags by a start-up of less than a step."""
    scene = boxes(tmp_path, integrator="bdf2", is_fixed=1)
    pushed_slider(scene, 4.0)
    scene.start().run(100)
    first = scene.qdot[1, 0]
    scene.run(100)
    assert scene.qdot[1, 0] - first == pytest.approx(4.0 / 8.0 * 100 * DT, rel=1e-6)


def test_two_free_bodies_on_a_slider_part_with_a_equal_force_over_mass(tmp_path):
    scene = boxes(tmp_path, (0.5, 0, 0), density=3000.0)
    pushed_slider(scene, 4.0)
    scene.start().run(STEPS)
    np.testing.assert_allclose(scene.qdot[:, 0], [-4.0 / 24.0 * STEPS * DT, 4.0 / 8.0 * STEPS * DT], rtol=1e-6)
    np.testing.assert_allclose(scene.linear_momentum(), 0.0, atol=1e-9)


@pytest.mark.parametrize(("joint", "place"), [(turned_hinge, 1), (pushed_slider, 0)])
def test_the_sign_follows_the_edge(tmp_path, joint, place):
    """An edge the other way round turns and pushes the other way."""
    along = []
    for k, ends in enumerate(([[0, 0, 0], [0.3, 0, 0]], [[0.3, 0, 0], [0, 0, 0]])):
        scene = boxes(tmp_path / str(k), (0, 0, 0), is_fixed=1)
        joint(scene, 1.0, ends)
        scene.start().run(5)
        along.append((scene.qdot[1, 0], spins(scene)[1, 0])[place])
    assert along[0] > 1e-4
    assert along[1] == pytest.approx(-along[0])


def test_a_hinge_that_turns_carries_its_axis_along(tmp_path):
    """The parent begins turned: the axis is the edge in the world, whatever the bodies' frames are."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), dt=DT, contact__enable=0, **TIGHT)
    tilted = np.eye(4)
    tilted[:3, :3] = axis_rotation(np.array([1.0, 0, 0]), 0.8)
    scene.add_box(tilted, is_fixed=1)
    scene.add_box(np.eye(4))
    axis = np.array([0.6, 0, 0.8])
    turned_hinge(scene, 0.4, [[0, 0, 0], 0.3 * axis])
    scene.start().run(STEPS)
    np.testing.assert_allclose(spins(scene)[1], 0.4 / (8.0 * 0.2**2 / 6) * STEPS * DT * axis, rtol=5e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("joint", "switch"),
    [(turned_hinge, "external_torque__is_constrained"), (pushed_slider, "external_force__is_constrained")],
)
def test_a_force_that_is_off_does_nothing(tmp_path, joint, switch):
    scene = boxes(tmp_path)
    joint(scene, 5.0, **{switch: 0})
    scene.start().run(3)
    np.testing.assert_array_equal(scene.qdot, 0.0)


def test_bodies_without_kinetic_term_feel_nothing(tmp_path):
    scene = boxes(tmp_path, is_fixed=1)
    view(scene.slots[1].geometry().instances().find("external_kinetic"))[:] = 1
    pushed_slider(scene, 5.0)
    force, state = term(scene.start(), "joint force"), scene.engine.cpu.state
    begin(force, state, DT)
    assert not derivatives(force, state.q)[0].any()


def test_a_force_written_by_a_callback(tmp_path):
    """Back and forth: after as many steps of either sign the child stands still."""
    scene = boxes(tmp_path, is_fixed=1)
    ends = np.array(X_AXIS, dtype=float)[:, None]
    mesh = AffineBodyPrismaticJoint().create_geometry(*ends, [scene.slots[0]], [0], [scene.slots[1]], [0], [1e4])
    AffineBodyPrismaticJointExternalForce().apply_to(mesh, 0.0)
    write(mesh, **FORCE_ON)
    put_animated(scene, mesh, lambda g, frame: write(g, external_force=4.0 if frame <= 5 else -4.0))
    scene.start().run(5)
    assert scene.qdot[1, 0] == pytest.approx(4.0 / 8.0 * 5 * DT, rel=1e-6)
    scene.run(5)
    assert scene.qdot[1, 0] == pytest.approx(0.0, abs=1e-9)


def test_each_joint_of_a_mesh_has_a_torque_of_its_own(tmp_path):
    """Hinges of both ends of a row of instances, and a slider in the same scene."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), dt=DT, contact__enable=0, **TIGHT)
    slot = add_boxes(scene, [translation(0, k, 0) for k in range(4)], is_fixed=[0, 1, 0, 0])
    mesh = linemesh(np.array([[0, 0, 0], [0, 0, 0.3], [0, 2, 0], [0, 2, 0.3]], dtype=float), np.array([[0, 1], [2, 3]]))
    AffineBodyRevoluteJoint().apply_to(mesh, [slot] * 2, [1, 1], [slot] * 2, [0, 2], [1e4] * 2)
    AffineBodyRevoluteJointExternalForce().apply_to(mesh, np.array([0.1, -0.2]))
    write(mesh, **TORQUE_ON)
    hinges = put(scene, mesh)
    rail = np.array([[0, 3, 0], [0.3, 3.0, 0]])[:, None]
    slider = AffineBodyPrismaticJoint().create_geometry(*rail, [slot], [1], [slot], [3], [1e4])
    AffineBodyPrismaticJointExternalForce().apply_to(slider, 4.0)
    write(slider, **FORCE_ON)
    rail = put(scene, slider)
    scene.start().run(STEPS)
    grown = DT**2 * STEPS * (STEPS + 1) / 2
    inertia = 8.0 * 0.2**2 / 6
    np.testing.assert_allclose(read(hinges, "angle"), np.array([0.1, -0.2]) / inertia * grown, rtol=2e-3)
    assert read(rail, "distance")[0] == pytest.approx(4.0 / 8.0 * grown, rel=1e-5)


@pytest.mark.parametrize(("joint", "attribute"), [(turned_hinge, "external_torque"), (pushed_slider, "external_force")])
def test_nan_written_by_a_callback_is_named(tmp_path, joint, attribute):
    scene = boxes(tmp_path)
    slot = joint(scene, 1.0)
    scene.start().run(1)
    write(slot, **{attribute: np.nan})
    message = f"joint geometry {slot.id()}, joint 0: {attribute} is nan; it must be finite"
    with pytest.raises(SceneError, match=re.escape(message)):
        scene.run()


def test_a_switch_that_is_neither_0_nor_1_is_refused(tmp_path):
    scene = boxes(tmp_path)
    turned_hinge(scene, 5.0, external_torque__is_constrained=2)
    with pytest.raises(SceneError, match="'external_torque/is_constrained' of edge 0 is 2; it must be 0 or 1"):
        scene.start().run()
