"""Forces of barriers that the model of a Newton step foresees."""

import numpy as np
import pytest

from ipc_articulation.contact import foresight
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.closest_points import closest_points
from ipc_articulation.contact.foresight import NOTHING_FORESEEN, chord
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST

D_HAT = 1e-3


def slope_at(gap, foreseen, xi=0.0):
    _, slope, curvature = barrier(gap, D_HAT, xi)
    return chord(gap, slope, curvature, foreseen, D_HAT, xi)


def iterations(gap, force, foresees):
    """Of Newton's method for B'(d) = -force, from a gap, until the force is right to 1e-6."""
    beta = np.nan
    for count in range(1, 100):
        slope, h = barrier(gap, D_HAT, 0.0)[1], slope_at(gap, beta)
        if abs(slope + force) < 1e-6 * force:
            return count
        change = (-force - slope) / h
        beta = slope + h * change if foresees else np.nan
        gap = min(max(gap + change, 0.1 * gap), 0.999 * D_HAT)
    return count


@pytest.mark.parametrize("xi", [0.0, 2e-3])
@pytest.mark.parametrize("goal", [1e-9, 1e-5, 2e-4, 8e-4, 0.99e-3])
@pytest.mark.parametrize("gap", [1e-8, 3e-5, 5e-4, 0.9e-3])
def test_a_chord_ends_near_the_gap_with_the_force_that_is_foreseen(gap, goal, xi):
    slope, beta = barrier(gap, D_HAT, xi)[1], barrier(goal, D_HAT, xi)[1]
    reached = gap + (beta - slope) / slope_at(gap, beta, xi)
    assert abs(reached - goal) < 0.03 * max(abs(gap - goal), min(goal, D_HAT - goal))


def test_the_slope_is_that_of_the_barrier_where_nothing_or_the_same_is_foreseen():
    _, slope, curvature = barrier(3e-4, D_HAT, 0.0)
    assert slope_at(3e-4, np.nan) == slope_at(3e-4, slope) == curvature
    assert chord(2e-3, 0.0, 0.0, -1.0, D_HAT, 0.0) == 0.0


def test_the_chord_to_a_gap_that_opens_ends_at_the_edge():
    _, slope, _ = barrier(4e-4, D_HAT, 0.0)
    np.testing.assert_allclose(slope_at(4e-4, 0.0), -slope / (D_HAT - 4e-4), rtol=1e-12)


@pytest.mark.parametrize("gap", [1e-9, 1e-6, 0.5e-3, 0.999e-3])
@pytest.mark.parametrize("goal", [1e-6, 0.5e-3, 0.99e-3])
def test_newtons_method_finds_a_gap_in_few_iterations(gap, goal):
    assert iterations(gap, -barrier(goal, D_HAT, 0.0)[1], foresees=True) <= (6 if gap <= goal else 16)


def test_without_foresight_it_takes_many():
    assert iterations(1e-9, -barrier(0.99e-3, D_HAT, 0.0)[1], foresees=False) > 25


def test_stencils_are_found_again_among_thousands():
    rng = np.random.default_rng(0)
    x = rng.random((5000, 3))
    vertices = rng.permuted(np.arange(5000).reshape(-1, 4), axis=1)
    kind = np.full(len(vertices), VERTEX_OF_FIRST)
    slopes = np.stack([-np.arange(len(kind)) - 1.0, np.zeros(len(kind))], axis=1)
    known = foresight.foresee(kind, vertices, x, x, slopes)
    others = vertices[:, [0, 2, 1, 3]]
    for wanted, of in ((vertices, slopes[:, 0]), (others, 0.0)):
        h = foresight.slopes(kind, wanted, 1e-3 * x, 5.0, 0.0, *known)[:, 1]
        near, n = foresight.slopes(kind, wanted, 1e-3 * x, 5.0, 0.0, *NOTHING_FORESEEN), len(wanted)
        gaps = np.array([_gap(1e-3 * x[v]) for v in wanted])
        of = np.broadcast_to(of, n)
        expected = [chord(*given, 5.0, 0.0) for given in zip(gaps, *near.T, of, strict=True)]
        np.testing.assert_allclose(h, expected, rtol=1e-6)


def _gap(x):
    return np.sqrt(closest_points(VERTEX_OF_FIRST, x, (0, 1, 2, 3), np.empty(4), np.empty(3)))
