"""Where the bodies of a scene are: their coordinates, and what follows from these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.contact.surfaces import Surfaces, move


class Positions(NamedTuple):
    """World positions of surfaces at coordinates q."""

    q: Array  # (n, 12)
    x: Array  # (V, 3) of the vertices [m]; a `ContactWorld` only follows those of bodies in candidate pairs
    corners: Array  # (H, 3) of the bodies' corners, see `Surfaces.corners` [m]

    def copy(self) -> Positions:
        """The same positions in arrays of their own."""
        return Positions(self.q, self.x.copy(), self.corners.copy())


def positions(surfaces: Surfaces, q: Array) -> Positions:
    """All positions at q (n, 12), in new arrays."""
    points, first = surfaces.corners
    corners = np.empty(points.shape)
    move(points, first, q, np.ones(len(q), dtype=np.bool_), corners)
    return Positions(q, surfaces.positions(q), corners)
