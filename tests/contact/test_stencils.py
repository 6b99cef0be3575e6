"""Stencils of the core: the edges along which closest points can move."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.stencils import make_slides, sliding

pytestmark = pytest.mark.slow

ENDS = [(1.0, 0.0), (0.0, 1.0), (0.6, 0.4)]  # weights of the points of an edge


@pytest.mark.parametrize(("one", "other"), product(ENDS, ENDS))
def test_closest_points_slide_along_edges_in_whose_interior_they_are(one: Any, other: Any) -> None:
    y, slides = np.random.default_rng(0).normal(size=(4, 3)), make_slides()
    kind, vertices, w = np.array([EDGES]), np.arange(4).reshape(1, 4), np.array([*one, *(-t for t in other)])
    weight, place = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1)), np.arange(4)
    D = np.array([[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0]])[[all(one), all(other)]]
    assert sliding(kind, vertices, 0, w, (place, 4, weight), y, slides) == len(D)
    np.testing.assert_array_equal(slides.E[: len(D)], D @ y)
    np.testing.assert_array_equal(slides.levers[: len(D), :4], D)
