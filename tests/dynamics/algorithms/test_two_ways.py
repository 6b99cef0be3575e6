"""Every algorithm of the equation of motion, M a + h = τ + Σ Jᵀ w, against another one or against Newton and Euler."""

import numpy as np

from ipc_articulation.dynamics import (
    bias_forces,
    coriolis_forces,
    coriolis_matrix,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    inverse_mass_matrix,
    mass_matrix,
)
from tests.dynamics.by_hand import assert_near, body_motions, moved, rate_along
from tests.dynamics.random_trees import random_mechanism, random_states


def test_inverse_dynamics_undoes_forward_dynamics(model):
    q, v, _, tau, wrenches = random_states(model, 1)
    for pushed in ((), (wrenches,)):
        a = forward_dynamics(model, q, v, tau, *pushed)
        assert_near(inverse_dynamics(model, q, v, a, *pushed), tau, 1e-10)


def test_inverse_dynamics_is_newtons_and_eulers(model):
    """τ = Σ J_cᵀ (what each body needs - the wrench on it) + rotor inertia · a."""
    state = random_states(model, 2)
    tau = model.coordinates.rotor_inertia * state.a
    for motion, wrench in zip(body_motions(model, state), state.wrenches, strict=True):
        tau += motion.J.T @ (motion.needs(model.gravity) - moved(wrench, np.zeros(3), motion.x))
    assert_near(inverse_dynamics(model, *state[:3], state.wrenches), tau)


def test_equation_of_motion(model):
    state = random_states(model, 3)
    q, v, a, _, wrenches = state
    pushed = np.zeros(model.nv)
    for motion, wrench in zip(body_motions(model, state), wrenches, strict=True):
        pushed += motion.J.T @ moved(wrench, np.zeros(3), motion.x)
    tau = mass_matrix(model, q) @ a + bias_forces(model, q, v) - pushed
    assert_near(inverse_dynamics(model, q, v, a, wrenches), tau)


def test_mass_matrix_is_a_sum_over_bodies(model):
    """M = Σ J_cᵀ diag(I, m) J_c + rotors on the diagonal, symmetric to the last digit."""
    state = random_states(model, 4)
    M = np.diag(model.coordinates.rotor_inertia)
    for motion in body_motions(model, state):
        M = M + motion.J[:3].T @ motion.inertia @ motion.J[:3] + motion.mass * motion.J[3:].T @ motion.J[3:]
    got = mass_matrix(model, state.q)
    assert_near(got, M)
    np.testing.assert_array_equal(got, got.T)


def test_inverse_mass_matrix(model):
    q = random_states(model, 5).q
    M, W = mass_matrix(model, q), inverse_mass_matrix(model, q)
    assert_near(W @ M, np.eye(model.nv), 1e-10)
    assert_near(W, W.T, 1e-12)


def test_rotor_inertia_appears_on_the_diagonal_only():
    with_rotors, without = (random_mechanism(1, floating=False, rotors=rotors).build() for rotors in (True, False))
    q, v, *_ = random_states(without, 6)
    difference = mass_matrix(with_rotors, q) - mass_matrix(without, q)
    assert_near(difference, np.diag(with_rotors.coordinates.rotor_inertia), 1e-13)
    assert with_rotors.coordinates.rotor_inertia.any()
    np.testing.assert_array_equal(bias_forces(with_rotors, q, v), bias_forces(without, q, v))


def test_bias_is_inverse_dynamics_without_acceleration(model):
    q, v, *_ = random_states(model, 7)
    h = bias_forces(model, q, v)
    assert_near(h, inverse_dynamics(model, q, v, np.zeros(model.nv)))
    assert_near(gravity_forces(model, q), bias_forces(model, q, np.zeros(model.nv)))
    assert_near(coriolis_forces(model, q, v), h - gravity_forces(model, q))


def test_coriolis_matrix_gives_coriolis_forces(model):
    q, v, *_ = random_states(model, 8)
    assert_near(coriolis_matrix(model, q, v) @ v, coriolis_forces(model, q, v))


def test_rate_of_the_mass_matrix_is_the_coriolis_matrix_and_its_transpose(model):
    state = random_states(model, 9)
    C = coriolis_matrix(model, state.q, state.v)
    assert_near(C + C.T, rate_along(model, lambda q, v: mass_matrix(model, q), state), 1e-7)
