"""Polylines at equal distances."""

import numpy as np

from ipc_articulation.meshing.curves import resampled


def test_points_are_at_equal_distances_along_the_line() -> None:
    points = resampled([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 3.0, 0.0]], 4)
    np.testing.assert_allclose(points, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0], [1, 3, 0]])
