"""Creases: what hinges of plastic shells keep from step to step (see `elasticity.plastic_shell_bending`).

The state has a row for each hinge: the id of its geometry, its constants w, θ̄ and τ, and θ_y. Bodies without rows have
not made a step yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import plastic_shell_bending
from ipc_articulation.frontend.soft.constitutions import Elements


class Hinges:
    """The plastic hinges of one body."""

    def __init__(self, geo_id: int, elements: Elements, vertices: Ints) -> None:
        """Take the hinges of a geometry, and their vertices (k, 4) of `Surfaces`."""
        if elements.creases is None:
            raise ValueError("these elements have no creases")
        self._geo_id, self.vertices, self._creases = geo_id, vertices, elements.creases
        self._at_rest = np.column_stack([np.full(len(vertices), float(geo_id)), elements.constants, self._threshold])

    @property
    def constants(self) -> tuple[NDArray[Any], ...]:
        """Vertices and constants at rest, and by how much they harden."""
        return self.vertices, self._at_rest, np.asarray(self._creases.hardening)

    @property
    def _threshold(self) -> Array:
        return np.broadcast_to(self._creases.threshold, len(self.vertices))

    def of(self, creases: Array) -> Array:
        """Rows (k, 5) of these hinges in those of a state."""
        own = creases[creases[:, 0] == self._geo_id]
        return own if len(own) else self._at_rest

    def after(self, rows: Array, x: Array) -> Array:
        """Their rows (k, 5) after a step that began with rows, and ended with all vertices at x (V, 3)."""
        constants, threshold = np.ascontiguousarray(rows[:, 1:4]), np.ascontiguousarray(rows[:, 4])
        given = threshold, self._creases.hardening, self._creases.stress
        constants, threshold = plastic_shell_bending.yielded(x, self.vertices, constants, *given)
        return np.column_stack([rows[:, 0], constants, threshold])
