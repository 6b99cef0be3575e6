"""The kinetic term: what rounding of coordinates does to the energy."""

from types import SimpleNamespace

import numpy as np
import pytest

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.usual import rounding, take_usual
from ipc_articulation.frontend.nodes.numbering import Numbering, nodes_of

MASS = np.diag([3.0] * 3 + [0.02] * 9)
EVERY = np.ones(1, dtype=bool)


def kinetic(q, external=False):
    """Of one body of 3 kg, with q̃ = q (1, 12)."""
    none = np.zeros(0, dtype=np.int64)
    bodies = SimpleNamespace(external_kinetic=EVERY if external else ~EVERY, is_dynamic=EVERY)
    bodies.mass = MASS[None]
    numbering = Numbering(4 * np.arange(2), np.zeros(1, dtype=int), ~EVERY, none, none, np.zeros(1, dtype=int))
    term = Kinetic(bodies, 1, numbering)
    held, _ = take_usual([term], 1, 4)
    _aim(held, nodes_of(q)[0])
    return held


@compiled
def _aim(usual, x):
    usual.wells.goal[:] = x


def noise(held, q, moving=EVERY):
    """By how much rounding of q (1, 12) may change the energy."""
    return rounding(held, nodes_of(q)[0], moving)[0]


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("far", [1.0, 1e3, 1e6])
def test_rounding_bounds_what_the_last_digit_of_coordinates_does_to_forces_in_balance(far, external):
    """Also of links whose inertia is an articulation's: the same forces act on them."""
    rng = np.random.default_rng(0)
    q_tilde = np.array([[far, 0.5 * far, -far, *np.eye(3).ravel()]])
    q = q_tilde + 1e-3 * rng.normal(size=12)
    bound = noise(kinetic(q_tilde, external), q)
    force = MASS @ (q - q_tilde)[0]
    changes = np.abs([force @ (q[0] - np.nextafter(q[0], q[0] + rng.normal(size=12))) for _ in range(100)])
    assert 0.02 * bound < changes.max() < bound


def test_rounding_is_of_what_moves():
    q = np.array([[1e3, 0.0, 0.0, *np.eye(3).ravel()]])
    assert noise(kinetic(q), q + 1.0, ~EVERY) == 0.0
