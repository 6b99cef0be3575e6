"""The pairs of primitives that may come near each other, kept from step to step.

ipctk's broad phase costs more than everything after it. Its candidates are therefore made with a margin (a «skin», as
in molecular dynamics) and stay valid until some vertex has used the margin up: candidates made at x_ref with boxes
inflated by R hold every pair nearer than 2R; while no vertex is farther than δ from x_ref, they hold every pair nearer
than 2R - 2δ.
"""

from __future__ import annotations

from typing import Any

import ipctk
import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Proximity:
    """Candidates of one collision mesh, for distances up to `reach`."""

    def __init__(self, mesh: Any, reach: float) -> None:
        """Begin with no candidates.

        Args:
            mesh: ipctk.CollisionMesh with its filter set.
            reach: Distance [m] up to which pairs must be found.
        """
        self.mesh, self.reach = mesh, reach
        self.candidates = ipctk.Candidates()
        self.builds = 0
        self._x_ref: Array | None = None
        self._skin = 0.0

    def cover(self, start: Array, end: Array) -> None:
        """Make the candidates hold every pair that comes within reach on the way from start to end, (V, 3) each.

        The new skin is four times the greatest displacement, at least the reach: fast scenes look farther ahead.
        """
        if self._x_ref is not None and 2.0 * _farthest(self._x_ref, start, end) <= self._skin:
            return
        step = _farthest(start, end, end)
        self._skin = max(self.reach, 4.0 * step)
        radius = 0.5 * (self.reach + self._skin)
        if step == 0.0:
            self.candidates.build(self.mesh, end, radius)
        else:
            self.candidates.build(self.mesh, start, end, radius)
        self._x_ref = np.array(end, order="F")
        self.builds += 1

    def collisions(self, x: Array, d_hat: float) -> Any:
        """Pairs nearer than d_hat at positions that `cover` covered: ipctk.NormalCollisions."""
        collisions = ipctk.NormalCollisions()
        collisions.build(self.candidates, self.mesh, x, d_hat)
        return collisions

    def is_empty(self) -> bool:
        """Whether nothing is near anything."""
        return len(self.candidates) == 0


@njit(cache=True)
def _farthest(reference, a, b):
    """Greatest distance of a vertex of a or b from its reference position."""
    worst = 0.0
    for v in range(len(reference)):
        da = db = 0.0
        for k in range(3):
            da += (a[v, k] - reference[v, k]) ** 2
            db += (b[v, k] - reference[v, k]) ** 2
        worst = max(worst, da, db)
    return np.sqrt(worst)
