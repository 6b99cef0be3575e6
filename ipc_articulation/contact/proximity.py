"""Candidate pairs of primitives for contact, reused from step to step.

The broad phase costs more than everything after it. So pairs of bodies are searched with a margin (a «skin», as in
molecular dynamics), and each of them only when its own two bodies have used it up (see `candidates`). What is looked at
in an iteration are the few stencils that may come within reach in it.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.broad_phase import search
from ipc_articulation.contact.candidates import (
    NO_CANDIDATES,
    Candidates,
    Found,
    joined,
    looked_at,
    skins,
    survey,
)
from ipc_articulation.contact.crowded_ways import crowded
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.stencils import NO_STENCILS, Stencils
from ipc_articulation.contact.surfaces import Surfaces, move

_AHEAD = 4.0  # skin in units of how much nearer the motion brings two bodies
_LARGEST_SKIN = 0.03  # in units of a body's size; a larger skin gives too many candidates
_NO_PAIRS = np.zeros((0, 2), dtype=np.int64)


class Proximity:
    """Stencils of the pairs of bodies that touch, for distances up to `reach`."""

    def __init__(self, surfaces: Surfaces, reach: float) -> None:
        """Begin with no stencils.

        Args:
            surfaces: Surfaces of the n bodies.
            reach: Distance [m] up to which pairs must be found.
        """
        self.reach, self.builds = reach, 0
        self.stencils = NO_STENCILS  # those that may come within reach on the motion of the last `cover`
        self._surfaces = surfaces
        self._largest_skin = max(reach, _LARGEST_SKIN * _typical_size(surfaces))
        self._candidates = NO_CANDIDATES

    @property
    def bodies(self) -> Ints:
        """The pairs of bodies that have candidates, (P, 2)."""
        return self._candidates.bodies[self._candidates.size > 0]

    @property
    def candidates(self) -> Candidates:
        """What is known of pairs of bodies."""
        return self._candidates

    def cover(self, start: Positions, end: Positions, near: Ints) -> bool:
        """Make the stencils contain every pair within reach while vertices move straight from start to end.

        Args:
            start: Positions.
            end: Positions.
            near: Pairs of bodies (m, 2) that may come within reach of each other; they may be left out if neither of
                both has moved since it was last among them.

        Returns:
            Whether a search was necessary.
        """
        known, motion = self._candidates, (start.q, end.q, self._surfaces.boxes)
        if not len(near) and not len(known.bodies):
            return False
        within, missing = survey(*known[:3], near, *motion, self.reach)
        is_new = len(missing) > 0
        if is_new:
            known = joined(known, within, self._search(missing, start.q, end.q), len(start.q))
            within, _ = survey(*known[:3], _NO_PAIRS, *motion, self.reach)
            self.builds += 1
        stencils = Stencils(*looked_at(known.bodies, *known[3:10], within, is_new))
        self._candidates, self.stencils = known, stencils
        return is_new

    def crowded(self, start: Positions, end: Positions, near: Ints) -> Bools:
        """Bodies (n,) that pass too much of each other for `cover` with the same arguments, see `crowded_ways`."""
        return crowded(near, self._surfaces, start.q, end.q, self.reach)

    def _search(self, pairs: Ints, start: Array, end: Array) -> Found:
        """Search pairs of bodies (s, 2) for their stencils on the way from start to end, (n, 12) each."""
        surfaces, shape = self._surfaces, self._surfaces.points.shape
        earlier, skin = skins(pairs, start, end, surfaces.boxes, self.reach, _AHEAD, self._largest_skin)
        chosen = np.zeros(len(start), dtype=np.bool_)
        chosen[pairs] = True
        x, ahead = np.empty(shape), np.empty(shape)
        move(surfaces.points, surfaces.first, start, chosen, x)
        move(surfaces.points, surfaces.first, end, chosen, ahead)
        return Found(pairs, earlier, skin, *search(surfaces, pairs, start, x, end, ahead, self.reach + skin))


def _typical_size(surfaces: Surfaces) -> float:
    """Median over the bodies of the diagonal of their local boxes [m]; 0 without surfaces."""
    sizes = 2.0 * np.linalg.norm(surfaces.boxes[1][np.diff(surfaces.first_faces) > 0], axis=1)
    return float(np.median(sizes)) if len(sizes) else 0.0
