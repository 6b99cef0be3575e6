"""Linkages whose derivatives are written out, against the same functions differentiated by CasADi."""

import numpy as np
import pytest

from ipc_articulation.dynamics.loops import FourBar, Implicit, tello_hip, tello_knee_ankle
from ipc_articulation.errors import StateError
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.linkages import four_bar, geared, hip, knee_ankle

LENGTHS, OFFSET = (0.3, 0.25, 0.28), (0.26, 0.05)


CASES = [(FourBar(LENGTHS, OFFSET, k), Implicit(lambda q: four_bar(q, [*LENGTHS, *OFFSET]), 3, [k])) for k in range(3)]
CASES += [(tello_hip(N), geared(hip, N)) for N in (6.0, -2.5)]
CASES += [(tello_knee_ankle(N), geared(knee_ankle, N)) for N in (6.0, -2.5)]


@pytest.fixture(params=CASES, ids=[f"{type(ours).__name__}{k}" for k, (ours, _) in enumerate(CASES)])
def both(request):
    return request.param


def test_derivatives_are_casadis(both):
    """Off the manifold as well as on it."""
    ours, theirs = both
    for q, q_dot in np.random.default_rng(0).normal(size=(200, 2, ours.size)):
        assert_near(ours.phi(q), theirs.phi(q), 1e-15)
        assert_near(ours.K(q), theirs.K(q), 1e-14)
        assert_near(ours.k(q, q_dot), theirs.k(q, q_dot), 1e-14)


def test_motion_and_closing_are_casadis(both):
    ours, theirs = both
    rng = np.random.default_rng(1)
    for _ in range(50):
        x, y_dot = theirs.random(rng), rng.normal(size=ours.ndof)
        for got, want in zip(ours.motion(x, y_dot), theirs.motion(x, y_dot), strict=True):
            assert_near(got, want, 1e-11)
        if np.abs(theirs.G(x)).max() < 30.0:  # farther away from where the bars are in line
            start = x + 1e-4 * rng.normal(size=ours.size)
            assert_near(ours.closed(start), theirs.closed(start), 1e-9)
            assert np.abs(ours.phi(ours.closed(start))).max() <= 1e-12


def test_the_mask_form_of_a_differential_has_its_rotors_for_independent():
    """G = [1; J/N]: ẏ of the one is N times that of the other."""
    ours, rotors = tello_hip(6.0), tello_hip(1.0)
    q = ours.random(np.random.default_rng(1))
    mask = Implicit(lambda q: hip([q[0] / 6.0, q[1] / 6.0, q[2], q[3]]), 4, (0, 1))
    assert_near(6.0 * mask.G(q), ours.G(q), 1e-12)
    assert_near(rotors.G(q / [6.0, 6.0, 1.0, 1.0])[2:], ours.G(q)[2:], 1e-12)


def test_a_linkage_that_does_not_close_says_so():
    """The compiled Newton's method gives up where the other one does, with its words."""
    apart = FourBar((0.1, 0.1, 0.1), (1.0, 0.0))
    with pytest.raises(StateError, match=r"^the loop cannot be closed from here: \|φ\| is "):
        apart.closed(np.array([0.4, 0.3, 0.2]))
    with pytest.raises(StateError, match=r"^the loop is singular here"):
        FourBar((0.096, 0.031, 0.096), (0.031, 0.0)).closed(np.array([0.2, 0.0, -0.2]))
