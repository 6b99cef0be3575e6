import numpy as np
import pytest

from ipc_articulation.dynamics import (
    Mechanism,
    bias_forces,
    coriolis_matrix,
    forward_dynamics,
    inverse_mass_matrix,
    joints,
    kinetic_energy,
    mass_matrix,
)
from tests.dynamics.by_hand import assert_near
from tests.dynamics.random_trees import random_inertia, random_mechanism, random_states


@pytest.mark.parametrize("seed", range(3))
def test_far_away_is_as_at_home(seed):
    mechanism = random_mechanism(seed, floating=True)
    mechanism.joints[0].origin[:3, 3] = 0.0
    model = mechanism.build()
    q, v, _, tau, _ = random_states(model, seed)
    far = q.copy()
    far[:3] += [1e6, -2e6, 3e6]
    assert_near(mass_matrix(model, far), mass_matrix(model, q), 1e-12)
    assert_near(inverse_mass_matrix(model, far), inverse_mass_matrix(model, q), 1e-12)
    assert_near(bias_forces(model, far, v), bias_forces(model, q, v), 1e-12)
    assert_near(coriolis_matrix(model, far, v), coriolis_matrix(model, q, v), 1e-12)
    assert_near(forward_dynamics(model, far, v, tau), forward_dynamics(model, q, v, tau), 1e-12)
    assert kinetic_energy(model, far, v) == pytest.approx(kinetic_energy(model, q, v), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_spinning_body_falls_straight(seed):
    """With the centre of mass at the origin v̇ = g at any spin, and the moment of momentum stays: İω + I ω̇ = 0."""
    rng = np.random.default_rng(seed)
    mechanism = Mechanism("stone", gravity=rng.normal(size=3))
    mechanism.add_link("stone", 2.0, inertia=random_inertia(rng))
    mechanism.add_joint("free", joints.FloatingJoint(), "world", "stone")
    model = mechanism.build()
    state = random_states(model, seed)
    v = 100.0 * state.v
    a = forward_dynamics(model, state.q, v, np.zeros(6))
    np.testing.assert_allclose(a[:3], model.gravity, atol=1e-12)
    R = joints.FloatingJoint().pose_at(state.q)[:3, :3]
    inertia = R @ mechanism.links[0].inertia @ R.T
    assert_near(inertia @ a[3:], np.cross(inertia @ v[3:], v[3:]), 1e-12)
