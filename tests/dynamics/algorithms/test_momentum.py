import numpy as np

from ipc_articulation.dynamics import (
    centre_of_mass,
    centre_of_mass_jacobian,
    centroidal_momentum,
    centroidal_momentum_matrix,
    forward_dynamics,
)
from tests.dynamics.by_hand import assert_near, body_motions, moved, rate_along
from tests.dynamics.random_trees import random_states


def moving(model, state):
    """Bodies that are not fixed to the world."""
    motions = zip(model.body_node, body_motions(model, state), strict=True)
    return [motion for node, motion in motions if node >= 0]


def test_centre_of_mass_is_the_mean_of_what_moves(model):
    state = random_states(model, 1)
    bodies = moving(model, state)
    mass = sum(body.mass for body in bodies)
    assert_near(centre_of_mass(model, state.q), sum(body.mass * body.x for body in bodies) / mass)
    assert_near(model.mass, mass)


def test_velocity_of_the_centre_of_mass(model):
    state = random_states(model, 2)
    rate = rate_along(model, lambda q, v: centre_of_mass(model, q), state)
    assert_near(centre_of_mass_jacobian(model, state.q) @ state.v, rate, 1e-7)


def test_momentum_is_the_sum_over_bodies(model):
    state = random_states(model, 3)
    c = centre_of_mass(model, state.q)
    total = sum(moved(body.momentum, body.x, c) for body in moving(model, state))
    assert_near(centroidal_momentum(model, state.q, state.v), total)
    assert_near(centroidal_momentum_matrix(model, state.q) @ state.v, total)


def test_only_forces_from_outside_change_the_momentum_of_a_robot_in_flight(free_model):
    """dp/dt = m g + Σ f, dL/dt = Σ (n - c × f), whatever the motors do."""
    model, state = free_model, random_states(free_model, 4)
    state.tau[:6] = 0.0
    for wrenches in (np.zeros_like(state.wrenches), state.wrenches):
        weight = np.concatenate([np.zeros(3), model.mass * model.gravity])
        a = forward_dynamics(model, state.q, state.v, state.tau, wrenches)
        rate = rate_along(model, lambda q, v: centroidal_momentum(model, q, v), state._replace(a=a))
        pushed = moved(wrenches.sum(axis=0), np.zeros(3), centre_of_mass(model, state.q))
        scale = np.abs(centroidal_momentum(model, state.q, state.v)).max()
        assert_near(rate, pushed + weight, 1e-8 * scale)
