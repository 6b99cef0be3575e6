"""Soft constraints to goals: of soft vertices to positions, of affine bodies to transforms.

    E = ½ Σ (x - x̂)ᵀ (W ⊗ 1) (x - x̂),   x̂ = xᵗ + s (aim - xᵗ),   without dt²

With n animator substeps the goal approaches during the Newton iterations: s = 1/n, 2/n, … 1.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.engine.terms.wells import add_derivatives, add_energies, wells
from ipc_articulation.frontend.nodes.numbering import Numbering


class Goals(Term):
    """Wells about goals."""

    def __init__(self, rows: Ints, numbering: Numbering) -> None:
        """Take the rows (k,) for which they are."""
        self.drives = np.unique(numbering.body[rows])
        self._rows, self._W = rows, np.zeros((len(numbering.body), 4, 4))
        self._x_t, self._aim, self._goal = np.zeros((3, numbering.first[-1], 3))
        self._wells = wells(rows, numbering.first, numbering.body, self._W, self._goal)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read goals, strengths and switches.

        Raises:
            SceneError: See `_read`.
        """
        self._x_t[:], self._aim[:] = x, x
        self._W[self._rows] = self._read(self._aim)
        self.approach(1.0)

    def approach(self, share: float) -> None:
        self._goal[:] = self._x_t + share * (self._aim - self._x_t)

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        add_energies(self._wells, x, moving, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        add_derivatives(self._wells, x, to)

    @abstractmethod
    def _read(self, aim: Array) -> Array:
        """Write the aims of the rows among those of all nodes (N, 3); returns W (k, 4, 4)."""
