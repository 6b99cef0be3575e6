"""Limits of revolute and prismatic joints: derivatives, factors, where a joint stops."""

import re

import numpy as np
import pytest
from uipc.constitution import (
    AffineBodyPrismaticJointLimit,
    AffineBodyRevoluteJointExternalForce,
    AffineBodyRevoluteJointLimit,
)

from ipc_articulation.errors import SceneError
from tests.engine.joints import TIGHT, add_hinge, add_slider, begin, check_derivatives, read, term, write
from tests.engine.nodes import derivatives, energy
from tests.engine.scenes import BoxScene, translation

G, DT = 9.8, 0.01
X_AXIS, Z_AXIS = [[0, 0, 0], [0.4, 0, 0]], [[0.0, 0, 0], [0, 0, 0.4]]


def boxes(tmp_path, gravity=(0, 0, 0), child=(0, 0.5, 0), **flags):
    """A fixed parent at the origin and a free child, without contact."""
    scene = BoxScene(tmp_path, gravity=gravity, contact__enable=0, **TIGHT)
    scene.add_box(translation(0, 0, 0), is_fixed=1)
    scene.add_box(translation(*child), kappa=1e9, **flags)
    return scene


def limited_hinge(scene, lower, upper, strength=1.0, ends=X_AXIS, **attributes):
    return add_hinge(scene, *scene.slots, ends, (AffineBodyRevoluteJointLimit(), lower, upper, strength), **attributes)


def limited_slider(scene, lower, upper, strength=1.0, ends=Z_AXIS, **attributes):
    limit = (AffineBodyPrismaticJointLimit(), lower, upper, strength)
    return add_slider(scene, *scene.slots, ends, limit, **attributes)


@pytest.mark.parametrize("limited", [limited_hinge, limited_slider])
@pytest.mark.parametrize(("lower", "upper"), [(-0.7, -0.2), (0.3, 0.5), (0.2, 0.2)])
def test_gradient_and_hessian_outside_the_limits(tmp_path, limited, lower, upper):
    scene = boxes(tmp_path)
    limited(scene, lower, upper, strength=3.0)
    limits, state = term(scene.start(), "joint limit"), scene.engine.cpu.state
    begin(limits, state, DT)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = state.q + 0.02 * rng.standard_normal(state.q.shape)
        assert energy(limits, q) > 0.0
        check_derivatives(limits, q)


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [(-1.0, 0.0, 0.3**3), (0.4, 2.4, 0.05**3), (0.1, 0.1, 0.2**3), (0.5, 0.5, 0.2**3), (0.0, 0.3 + 1e-9, 0.0)],
)
def test_the_energy_is_libuipcs_cubic(tmp_path, lower, upper, expected):
    """At a distance of 0.3 m: s r³, r in widths of the interval, or in metres where it has none."""
    scene = boxes(tmp_path)
    limited_slider(scene, lower, upper, strength=7.0)
    limits, state = term(scene.start(), "joint limit"), scene.engine.cpu.state
    begin(limits, state, DT)
    q = state.q.copy()
    q[1, 2] += 0.3
    assert energy(limits, q) == pytest.approx(7.0 * expected, rel=1e-9, abs=1e-15)


def test_between_the_limits_there_is_no_force(tmp_path):
    scene = boxes(tmp_path)
    limited_hinge(scene, -0.5, 0.5)
    limits, state = term(scene.start(), "joint limit"), scene.engine.cpu.state
    begin(limits, state, DT)
    g, H = derivatives(limits, state.q + 1e-3)
    assert not g.any()
    assert not H.any()


@pytest.mark.parametrize("init", [0.0, 0.3])
def test_a_hinge_under_gravity_stops_at_its_limit(tmp_path, init):
    """An arm falls from the horizontal; at rest the limit's torque 3 s r²/w is dt² times that of the weight."""
    scene = boxes(tmp_path, gravity=(0, 0, -G), is_dynamic=0)
    strength, width = 10.0, 1.5
    joint = limited_hinge(scene, -0.5, 1.0, strength, init_angle=init)
    scene.start().run(1500)
    angle = read(joint, "angle")[0]
    torque = 3 * strength * ((-0.5 - angle) / width) ** 2 / width
    assert torque == pytest.approx(DT**2 * 8.0 * G * 0.5 * np.cos(angle - init), rel=1e-3)
    assert -0.55 < angle < -0.5
    np.testing.assert_allclose(scene.q[1, :3], [0, 0.5 * np.cos(angle - init), 0.5 * np.sin(angle - init)], atol=1e-3)


def test_a_falling_arm_goes_no_further_than_its_energy_allows(tmp_path):
    """Dynamic: s r³ never exceeds dt² times the work of the weight, and the arm bounces back."""
    scene = boxes(tmp_path, gravity=(0, 0, -G))
    joint = limited_hinge(scene, -0.5, 1.0, 100.0)
    scene.start()
    angles = np.array([read(scene.run() and joint, "angle")[0] for _ in range(80)])
    lowest = np.argmin(angles)
    assert -0.6 < angles[lowest] < -0.5
    assert 100.0 * ((-0.5 - angles[lowest]) / 1.5) ** 3 < DT**2 * 8.0 * G * 0.5 * -np.sin(angles[lowest])
    assert angles[lowest:].max() > -0.5


@pytest.mark.parametrize("init", [0.0, -0.2])
def test_a_slider_under_gravity_stops_at_its_limit(tmp_path, init):
    scene = boxes(tmp_path, gravity=(0, 0, G), is_dynamic=0)
    joint = limited_slider(scene, -0.1, 0.25, strength=2.0, init_distance=init)
    scene.start().run(1200)
    distance = read(joint, "distance")[0]
    assert 3 * 2.0 * ((distance - 0.25) / 0.35) ** 2 / 0.35 == pytest.approx(DT**2 * 8.0 * G, rel=1e-3)
    assert scene.q[1, 2] == pytest.approx(distance - init, abs=1e-6)


def test_a_limit_many_turns_away(tmp_path):
    """A motor turns the child three times round before the limit stops it."""
    scene = boxes(tmp_path, child=(0, 0, 0), is_dynamic=0)
    limit = (AffineBodyRevoluteJointLimit(), -1.0, 19.0, 1e4)
    torque = (AffineBodyRevoluteJointExternalForce(), 200.0)
    joint = add_hinge(scene, *scene.slots, Z_AXIS, limit, torque, external_torque__is_constrained=1)
    scene.start().run(80)
    angle = read(joint, "angle")[0]
    assert 19.0 < angle < 19.2
    assert 3 * 1e4 * ((angle - 19.0) / 20.0) ** 2 / 20.0 == pytest.approx(DT**2 * 200.0, rel=1e-3)


@pytest.mark.parametrize("limited", [limited_hinge, limited_slider])
def test_a_lower_limit_above_the_upper_one_is_refused(tmp_path, limited):
    scene = boxes(tmp_path)
    joint = limited(scene, -1.0, 1.0)
    write(joint, limit__lower=2.0)
    message = f"joint geometry {joint.id()}, joint 0: limit/lower 2 is above limit/upper 1; it must not be"
    with pytest.raises(SceneError, match=re.escape(message)):
        scene.start()


@pytest.mark.parametrize("attribute", ["limit/lower", "limit/upper", "limit/strength"])
def test_limits_that_are_not_finite_are_refused(tmp_path, attribute):
    scene = boxes(tmp_path)
    joint = limited_hinge(scene, -1.0, 1.0)
    write(joint, **{attribute: np.nan})
    with pytest.raises(
        SceneError, match=f"joint geometry {joint.id()}, joint 0: {attribute} is nan; it must be finite"
    ):
        scene.start()


def test_a_negative_strength_is_refused(tmp_path):
    scene = boxes(tmp_path)
    joint = limited_hinge(scene, -1.0, 1.0)
    write(joint, limit__strength=-2.0)
    with pytest.raises(SceneError, match=r"limit/strength is -2\.0; it must be finite and not negative"):
        scene.start()
