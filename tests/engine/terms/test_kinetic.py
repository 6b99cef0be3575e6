"""The kinetic term: what rounding of coordinates does to the energy."""

from types import SimpleNamespace

import numpy as np
import pytest

from ipc_articulation.engine.terms.kinetic import Kinetic


def kinetic(q, external=False):
    """Of one body of 3 kg, with q̃ = q (1, 12)."""
    no = np.zeros(1, dtype=bool)
    bodies = SimpleNamespace(is_fixed=no, external_kinetic=~no if external else no, is_dynamic=~no, q=q)
    bodies.mass = np.diag([3.0] * 3 + [0.02] * 9)[None]
    return Kinetic(bodies, np.zeros((1, 3)), 1)


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("far", [1.0, 1e3, 1e6])
def test_rounding_bounds_what_the_last_digit_of_coordinates_does_to_forces_in_balance(far, external):
    """Also of links whose inertia is an articulation's: the same forces act on them."""
    rng = np.random.default_rng(0)
    q_tilde = np.array([[far, 0.5 * far, -far, *np.eye(3).ravel()]])
    q = q_tilde + 1e-3 * rng.normal(size=12)
    term = kinetic(q_tilde, external)
    bound = term.rounding(q)[0]
    force = kinetic(q_tilde).arrays.M[0] @ (q - q_tilde)[0]
    changes = np.abs([force @ (q[0] - np.nextafter(q[0], q[0] + rng.normal(size=12))) for _ in range(100)])
    assert 0.02 * bound < changes.max() < bound


def test_rounding_is_of_what_moves():
    q = np.array([[1e3, 0.0, 0.0, *np.eye(3).ravel()]])
    term = kinetic(q)
    term.select(np.zeros(1, dtype=bool))
    assert term.rounding(q + 1.0)[0] == 0.0
