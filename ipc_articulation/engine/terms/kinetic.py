"""Inertia and gravity: the kinetic term.

    E = ½ Σ (x - x̃)ᵀ (w W ⊗ 1) (x - x̃)

w and x̃ are the time integrator's (see `engine.integrator`). Fixed rows have no kinetic term, nor have bodies whose
inertia an articulation owns (`external_kinetic`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.integrator import predict, weight
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import NO_BODIES, Term
from ipc_articulation.engine.terms.wells import add_derivatives, add_energies, noise, wells
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.nodes.numbering import Numbering, by_numbers, weights, write_all_nodes

ROUNDING = 8.0 * float(np.finfo(np.float64).eps)  # of a coordinate: vertices are sums of a few products


class Kinetic(Term):
    """Inertia and gravity of all rows.

    Attributes:
        masses: w W of all rows, (R, 4, 4) [kg].
    """

    name = "kinetic"

    def __init__(self, bodies: BodyTable, acceleration: Array, order: int, numbering: Numbering) -> None:
        """Take the acceleration (n, 12) by gravity, and the order of the time integrator."""
        self._order, self._acceleration, self._is_dynamic = order, acceleration, bodies.is_dynamic
        self._numbers, affine = by_numbers(numbering), numbering.affine
        self._x_tilde = np.zeros((numbering.first[-1], 3))
        self._factor = weight(order)
        self.masses = self._factor * weights(bodies.mass, affine, numbering.row, numbering.label)
        rows = np.flatnonzero(~numbering.is_fixed)
        is_own = ~np.concatenate([bodies.external_kinetic[:affine], np.zeros(len(numbering.row), dtype=np.bool_)])
        owned = rows[is_own[rows]]
        of = numbering.first, numbering.body
        self.wells = wells(owned, *of, self.masses, self._x_tilde)
        self.inertia = wells(rows, *of, self.masses, self._x_tilde)

    def set_masses(self, rows: Ints, M: Array) -> None:
        """Give some affine bodies (k,) another mass matrix, (12, 12)."""
        self.masses[rows] = self._factor * weights(M[None], 1, NO_BODIES, NO_BODIES)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Predict x̃."""
        of = self._order, state, self._acceleration, self._is_dynamic, dt
        _begin(*of, self._numbers, self._x_tilde)

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        add_energies(self.wells, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        add_derivatives(self.wells, x, to)

    def rounding(self, x: Array, moving: Bools) -> Array:
        """By how much the step's energy may change by rounding of x alone, (B,): 8 ε Σ |(W (x - x̃))| |x|.

        The inertial forces are in balance with all others, which x rounds as well. Far from the origin this is more
        than a small part of the energy, which the step's motion alone determines.
        """
        return noise(self.inertia, x, moving, ROUNDING)


@compiled
def _begin(order, state, acceleration, is_dynamic, dt, numbers, x_tilde):
    q_tilde = np.empty_like(acceleration)
    predict(order, state, acceleration, is_dynamic, dt, q_tilde)
    write_all_nodes(numbers, q_tilde, x_tilde)
