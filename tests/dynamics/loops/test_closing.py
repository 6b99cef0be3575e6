"""Closing a loop finds the assembly beside the position that it starts from."""

import numpy as np
import pytest

from ipc_articulation.dynamics.loops import FourBar, Implicit
from ipc_articulation.errors import StateError
from tests.dynamics.loops import linkages
from tests.dynamics.loops.random_clusters import six_bar

BARS = (0.4, 0.25, 0.4), (0.07, 0.24)  # lengths and offset [m]


def six_bars():
    """Thirty six-bar linkages, each with its source of chance."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        yield six_bar(rng).constraint, rng


def test_the_nearest_assembly():
    """The crank is turned by up to 1 rad: no angle of the linkage turns by more than 1.5 rad."""
    for constraint, rng in six_bars():
        for crank in rng.uniform(-1.0, 1.0, 30):
            q = constraint.closed(np.array([crank, 0.0, 0.0, 0.0, 0.0]))
            assert q[0] == crank
            assert np.abs(q).max() < 1.5
            assert np.abs(constraint.phi(q)).max() <= 1e-12


def test_random_positions_are_near():
    for constraint, rng in six_bars():
        assert max(np.abs(constraint.random(rng)).max() for _ in range(30)) < 1.5


@pytest.mark.parametrize("independent", [0, 1, 2])
def test_compiled_and_general_method_take_the_same_steps(independent):
    compiled, own = FourBar(*BARS, independent), (*BARS[0], *BARS[1])
    general = Implicit(lambda q: linkages.four_bar(q, own), 3, [independent])
    rng, ends = np.random.default_rng(independent), []
    for _ in range(50):
        start = compiled.random(rng) + rng.uniform(-0.8, 0.8, 3)
        try:
            ends.append(general.closed(start))
        except StateError:
            with pytest.raises(StateError):
                compiled.closed(start)
        else:
            np.testing.assert_allclose(compiled.closed(start), ends[-1], rtol=0.0, atol=1e-9)
    assert len(ends) > 10


@pytest.mark.parametrize("turns", [0.0, 1e3, 1e6])
def test_after_many_turns(turns):
    """Rounding of an angle of 6e6 rad is 1e-9 rad, and no step of Newton can do better."""
    for constraint, rng in six_bars():
        near = constraint.random(rng)
        far = near + 2.0 * np.pi * turns * np.array([0.0, 0.0, 1.0, 0.0, 1.0])  # rocker and lever, on fixed pivots
        far[1] += 1e-3
        rounding = 1e-12 * max(1.0, np.abs(far).max())
        np.testing.assert_allclose(constraint.closed(far) - far + [0.0, 1e-3, 0.0, 0.0, 0.0], 0.0, atol=1e2 * rounding)


def test_gears_close_in_one_step():
    """However long it is: the motor turns 90 rad."""
    gear = Implicit(lambda q: np.array([q[1] - 100.0 * q[0]]), 2, [0])
    np.testing.assert_allclose(gear.closed(np.array([0.9, 0.0])), [0.9, 90.0], rtol=1e-15)


def test_random_positions_of_bars_that_zero_is_far_from():
    """At zero all bars are in line, and the nearest assembly is more than a radian away."""
    linkage = FourBar((0.4, 0.4, 0.25), (0.07, 0.24))
    rng = np.random.default_rng(0)
    assert all(np.abs(linkage.phi(linkage.random(rng))).max() <= 1e-12 for _ in range(50))


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e9])
def test_rounding_errors_of_large_terms_end_the_iteration(scale):
    """φ never gets below 1e-16 of its terms, which |K| |q| does not know, but q is exact: b = 0."""
    loop = Implicit(lambda q: [scale * (np.sin(q[0] + q[1] + 0.5) - np.sin(q[0] + 0.5))], 2, [0])
    for a, b in np.random.default_rng(0).uniform(-0.3, 0.3, (100, 2)):
        assert abs(loop.closed(np.array([a, b]))[1]) < 1e-15
