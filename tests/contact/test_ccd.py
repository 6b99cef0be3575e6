"""Continuous collision detection: nothing is passed through, and no motion is cut without need."""

import ipctk
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.contact.ccd import FLOOR, lower_fractions
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, Stencils


def two_edges(start, end, thickness=0.0, d_hat=np.inf):
    """Limit of the edges (x₀, x₁) and (x₂, x₃)."""
    return _limit(EDGES, start, end, thickness, d_hat)


def vertex_and_face(start, end, thickness=0.0, d_hat=np.inf):
    """Limit of the vertex x₀ and the face (x₁, x₂, x₃)."""
    return _limit(VERTEX_OF_FIRST, start, end, thickness, d_hat)


def _limit(kind, start, end, thickness, d_hat):
    islands, limits = (np.array([0, 0]), np.array([True, True])), np.array([1.0, 0.5])
    lower_fractions(
        *stencils([[0, 1]], kind),
        *islands,
        start,
        end,
        thickness,
        d_hat,
        np.full(2, FLOOR * np.abs(start).max()),
        limits,
    )
    assert limits[1] == 0.5, "the row of no label"
    return limits[0]


def stencils(bodies, kind=VERTEX_OF_FIRST):
    """Columns of one stencil for each pair of bodies, of four vertices of its own."""
    count = len(bodies)
    vertices = np.arange(4 * count).reshape(count, 4)
    return Stencils(np.array(bodies), np.arange(count), np.full(count, kind), vertices, np.zeros(count)).columns[:4]


def distance(limit, x):
    squared = ipctk.edge_edge_distance if limit is two_edges else ipctk.point_triangle_distance
    return np.sqrt(squared(*x))


@pytest.mark.parametrize("limit", [two_edges, vertex_and_face])
@pytest.mark.parametrize("thickness", [0.0, 0.05])
@pytest.mark.parametrize("d_hat", [np.inf, 0.2])
def test_keeps_a_tenth_of_the_gap_or_of_d_hat_and_cuts_no_more_than_that(limit, thickness, d_hat):
    rng, cut = np.random.default_rng(0), 0
    for _ in range(500):
        start = rng.normal(size=(4, 3))
        end = start + rng.choice([0.1, 1.0, 5.0]) * rng.normal(size=(4, 3))
        gap = distance(limit, start) - thickness
        if gap <= 0.0:
            continue
        share, rest = limit(start, end, thickness, d_hat), 0.1 * min(gap, d_hat)
        gaps = [distance(limit, start + t * share * (end - start)) - thickness for t in np.linspace(0, 1, 50)]
        assert min(gaps) >= rest * (1.0 - 1e-9)
        if share < 1.0:
            cut += 1
            farther = [
                distance(limit, start + min(t, 1.0) * (end - start)) - thickness
                for t in np.linspace(share, 1.1 * share + 0.01, 50)
            ]
            assert min(farther) < 3.0 * rest, "one could go a good deal farther"
    assert cut > 20, "there must be collisions"


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-5])
@pytest.mark.parametrize("gap", [1e-6, 1e-9, 5e-11])
def test_edges_that_almost_touch_and_are_almost_parallel(angle, gap):
    start = np.array([[-0.3, 0, 0], [0.5, 0, 0], [-0.3, -0.3 * angle, gap], [0.4, 0.4 * angle, gap]])
    start += [0.3, 0.7, 0.2]
    down = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1e-3], [0, 0, 1e-3]])
    assert two_edges(start, start - down) == pytest.approx(0.9 * gap / 1e-3, rel=1e-3)


def test_sliding_very_near_a_face_is_free():
    start = np.array([[0.2, 0.2, 1e-10], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    aside = np.array([[0.4, 0.1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert vertex_and_face(start, start + aside) == 1.0


def turning_and_sliding(gap, slide):
    """A vertex that slides along a face of 0.2 m that turns by 1 mrad; the gap doubles. Before and after."""
    face = 0.2 * np.array([[-1, -1, 0], [2, -1, 0], [-1, 2, 0.0]])
    turn = Rotation.from_rotvec([0, 1e-3, 0]).as_matrix()
    start = np.vstack([[0.01, 0.0, gap], face])
    return start, np.vstack([[0.01 + slide, 0.0, 2.0 * gap], face]) @ turn.T


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 5e-11])
def test_sliding_very_near_a_face_that_turns_is_free_where_the_gap_grows(gap):
    """Axes that do not turn prove a few hundredths of this way."""
    start, end = turning_and_sliding(gap, slide=-1e-3)
    assert min(distance(vertex_and_face, start + t * (end - start)) for t in np.linspace(0, 1, 200)) >= 0.99 * gap
    assert vertex_and_face(start, end) == 1.0


@pytest.mark.parametrize("gap", [1e-9, 5e-11])
def test_sliding_very_near_a_face_that_turns_is_cut_where_little_of_the_gap_is_left(gap):
    start, end = turning_and_sliding(gap, slide=1e-3)
    share = vertex_and_face(start, end)
    assert 0.0 < share < 1.0
    assert 0.1 * gap < distance(vertex_and_face, start + share * (end - start)) < 0.5 * gap


def test_the_smallest_gaps_may_grow_but_not_shrink():
    start = np.array([[0.2, 0.2, 1e-13], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    up = np.array([[0, 0, 1e-3], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert vertex_and_face(start, start + up) == 1.0
    assert vertex_and_face(start, start - up) == 0.0


FACE = np.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]])


def over_faces(*gaps):
    """A vertex over a face for each gap, (4k, 3), 100 m apart."""
    aside = np.array([100.0, 0, 0])
    return np.concatenate([np.vstack([(0.2, 0.2, gap), FACE]) + k * aside for k, gap in enumerate(gaps)])


def test_each_island_has_a_limit_of_its_own():
    """Bodies 0 and 1, and 2 and 3, meet at different times; 4 and 5 part; 6 and 7 do not move at all."""
    start, end = over_faces(0.5, 0.2, 0.1, 0.3), over_faces(-0.5, -0.8, 0.4, -0.7)
    pairs = stencils([[0, 1], [2, 3], [4, 5], [6, 7]])
    moving, limits = np.arange(8) < 6, np.ones(8)
    lower_fractions(*pairs, np.array([0, 0, 2, 2, 4, 4, 6, 6]), moving, start, end, 0.0, np.inf, np.zeros(8), limits)
    np.testing.assert_allclose(limits, [0.9 * 0.5, 1, 0.9 * 0.2, 1, 1, 1, 1, 1], rtol=1e-12)
    lower_fractions(*pairs, np.array([0, 0, 0, 0, 4, 4, 6, 6]), moving, start, end, 0.0, np.inf, np.zeros(8), limits)
    np.testing.assert_allclose(limits[:3], [0.9 * 0.2, 1, 0.9 * 0.2], rtol=1e-12)


@pytest.mark.parametrize("pair", [[0, 1], [1, 0]])
def test_what_does_not_move_is_an_obstacle_without_a_limit(pair):
    """Body 0 moves against body 1, which is not in its island, be it the face or the vertex."""
    start, end, limits = over_faces(0.5), over_faces(-0.5), np.ones(2)
    lower_fractions(*stencils([pair]), np.arange(2), np.array([True, False]), start, end, 0.0, 0.1, np.zeros(2), limits)
    np.testing.assert_allclose(limits, [0.5 - 0.1 * 0.1, 1.0], rtol=1e-12)


def test_limits_are_only_lowered():
    start, end = over_faces(0.5), over_faces(-0.5)
    for before in (0.0, 0.3, 1.0):
        limits = np.full(2, before)
        lower_fractions(
            *stencils([[0, 1]]), np.zeros(2, int), np.ones(2, bool), start, end, 0.0, 0.1, np.zeros(2), limits
        )
        np.testing.assert_allclose(limits, [min(before, 0.49), before], rtol=1e-12)
