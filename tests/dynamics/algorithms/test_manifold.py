import numpy as np
import pytest

from ipc_articulation.dynamics import Mechanism, difference, integrate, joints, normalised, random_position, rate
from tests.dynamics.by_hand import assert_near, rate_along
from tests.dynamics.random_trees import random_states


def test_each_joint_moves_on_its_own_manifold(model):
    q, v, *_ = random_states(model, 1)
    moved, velocity = integrate(model, q, v, 0.3), rate(model, q, v)
    for body in model.bodies:
        at_q, at_v = model.positions(body.joint_name), model.dofs(body.joint_name)
        np.testing.assert_allclose(moved[at_q], body.joint.integrate(q[at_q], v[at_v], 0.3), rtol=1e-14, atol=1e-15)
        np.testing.assert_array_equal(velocity[at_q], body.joint.rate(q[at_q], v[at_v]))


def test_difference_undoes_integrate(model):
    q, v, *_ = random_states(model, 2)
    assert_near(difference(model, q, integrate(model, q, v, 0.5)), 0.5 * v, 1e-13)
    q1 = random_states(model, 3).q
    reached = integrate(model, q, difference(model, q, q1))
    for at_q, _ in model.rotations:
        reached[at_q] *= np.sign(reached[at_q] @ q1[at_q])
    assert_near(reached, q1, 1e-13)


def test_rate_is_that_of_integrate(model):
    state = random_states(model, 4)
    assert_near(rate(model, state.q, state.v), rate_along(model, lambda q, v: q, state), 1e-8)


def test_normalised_changes_the_length_of_quaternions_only(model):
    q = random_states(model, 5).q
    longer = q.copy()
    for at_q, _ in model.rotations:
        longer[at_q] *= 3.0
    assert_near(normalised(model, longer), q, 1e-15)
    assert len(model.rotations) == 2


def limited():
    mechanism = Mechanism("limited")
    limits = {"lower": [-0.5, 1.0], "upper": [0.5, 3.0]}
    for name, joint, given in (
        ("cardan", joints.RzRyJoint(), limits),
        ("hinge", joints.RzJoint(), {"upper": 0.1}),
        ("ball", joints.SphericalJoint(), {}),
    ):
        mechanism.add_link(name, 1.0, inertia=1.0)
        mechanism.add_joint(name, joint, "world", name, **given)
    return mechanism.build()


def test_random_positions_fill_the_range_between_limits():
    """Both ends of every range are reached to 1% of it; a joint with one limit or none has -π to π."""
    model = limited()
    q = random_position(model, np.random.default_rng(0), 2000)
    low, high = np.array([-0.5, 1.0, -np.pi]), np.array([0.5, 3.0, np.pi])
    assert (q[:, :3] >= low).all()
    assert (q[:, :3] <= high).all()
    np.testing.assert_allclose(q[:, :3].min(axis=0), low, atol=0.01 * np.max(high - low))
    np.testing.assert_allclose(q[:, :3].max(axis=0), high, atol=0.01 * np.max(high - low))


def test_random_rotations_prefer_no_direction():
    """E[q qᵀ] = 1/4 and E[q_i⁴] = 1/8 for quaternions drawn evenly from the unit sphere, but 0.107 from a cube."""
    q = random_position(limited(), np.random.default_rng(0), 100_000)[:, 3:]
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(q.T @ q / len(q), np.eye(4) / 4.0, atol=0.005)
    np.testing.assert_allclose(np.mean(q**4, axis=0), 1.0 / 8.0, atol=0.005)


def test_one_random_position_or_many():
    model = limited()
    one = random_position(model, np.random.default_rng(3))
    assert one.shape == (7,)
    np.testing.assert_array_equal(one, random_position(model, np.random.default_rng(3)))
    assert random_position(model, np.random.default_rng(3), 4).shape == (4, 7)


@pytest.mark.parametrize("function", [integrate, rate, difference])
def test_robots_without_quaternions(function):
    mechanism = Mechanism("slider")
    mechanism.add_link("slider", 1.0)
    mechanism.add_joint("slider", joints.TxTyTzJoint(), "world", "slider")
    x, y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25, -1.0])
    expected = {integrate: x + y, rate: y, difference: y - x}[function]
    result = function(mechanism.build(), x, y)
    np.testing.assert_array_equal(result, expected)
    assert not np.shares_memory(result, y)
