"""Polylines of rods."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array


def resampled(points: ArrayLike, segments: int) -> Array:
    """Points at equal distances along a polyline, its ends included, (segments + 1, 3) [m].

    Args:
        points: Of the polyline, (k, 3) [m]; no two in a row are equal.
        segments: Number of segments of the result. Corners between its points are cut off.
    """
    points = np.asarray(points, dtype=float)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    wanted = np.linspace(0.0, along[-1], segments + 1)
    return np.stack([np.interp(wanted, along, points[:, axis]) for axis in range(3)], axis=1)
