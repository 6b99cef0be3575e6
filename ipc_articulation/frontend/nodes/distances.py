"""What can be said of a scene at any coordinates: distances, overlaps, bodies inside others."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact import readouts
from ipc_articulation.contact.inside import is_inside
from ipc_articulation.contact.overlaps import find_overlap, meeting
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.errors import OverlapError
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.nodes import layout
from ipc_articulation.frontend.nodes.numbering import Numbering, by_numbers, numbering_of, write_all_nodes
from ipc_articulation.frontend.overlap_messages import overlap_message


class Distances:
    """Bodies and half-planes, at coordinates q (n, 12).

    Attributes:
        numbering: Of nodes.
        scene: A `layout.Scene`.
        points: Those of the scene.
        table: Its contact models.
        contact: What may touch; None: nothing.
    """

    def __init__(self, bodies: BodyTable, surfaces: Surfaces, contact: ContactWorld | None) -> None:
        """Take the bodies, their surfaces, and what of them may touch."""
        self.numbering: Numbering = numbering_of(bodies, surfaces)
        self.scene, self.points, self.table = layout.read(bodies, surfaces, self.numbering, contact)
        self.contact, self._bodies, self._numbers = contact, bodies, by_numbers(self.numbering)

    def nodes(self, q: Array) -> Array:
        """Nodes (N, 3) of coordinates, or the rates of both."""
        x = np.empty((self.numbering.first[-1], 3))
        write_all_nodes(self._numbers, q, x)
        return x

    def closest(self, q: Array) -> tuple[float, tuple[int, ...]]:
        """Smallest distance [m] of surfaces that may touch, and their rows; see `readouts.closest`."""
        return (np.inf, ()) if self.contact is None else readouts.closest(self.scene, self.nodes(q))

    def refuse_overlaps(self, q: Array, moved: Bools, when: str) -> None:
        """Raise an OverlapError if two bodies that may touch intersect, or almost have no gap.

        Those that are not among the moved rows (n,) did not before.
        """
        if self.contact is None:
            return
        found = find_overlap(self.contact, self.scene, self.nodes(q), self._moved(moved))
        if found is not None:
            raise OverlapError(overlap_message(found, self._bodies, self.contact.surfaces, q, when))

    def inside(self, q: Array, moved: Bools) -> set[tuple[int, int]]:
        """Pairs of affine bodies that may touch, of which the first is inside the second, where nothing overlaps.

        One of both is among the moved rows, (n,).
        """
        if self.contact is None:
            return set()
        y, pairs, _ = meeting(self.scene, self.nodes(q), self._moved(moved))
        stiff = pairs[(pairs < self.numbering.affine).all(axis=1) & (pairs[:, 0] != pairs[:, 1])].tolist()
        both = ((inner, outer) for i, j in stiff for inner, outer in ((i, j), (j, i)))
        return {pair for pair in both if _is_inside(self.contact.surfaces, y, *pair)}

    def follow_frictions(self) -> None:
        """Take the coefficients of friction as they are now."""
        if self.contact is not None:
            self.table.mu[:] = layout.frictions(self.contact, self.table.part, self.numbering.affine)

    def _moved(self, rows: Bools) -> Bools:
        """The bodies (B,) of some rows (n,)."""
        which = np.zeros(int(self.numbering.body_of.max(initial=-1)) + 1, dtype=np.bool_)
        which[self.numbering.body_of[rows]] = True
        return which


def _is_inside(surfaces: Surfaces, y: Array, inner: int, outer: int) -> bool:
    """Whether one body's surface, which does not intersect another's with points at y (V, 3), is inside it."""
    around, _, faces = surfaces.of_body(outer, y)
    return is_inside(surfaces.of_body(inner, y)[0], around, faces)
