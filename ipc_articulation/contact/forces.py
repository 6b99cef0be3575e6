"""The forces of contact, contact by contact: -∂E/∂x over dt², for the energies of `barriers` and `friction`.

A barrier force acts along the line between the closest points, with the size κ_c |∂B/∂d|, times the mollifier m for
edges that are almost parallel. The mollifier also causes a couple: of E = κ_c m(c) B, c = z·z, z = e₁ × e₂, the forces
-∂E/∂e₁ = -2 κ_c m' B e₂ × z on the ends of the first edge have the moment

    e₁ × (-∂E/∂e₁) = 2 κ_c m' B (e₁·e₂) z,     and those on the second edge the opposite one.

Friction acts at the points that were closest at the beginning of the step, with the size μ λ f₀'(|u|) against the slip
u. So bodies that slide or stick on each other have two entries, one of the barrier and one of friction, which have
different points; for a half-plane both are one entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints


class ContactForces(NamedTuple):
    """k contacts; world frame. Forces [N] and couples [N·m], or these times s² before division by dt²."""

    points: Array  # (k, 3) [m], on the first body's surface
    opposite_points: Array  # (k, 3) [m], on the second body's surface
    normals: Array  # (k, 3) unit, from the second body to the first
    normal_forces: Array  # (k, 3) of the barrier on the first body, opposite on the second
    friction_forces: Array  # (k, 3) on the first body, opposite on the second
    couples: Array  # (k, 3) of the mollifier on the first body, opposite on the second
    gaps: Array  # (k,) distance of the surfaces between the two points along the normal [m]
    bodies: Ints  # (k, 2) rows of the bodies; n + p for half-plane p, which is always second

    @property
    def forces(self) -> Array:
        """Of barrier and friction together, (k, 3)."""
        return self.normal_forces + self.friction_forces

    def times(self, factor: float) -> ContactForces:
        """The same contacts with forces and couples times a factor."""
        names = ("normal_forces", "friction_forces", "couples")
        return self._replace(**{name: factor * getattr(self, name) for name in names})

    @classmethod
    def join(cls, parts: Sequence[ContactForces]) -> ContactForces:
        """Concatenate several lists."""
        no = np.zeros((0, 3))
        empty = cls(no, no, no, no, no, no, np.zeros(0), np.zeros((0, 2), dtype=np.int64))
        return cls(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))
