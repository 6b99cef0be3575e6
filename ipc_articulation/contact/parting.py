"""How deep two surfaces overlap: the shortest motion that parts their convex hulls."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ipc_articulation.arrays import Array

_MOST = 300  # corners of a hull, of which all differences are formed


def parting(moved: Array, still: Array) -> Array:
    """The shortest motion t of one point set after which its convex hull A and that of the other, B, only touch.

    A + t and B have a common point where -t ∈ A ⊖ B = {a - b}: the depth |t| is the distance of the origin to the
    boundary of this convex set, and t is along the normal n of its nearest facet, n·x ≤ d on all of it, so that
    t = -d n (S. Cameron, 1997). It is exact for convex bodies. Others overlap less deep, or not at all, but parted
    they are too. Of hulls with more than 300 corners those count that are outermost in 300 directions.

    Args:
        moved: Points of the one that moves, (k, 3) [m].
        still: Points of the other, (l, 3) [m].

    Returns:
        t, (3,) [m]; zero if the hulls do not overlap.
    """
    a, b = _corners(moved), _corners(still)
    try:
        facets = ConvexHull((a[:, None] - b).reshape(-1, 3)).equations  # n·x - d ≤ 0
    except QhullError:  # both lie in one plane
        return np.zeros(3)
    nearest = facets[np.argmax(facets[:, 3])]
    return min(nearest[3], 0.0) * nearest[:3]


def _corners(points: Array) -> Array:
    try:
        points = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):  # flat
        points = np.unique(points, axis=0)
    if len(points) <= _MOST:
        return points
    height = 1.0 - (2.0 * np.arange(_MOST) + 1.0) / _MOST  # points on a sphere along a spiral
    turn, radius = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(_MOST), np.sqrt(1.0 - height**2)
    directions = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), height])
    return points[np.unique(np.argmax(points @ directions.T, axis=0))]
