"""Inertia and gravity: the kinetic term.

    E = ½ Σ (x - x̃)ᵀ (w W ⊗ 1) (x - x̃)

w and x̃ are the time integrator's (see `engine.integrator`). Fixed rows have no kinetic term, nor have bodies whose
inertia an articulation owns (`external_kinetic`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.integrator import predict, weight
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms import kinetic
from ipc_articulation.engine.terms.kinetic import _ROUNDING
from ipc_articulation.frontend.bodies import BodyTable
from prototypes.core.layout import _weights as weights
from prototypes.core.term import Term
from prototypes.core.terms.coordinates import Numbering, by_numbers, write_all_nodes
from prototypes.core.terms.wells import add_derivatives, add_energies, noise, wells


class Kinetic(Term):
    """Inertia and gravity of all rows."""

    name = kinetic.Kinetic.name

    def __init__(self, bodies: BodyTable, acceleration: Array, order: int, numbering: Numbering) -> None:
        """Take the acceleration (n, 12) by gravity, and the order of the time integrator."""
        self._order, self._acceleration, self._is_dynamic = order, acceleration, bodies.is_dynamic
        self._numbers, affine = by_numbers(numbering), numbering.affine
        self._x_tilde = np.zeros((numbering.first[-1], 3))
        self._W = weight(order) * weights(bodies.mass, affine, numbering.row, numbering.label)
        rows = np.flatnonzero(~numbering.is_fixed)
        is_own = ~np.concatenate([bodies.external_kinetic[:affine], np.zeros(len(numbering.row), dtype=np.bool_)])
        owned = rows[is_own[rows]]
        of = numbering.first, numbering.body
        self.wells = wells(owned, *of, self._W, self._x_tilde)
        self.inertia = wells(rows, *of, self._W, self._x_tilde)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Predict x̃."""
        of = self._order, state, self._acceleration, self._is_dynamic, dt
        _begin(*of, self._numbers, self._x_tilde)

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        add_energies(self.wells, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        add_derivatives(self.wells, x, to)

    def rounding(self, x: Array, moving: Bools) -> Array:
        """By how much the step's energy may change by rounding of x alone, (B,); see `engine.terms.kinetic`."""
        return noise(self.inertia, x, moving, _ROUNDING)


@compiled
def _begin(order, state, acceleration, is_dynamic, dt, numbers, x_tilde):
    q_tilde = np.empty_like(acceleration)
    predict(order, state, acceleration, is_dynamic, dt, q_tilde)
    write_all_nodes(numbers, q_tilde, x_tilde)
