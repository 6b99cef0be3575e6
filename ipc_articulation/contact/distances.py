"""Distances of surfaces, overlaps, and bodies inside others, wherever the bodies are."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact.allowed import Allowed
from ipc_articulation.contact.broad_phase import near_moving
from ipc_articulation.contact.contacts import Contacts
from ipc_articulation.contact.inside import is_inside
from ipc_articulation.contact.intersecting import first_intersecting
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.positions import Positions, positions
from ipc_articulation.contact.soft.crossing import first_crossing
from ipc_articulation.contact.surfaces import Surfaces


class Distances(Contacts):
    """What can be said of any coordinates q (n, 12), whatever step is on its way."""

    def closest(self, q: Array) -> tuple[float, tuple[int, ...]]:
        """Smallest distance [m] of surfaces that may touch, and their bodies: one body if it is to a half-plane.

        The distance of thick surfaces excludes their thickness. If no distance is below 10 d̂: inf, and ().
        """
        at, limit = positions(self.surfaces, q), 10.0 * self.d_hat
        best: tuple[float, tuple[int, ...]] = np.inf, ()
        for contact in self._contacts:
            found = contact.closest(at, min(limit, best[0]))
            best = found if found[1] else best
        return best

    def minimum_distance(self, q: Array) -> float:
        """The distance of `closest`."""
        return self.closest(q)[0]

    def find_overlap(self, q: Array, moved: Bools | None = None) -> Overlap | None:
        """An overlap of two bodies, or of a body and a half-plane, at q (n, 12); None if there is none.

        Intersections of affine bodies that are not among the moved ones (n,) may be left out; None: all have moved.
        """
        at = positions(self.surfaces, q)
        found = self.half_planes.rounded_away(at.x)
        if found is not None:
            return found
        within = float(self._floors(at).max(initial=0.0))
        meeting = np.array(self._meeting(at, moved), dtype=np.int64).reshape(-1, 2)
        pair = first_intersecting(self.surfaces, q, meeting)
        if pair is not None:
            return Overlap(*pair, "", 0.0, max(float(self.materials.d_hat[self.materials.body_pairs[pair]]), within))
        if self._meshes is not None:
            crossing = first_crossing(self._meshes, self.materials.touching, at, self._elements)
            if crossing is not None:
                material = self.materials.body_pairs[tuple(self._meshes.of_row[list(crossing.rows)])]
                wanted = max(float(self.materials.d_hat[material]), within)
                return Overlap(*crossing.rows, "", 0.0, wanted, (crossing.edge, crossing.face))
        return next(filter(None, (contact.rounded_away(at, within) for contact in self.body_contacts)), None)

    def inside(self, q: Array, moved: Bools) -> set[tuple[int, int]]:
        """Pairs of bodies that may touch, of which the first is inside the second, at q (n, 12) without overlaps.

        One of both is among the moved ones, (n,).
        """
        at = positions(self.surfaces, q)
        pairs = ((inner, outer) for i, j in self._meeting(at, moved) for inner, outer in ((i, j), (j, i)))
        return {pair for pair in pairs if _is_inside(self.surfaces, at.x, *pair)}

    def _meeting(self, at: Positions, moved: Bools | None) -> list[tuple[int, int]]:
        """Pairs of different bodies, one of them moved, that may touch and whose boxes meet, in order."""
        n = len(self._all) if self._meshes is None else self._meshes.affine
        moved = self._all if moved is None else moved
        near = near_moving(at.low[:n], at.high[:n], Allowed.of(self.materials.touching[:n, :n]), moved[:n], 0.0)
        return [(i, j) for i, j in sorted(map(sorted, near.tolist())) if i != j]


def _is_inside(surfaces: Surfaces, x: Array, inner: int, outer: int) -> bool:
    """Whether one body's surface, which does not intersect another's at x (V, 3), is inside it."""
    around, _, faces = surfaces.of_body(outer, x)
    return is_inside(surfaces.of_body(inner, x)[0], around, faces)
