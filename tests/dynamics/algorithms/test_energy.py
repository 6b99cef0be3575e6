import numpy as np
import pytest

from ipc_articulation.dynamics import (
    centre_of_mass,
    forward_dynamics,
    gravity_forces,
    integrate,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from tests.derivatives import central_difference
from tests.dynamics.by_hand import assert_near, body_motions, rate_along
from tests.dynamics.random_trees import random_states


def test_kinetic_energy_is_that_of_the_mass_matrix(model):
    q, v, *_ = random_states(model, 1)
    assert kinetic_energy(model, q, v) == pytest.approx(0.5 * v @ mass_matrix(model, q) @ v, rel=1e-12)


def test_kinetic_energy_is_that_of_bodies_and_rotors(model):
    state = random_states(model, 2)
    twice = sum(motion.momentum @ motion.velocity for motion in body_motions(model, state))
    twice += model.coordinates.rotor_inertia @ state.v**2
    assert kinetic_energy(model, state.q, state.v) == pytest.approx(0.5 * twice, rel=1e-12)


def test_potential_energy_is_that_of_the_centre_of_mass(model):
    q = random_states(model, 3).q
    expected = -model.mass * model.gravity @ centre_of_mass(model, q)
    assert potential_energy(model, q) == pytest.approx(expected, rel=1e-12)


def test_gravity_forces_are_the_gradient_of_potential_energy(model):
    q = random_states(model, 4).q
    slope = central_difference(lambda step: potential_energy(model, integrate(model, q, step)), np.zeros(model.nv))
    assert_near(gravity_forces(model, q), slope, 1e-7)


def test_power_of_the_forces_is_the_rate_of_energy(model):
    """d(KE + PE)/dt = τ·v along the motion that τ causes."""
    state = random_states(model, 5)
    state = state._replace(a=forward_dynamics(model, state.q, state.v, state.tau))
    rate = rate_along(model, lambda q, v: kinetic_energy(model, q, v) + potential_energy(model, q), state)
    scale = np.abs(state.tau * state.v).sum() + kinetic_energy(model, state.q, state.v)
    assert rate == pytest.approx(state.tau @ state.v, abs=1e-6 * scale)
