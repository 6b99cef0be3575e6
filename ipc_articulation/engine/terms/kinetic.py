"""Inertia and gravity: the kinetic term.

    E = ½ Σ (x - x̃)ᵀ (w W ⊗ 1) (x - x̃)

w and x̃ are the time integrator's (see `engine.integrator`), written by `newton.ends.begin`. Fixed rows have no kinetic
term, nor have bodies whose inertia an articulation owns (`external_kinetic`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine.integrator import weight
from ipc_articulation.engine.terms.term import NO_BODIES, Term
from ipc_articulation.engine.terms.wells import add_derivatives, add_energies, wells
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.nodes.numbering import Numbering, weights


class Kinetic(Term):
    """Inertia and gravity of all rows.

    Attributes:
        masses: w W of all rows, (R, 4, 4) [kg].
        wells: Those of rows whose inertia is their own.
        inertia: The same with the bodies whose inertia an articulation owns.
    """

    name = "kinetic"

    def __init__(self, bodies: BodyTable, order: int, numbering: Numbering) -> None:
        """Take the bodies, the order of the time integrator, and the rows of nodes."""
        affine, x_tilde = numbering.affine, np.zeros((numbering.first[-1], 3))
        self._factor = weight(order)
        self.masses = self._factor * weights(bodies.mass, affine, numbering.row, numbering.label)
        rows = np.flatnonzero(~numbering.is_fixed)
        is_own = ~np.concatenate([bodies.external_kinetic[:affine], np.zeros(len(numbering.row), dtype=np.bool_)])
        owned = rows[is_own[rows]]
        of = numbering.first, numbering.body
        self.wells = wells(owned, *of, self.masses, x_tilde)
        self.inertia = wells(rows, *of, self.masses, x_tilde)

    def set_masses(self, rows: Ints, M: Array) -> None:
        """Give some affine bodies (k,) another mass matrix, (12, 12)."""
        self.masses[rows] = self._factor * weights(M[None], 1, NO_BODIES, NO_BODIES)

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        add_energies(self.wells, x, moving, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        add_derivatives(self.wells, x, to)
