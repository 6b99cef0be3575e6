"""The corners of a body: its vertices that linear and convex functions of position need not look beyond."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.signals import interrupts_deferred

_FEW = 32  # vertices; a hull of so few saves nothing


def corners(points: Array) -> Ints:
    """Rows of those of the points (v, 3) that are on their convex hull, in order; all if there are few or no hull."""
    everything = np.arange(len(points))
    if len(points) <= _FEW:
        return everything
    with interrupts_deferred:
        from scipy.spatial import ConvexHull, QhullError
    try:
        return np.sort(ConvexHull(points).vertices).astype(np.int64)
    except QhullError:  # the points are in a plane or on a line
        return everything
