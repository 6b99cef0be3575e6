"""The closest points of two primitives beside ipctk's distances, degenerate stencils included."""

import ipctk
import numpy as np
import pytest

from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND

# Corners and edges over each other, parallel, crossing and touching edges, points in the face's plane: a small grid.
SHAPES = ["any", "grid", "parallel", "almost parallel", "near", "flat"]


def random_stencil(rng, shape):
    """Four points (4, 3) of about unit size; neither edge is a point, the face is not a line."""
    while True:
        x = rng.normal(size=(4, 3))
        if shape == "grid":
            x = rng.integers(-1, 2, size=(4, 3)).astype(float)
        if "parallel" in shape:
            x[3] = x[2] + rng.uniform(0.5, 2.0) * rng.choice([-1, 1]) * (x[1] - x[0])
            x[3] += ("almost" in shape) * 10.0 ** rng.uniform(-12, -2) * rng.normal(size=3)
        if shape == "near":  # the first two points, and the last two, with a small gap between insides
            x[0] += 0.5 * (x[2] + x[3] - x[0] - x[1]) + 10.0 ** rng.uniform(-8, -1) * rng.normal(size=3)
        if shape == "flat":
            x[:, 2] = 0.0
        e, f, g = x[1] - x[0], x[3] - x[2], x[2] - x[1]
        if min(np.linalg.norm(e), np.linalg.norm(f), np.linalg.norm(np.cross(f, g))) > 0.1:
            return x


def closest(kind, x):
    w, c = np.empty(4), np.empty(3)
    return closest_points(kind, x, np.arange(4), w, c), w, c


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])
def test_distance_is_the_shortest_and_ipctk_s(kind, shape):
    """C = w x joins points of both primitives, and no shorter one does: two planes square to c keep both apart."""
    rng, first = np.random.default_rng([kind, SHAPES.index(shape)]), 2 if kind == EDGES else 1
    squared = ipctk.edge_edge_distance if kind == EDGES else ipctk.point_triangle_distance
    for _ in range(120):
        x = random_stencil(rng, shape)
        D, w, c = closest(kind, x)
        assert w[:first].min() >= 0.0 >= w[first:].max()
        np.testing.assert_allclose([w[:first].sum(), w[first:].sum()], [1.0, -1.0], atol=1e-15)
        np.testing.assert_allclose(c, w @ x, atol=1e-14)
        assert pytest.approx(c @ c, rel=1e-14, abs=0.0) == D
        if D > 1e-18:
            n = c / np.sqrt(D)
            assert np.sqrt(D) == pytest.approx((x[:first] @ n).min() - (x[first:] @ n).max(), abs=1e-10)
        tolerance = 1e-7 if shape == "almost parallel" else 1e-12  # where ipctk's may be a little too long
        assert np.sqrt(D) == pytest.approx(np.sqrt(squared(*x)), abs=tolerance)
