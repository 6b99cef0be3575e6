"""Penalties that hold an anchor, or nothing.

spherical  r = cᵢ - cⱼ, the anchor in both bodies;
fixed      r = (cᵢ - cⱼ, tᵢ - tⱼ, nᵢ - nⱼ, bᵢ - bⱼ), t, n, b the world's axes, which each body carries along from the
           pose in which the joint was made.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.frames import Placement, local_directions, local_points


def held(placement: Placement) -> Array:
    """The anchor c̄ in both bodies, (m, 2, 1, 4)."""
    return local_points(placement.points)


def held_with_axes(placement: Placement) -> Array:
    """The anchor and the world's axes, (c̄, t̄, n̄, b̄) in both bodies, (m, 2, 4, 4)."""
    return np.concatenate([held(placement), local_directions(np.eye(3), placement.transforms)], axis=2)


def nothing(placement: Placement) -> Array:
    """No vectors, (m, 2, 0, 4): measured by kinds without coordinates, held by free joints."""
    return np.zeros((len(placement.points), 2, 0, 4))
