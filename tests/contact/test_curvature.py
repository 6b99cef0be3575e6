"""The curvature of distances: what is added to the Hessian holds whatever the exact second derivative takes away."""

import numpy as np
import pytest

from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.curvature import add_curvature, add_exact_curvature
from ipc_articulation.contact.pair_blocks import by_coordinates, lever
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from tests.contact.in_touch import one_stencil, two_primitives
from tests.contact.worlds import pose

GAP = 1e-2  # [m], of primitives of about 1 m


def distance(touching, stencil, w):
    """And fill the weights w (4,)."""
    return np.sqrt(closest_points(stencil.kind[0], touching.x, stencil.vertices[0], w, np.empty(3)))


def curvature(touching, stencil, n, add=add_curvature):
    w, y, H, points = np.empty(4), np.empty(8), np.zeros((1, 24, 24)), touching.surfaces.points
    d = distance(touching, stencil, w)
    lever(stencil.kind[0], points, stencil.vertices[0], w, y)
    add(1.0, d, stencil.kind[0], points, touching.x, stencil.vertices[0], w, n, y, H[0])
    return by_coordinates(H)[0]


def second_derivative(touching, stencil, step=1e-5):
    """∂²d by differences, (24, 24)."""
    e, q = step * np.eye(24), touching.q.ravel()

    def d(change):
        return distance(touching.at(q + change), stencil, np.empty(4))

    return np.array([[d(a + b) - d(a - b) - d(b - a) + d(-a - b) for a in e] for b in e]) / (4 * step**2)


@pytest.mark.parametrize("zeros", [0, 1], ids=["inside", "at an end"])
@pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])
def test_curvature_is_not_below_the_negative_second_derivative(kind, zeros):
    """Up to terms of the order of the gap."""
    rng = np.random.default_rng(kind)
    for _ in range(5):
        touching, stencil, n = one_stencil(kind, GAP, rng, zeros)
        H, minus = curvature(touching, stencil, n), -second_derivative(touching, stencil)
        assert np.linalg.eigvalsh(H)[0] > -1e-12
        assert np.linalg.eigvalsh(minus)[-1] > 0.3, "there is something to hold"
        assert np.linalg.eigvalsh(H - minus)[0] > -4.0 * GAP
        assert np.linalg.eigvalsh(H)[-1] < 6.0 * np.linalg.eigvalsh(minus)[-1], "and not much more than that is added"


@pytest.mark.parametrize("gap", [1e-2, 0.3])
@pytest.mark.parametrize("zeros", [0, 1, 2], ids=["inside", "at an end", "at two ends"])
@pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])
def test_exact_curvature_is_the_negative_second_derivative(kind, zeros, gap):
    rng = np.random.default_rng(kind)
    for _ in range(5):
        touching, stencil, n = one_stencil(kind, gap, rng, zeros)
        H, minus = curvature(touching, stencil, n, add_exact_curvature), -second_derivative(touching, stencil)
        np.testing.assert_allclose(H, minus, rtol=0, atol=1e-3 * np.abs(minus).max())
        assert np.linalg.eigvalsh(minus)[0] < -0.1, "it has both signs"


def test_curvature_of_two_corners_is_nothing():
    touching, stencil, n = one_stencil(EDGES, GAP, np.random.default_rng(0), zeros=2)
    assert not curvature(touching, stencil, n).any()


@pytest.mark.parametrize("angle", [0.3, 0.03, 0.003])
def test_curvature_of_distant_edges_that_are_almost_parallel(angle):
    """Exact in turns of the edges, where a slip δw = -G Eᵀδc is small beside that of a turn, d G b."""
    t = np.array([np.cos(angle), np.sin(angle), 0.0])
    points, gap = np.array([[-0.5, 0, 0], [0.5, 0, 0], -0.5 * t, 0.5 * t]), 0.5
    touching, stencil = two_primitives(EDGES, points, np.stack([pose(0, 0, 0), pose(0, 0, -gap)]))
    H = curvature(touching, stencil, np.array([0.0, 0.0, 1.0]))
    for turns in ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]):
        motion = np.zeros((2, 12))
        for body, ends, turn in zip(motion, (points[:2], points[2:]), turns, strict=True):
            body[3 + 6 : 3 + 9] = turn * (ends[1] - ends[0])  # upwards

        def d(step, motion=motion):
            return distance(touching.at(touching.q.ravel() + step * motion.ravel()), stencil, np.empty(4))

        step = 1e-3 * angle
        exact = -(d(step) - 2.0 * d(0.0) + d(-step)) / step**2
        assert motion.ravel() @ H @ motion.ravel() == pytest.approx(exact, rel=1e-2)
