"""What joints and motors do."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import joints
from ipc_articulation.errors import StateError


@pytest.fixture
def model():
    """A ball joint and a hinge with springs, dampers, friction and a weak motor."""
    mechanism = dyn.Mechanism("two")
    mechanism.add_link("a", 1.0, (0, 0, 0.3), 0.05)
    mechanism.add_link("b", 1.0, (0, 0, 0.3), 0.05)
    mount = spatial.quaternion_exp([0.3, -0.2, 0.5])
    mechanism.add_joint(
        "ball",
        joints.SphericalJoint(),
        "world",
        "a",
        stiffness=5.0,
        spring_mount=mount,
        damping=(1, 2, 3),
        friction=0.2,
    )
    mechanism.add_joint(
        "hinge", joints.RevoluteJoint((0, 1, 0)), "a", "b", stiffness=7.0, spring_mount=0.4, damping=0.5, effort=10.0
    )
    return mechanism.build()


@pytest.fixture
def state(model):
    rng = np.random.default_rng(1)
    return dyn.random_position(model, rng), rng.normal(size=model.nv)


def test_springs_pull_down_their_energy(model, state):
    q, h = state[0], 1e-6
    slope = [
        (
            dyn.spring_energy(model, dyn.integrate(model, q, h * e))
            - dyn.spring_energy(model, dyn.integrate(model, q, -h * e))
        )
        / (2 * h)
        for e in np.eye(model.nv)
    ]
    np.testing.assert_allclose(dyn.spring_forces(model, q), -np.array(slope), atol=1e-8)


def test_springs_rest_at_their_mounts(model):
    mount = np.array([*spatial.quaternion_exp([0.3, -0.2, 0.5]), 0.4])
    np.testing.assert_allclose(dyn.spring_forces(model, mount), 0.0, atol=1e-15)
    turned = mount.copy()
    turned[:4] = spatial.quaternion_product(spatial.quaternion_exp([0.0, 0.0, 0.1]), mount[:4])
    np.testing.assert_allclose(dyn.spring_forces(model, turned), [0, 0, -0.5, 0], atol=1e-14)


def test_dampers(model):
    np.testing.assert_allclose(dyn.damping_forces(model, [1, 1, 1, 2]), [-1, -2, -3, -1])


def test_dry_friction_is_bounded(model):
    np.testing.assert_allclose(dyn.friction_forces(model, [5e-4, -1.0, 0.0, 1.0]), [-0.1, 0.2, 0.0, 0.0])


def test_passive_forces_are_all_of_them_and_take_batches(model, state):
    q, v = state
    total = dyn.damping_forces(model, v) + dyn.spring_forces(model, q) + dyn.friction_forces(model, v)
    np.testing.assert_array_equal(
        dyn.passive_forces(model, np.tile(q, (3, 1)), np.tile(v, (3, 1))), np.tile(total, (3, 1))
    )


def test_motors_are_clipped_to_their_effort(model):
    np.testing.assert_array_equal(dyn.within_effort(model, [1e3, 0, 0, 11]), [1e3, 0, 0, 10])


def test_pd_control(model, state):
    q, v = state
    pd = dyn.PD.to(model, model.neutral, kp=[1, 2, 3, 4], kd=2.0, v=0.5)
    expected = [1, 2, 3, 4] * dyn.difference(model, q, model.neutral) + 2.0 * (0.5 - v)
    np.testing.assert_allclose(pd.forces(model, q, v), expected)


def test_a_motor_at_its_limit_gives_its_limit(model):
    pd = dyn.PD.to(model, [1, 0, 0, 0, 1.0], kp=100.0, kd=1.0)
    rest, tau = pd.limited(model, model.neutral, np.zeros(4))
    np.testing.assert_array_equal(tau, [0, 0, 0, 10.0])
    np.testing.assert_array_equal(rest.kp, [100, 100, 100, 0])
    np.testing.assert_array_equal(rest.kd, [1, 1, 1, 0])


def test_bad_control_is_refused(model):
    with pytest.raises(StateError, match=r"kp of 'ball\[1\]' is negative; give zero or more"):
        dyn.PD.to(model, model.neutral, kp=[1, -1, 0, 0], kd=0.0)
    with pytest.raises(StateError, match=r"target position has shape \(4,\); give one number or \(5,\)"):
        dyn.PD.to(model, np.zeros(4), kp=1.0, kd=0.0)
    with pytest.raises(StateError, match="kd must be finite; it is nan"):
        dyn.PD.to(model, model.neutral, kp=1.0, kd=np.nan)
