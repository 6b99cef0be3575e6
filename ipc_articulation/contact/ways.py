"""Collision detection: what bodies meet on their way to positions ahead, and how far they may go."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.broad_phase import boxes_of_way, with_moved
from ipc_articulation.contact.placed_contacts import NO_PAIRS, PlacedContacts
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.stencils import Stencils


class Ways(PlacedContacts):
    """Contacts of bodies that are on their way from where they are placed."""

    def near(self, ahead: Positions) -> list[Ints]:
        """Pairs of bodies that may come within reach of each other, material by material, (k, 2).

        One of them has moved since the step began, and the bounding boxes of their whole motion to positions ahead are
        within reach. Other bodies do not meet, whatever fractions of their steps they take. The result does not depend
        on earlier steps.
        """
        now, start = self._now, self._start
        boxes = now.at.low, now.at.high, ahead.low, ahead.high, start.low, start.high
        low, high = boxes_of_way(now.awake, *boxes)
        return [contact.near(low, high, now.awake) for contact in self.body_contacts]

    def meeting(self, near: list[Ints]) -> Ints:
        """Those of the pairs of `near` of which one is moving, (k, 2)."""
        pairs = near[0] if len(near) == 1 else np.concatenate([NO_PAIRS, *near])
        return with_moved(pairs, self._now.moving) if len(pairs) else NO_PAIRS

    def cover(self, ahead: Positions, near: list[Ints]) -> None:
        """Find the stencils that come near each other while vertices move straight to their positions ahead.

        `near` are the pairs of bodies of `near`.
        """
        of_contacts = zip(self.body_contacts, near, strict=True)
        found = [contact.proximity.cover(self._now.at, ahead, pairs) for contact, pairs in of_contacts]
        if any(found):
            self._paired = self._find_paired()
            self._move_vertices(self._now.at)
            self._move_vertices(ahead)

    def covered(self) -> list[Stencils]:
        """The stencils that `cover` has found, material by material."""
        return [contact.proximity.stencils for contact in self.body_contacts]

    def crowded(self, ahead: Positions, near: list[Ints]) -> Bools:
        """Bodies (n,) that pass too much of each other on the way to positions ahead for `cover`, see `crowded_ways`.

        Of a soft body one row is enough. `near` are the pairs of bodies of `near`.
        """
        found = np.zeros_like(self._all)
        for contact, pairs in zip(self.body_contacts, near, strict=True):
            if len(pairs):
                found |= contact.proximity.crowded(self._now.at, ahead, pairs)
        return found

    def step_fractions(self, ahead: Positions, stencils: list[Stencils], labels: Ints, planes: bool = True) -> Array:
        """The fraction of its step that each body may take without contact of stencils or half-planes.

        Motion is linear in q, so the answer is exact.

        Args:
            ahead: To which the full step leads.
            stencils: The stencils to test, material by material.
            labels: The island of each body, (n,): its smallest body.
            planes: Whether half-planes are tested, too.

        Returns:
            Fractions in [0, 1], (n,), one for all bodies of an island.
        """
        at, whose, floors = self._now.at, (labels, self._now.moving), self._start.floors
        fractions = np.ones(len(self._all))
        if planes:
            self.half_planes.lower_fractions(*whose, at.q, ahead.q, floors, fractions)
        for contact, tested in zip(self.body_contacts, stencils, strict=True):
            contact.lower_fractions(tested, *whose, at.x, ahead.x, floors, fractions)
        return fractions[labels]

    def gap_changes(self, ahead: Positions) -> Array:
        """The greatest relative change of a gap within d̂ of each body as vertices go ahead, (n,), see `gap_scale`.

        They go as far as the motion of the last `cover` at most, and may leave d̂ or come into it.
        """
        at, moving, change = self._now.at, self._now.moving, np.zeros(len(self._all))
        self.half_planes.add_gap_changes(at.q, ahead.q, moving, change)
        for contact, stencils in zip(self.body_contacts, self.covered(), strict=True):
            contact.add_gap_changes(stencils, at.x, ahead.x, moving, change)
        return change

    def friction_changes(self, ahead: Positions) -> Array:
        """The greatest change of a friction force on each body as vertices go ahead, as part of μ λ, (n,)."""
        at, moving, change = self._now.at, self._now.moving, np.zeros(len(self._all))
        for contact in self._contacts:
            contact.add_friction_changes(at.q, ahead.q, moving, change)
        return change

    def active_motion(self, ahead: Positions) -> float:
        """Greatest displacement [m] of a vertex within d̂ of something, as vertices go ahead."""
        x, to = self.surfaces.positions(self._now.at.q), self.surfaces.positions(ahead.q)
        vertices = [stencils.vertices.ravel() for stencils in self._now.touching]
        active = np.concatenate([self.half_planes.active_vertices(x), *vertices])
        return float(np.linalg.norm(to[active] - x[active], axis=1).max(initial=0.0))
