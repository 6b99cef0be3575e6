"""Candidate pairs of primitives for contact, reused from step to step.

The broad phase costs more than everything after it. Its candidates are therefore made with a margin (a «skin», as in
molecular dynamics) and stay valid until some vertex has used the margin up: candidates made at x_ref hold every pair
nearer than reach + skin; while no vertex is farther than δ from x_ref, they hold every pair nearer than reach + skin
- 2δ. A motion that all vertices share changes no distance and is left out of δ: a pile that falls as a whole keeps its
candidates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.broad_phase import find_stencils
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.stencils import NO_STENCILS, Stencils
from ipc_articulation.contact.surfaces import Surfaces

_AHEAD = 4.0  # skin in units of the largest displacement
_LARGEST_SKIN = 0.03  # in units of a body's size; a larger skin gives too many candidates


class Candidates(NamedTuple):
    """The result of a search; replaced as a whole, so that its parts always fit together."""

    stencils: Stencils
    corners: Array | None  # (H, 3) where the bodies' corners were [m]; None before the first search
    skin: float  # [m]


class Proximity:
    """Stencils of the pairs of bodies that touch, for distances up to `reach`."""

    def __init__(self, surfaces: Surfaces, allowed: Bools, reach: float) -> None:
        """Begin with no stencils.

        Args:
            surfaces: Surfaces of the n bodies.
            allowed: Which bodies touch, (n, n), symmetric; on the diagonal, which touch themselves.
            reach: Distance [m] up to which pairs must be found.
        """
        self.reach, self.builds = reach, 0
        self._surfaces, self._allowed = surfaces, allowed
        self._largest_skin = max(reach, _LARGEST_SKIN * _typical_size(surfaces))
        self._candidates = Candidates(NO_STENCILS, None, 0.0)

    @property
    def stencils(self) -> Stencils:
        """The stencils of the last search."""
        return self._candidates.stencils

    def cover(self, start: Positions, end: Positions) -> bool:
        """Make the stencils contain every pair within reach while vertices move straight from start to end.

        No vertex of an affine body moves farther than its corners. The new skin is four times the greatest displacement
        and at least the reach. If this is more than a fraction of the bodies' size, it would give too many pairs; then
        the search covers the motion itself.

        Returns:
            Whether a search was necessary.
        """
        _, corners, skin = self._candidates
        if corners is not None and 2.0 * _farthest(corners, start.corners, end.corners) <= skin:
            return False
        shared, step = _displacement(start.corners, end.corners)
        skin = max(self.reach, _AHEAD * step) if _AHEAD * step < self._largest_skin else self.reach
        x = self._surfaces.positions(start.q), self._surfaces.positions(end.q) - shared
        found = find_stencils(self._surfaces, self._allowed, *x, self.reach + skin)
        self._candidates = Candidates(found, end.corners - shared, skin)
        self.builds += 1
        return True


def _typical_size(surfaces: Surfaces) -> float:
    """Median over the bodies of the diagonal of their local boxes [m]; 0 without surfaces."""
    sizes = 2.0 * np.linalg.norm(surfaces.boxes[1][np.diff(surfaces.first) > 0], axis=1)
    return float(np.median(sizes)) if len(sizes) else 0.0


@compiled
def _farthest(reference, start, end):
    """Greatest displacement of a vertex from its reference, at the start or the end, beyond what all vertices share."""
    return max(_displacement(reference, start)[1], _displacement(reference, end)[1])


@compiled
def _displacement(a, b):
    """The displacement from a to b that all vertices share (the middle of its range), and a bound on what is beyond."""
    if len(a) == 0:
        return np.zeros(3), 0.0
    low0, low1, low2, high0, high1, high2 = np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf
    for v in range(len(a)):  # scalars are twice as fast here as arrays of three
        x, y, z = b[v, 0] - a[v, 0], b[v, 1] - a[v, 1], b[v, 2] - a[v, 2]
        low0, low1, low2 = min(low0, x), min(low1, y), min(low2, z)
        high0, high1, high2 = max(high0, x), max(high1, y), max(high2, z)
    low, high = np.array([low0, low1, low2]), np.array([high0, high1, high2])
    return 0.5 * (low + high), 0.5 * np.sqrt(np.sum((high - low) ** 2))
