"""Continuous collision detection: nothing is passed through, and no motion is cut without need."""

import ipctk
import numpy as np
import pytest

from ipc_articulation.contact.ccd import step_limit
from ipc_articulation.contact.surfaces import Surfaces


def two_edges(start, end, thickness=0.0):
    """Limit of the edges (x₀, x₁) and (x₂, x₃)."""
    return _limit(start, end, [[0, 1], [2, 3]], [], [[0, 1]], np.zeros((0, 2), int), thickness)


def vertex_and_face(start, end, thickness=0.0):
    """Limit of the vertex x₀ and the face (x₁, x₂, x₃)."""
    return _limit(start, end, [], [[1, 2, 3]], np.zeros((0, 2), int), [[0, 0]], thickness)


def _limit(start, end, edges, faces, edge_pairs, face_pairs, thickness):
    edges, faces = np.array(edges, np.int32).reshape(-1, 2), np.array(faces, np.int32).reshape(-1, 3)
    surfaces = Surfaces(np.zeros((4, 3)), np.zeros(4, int), edges, faces, np.zeros(4))
    start, end = np.asfortranarray(start), np.asfortranarray(end)
    return step_limit(surfaces, np.array(edge_pairs), np.array(face_pairs), start, end, thickness)


def distance(limit, x):
    squared = ipctk.edge_edge_distance if limit is two_edges else ipctk.point_triangle_distance
    return np.sqrt(squared(*x))


@pytest.mark.parametrize("limit", [two_edges, vertex_and_face])
@pytest.mark.parametrize("thickness", [0.0, 0.05])
def test_keeps_a_tenth_of_the_gap_and_cuts_no_more_than_that(limit, thickness):
    rng, cut = np.random.default_rng(0), 0
    for _ in range(500):
        start = rng.normal(size=(4, 3))
        end = start + rng.choice([0.1, 1.0, 5.0]) * rng.normal(size=(4, 3))
        gap = distance(limit, start) - thickness
        if gap <= 0.0:
            continue
        share = limit(start, end, thickness)
        gaps = [distance(limit, start + t * share * (end - start)) - thickness for t in np.linspace(0, 1, 50)]
        assert min(gaps) >= 0.1 * gap * (1.0 - 1e-9)
        if share < 1.0:
            cut += 1
            farther = [
                distance(limit, start + min(t, 1.0) * (end - start)) - thickness
                for t in np.linspace(share, 1.1 * share + 0.01, 50)
            ]
            assert min(farther) < 0.3 * gap, "one could go a good deal farther"
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


def test_the_smallest_gaps_may_grow_but_not_shrink():
    start = np.array([[0.2, 0.2, 1e-13], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    up = np.array([[0, 0, 1e-3], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert vertex_and_face(start, start + up) == 1.0
    assert vertex_and_face(start, start - up) == 0.0
