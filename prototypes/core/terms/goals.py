"""Soft constraints to goals: of soft vertices to positions, of affine bodies to transforms.

E = ½ Σ (x - x̂)ᵀ (W ⊗ 1) (x - x̂), without dt²; `engine.terms.soft_position` and `soft_transform` have W and x̂
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine.state import EngineState
from prototypes.core.layout import _weights as weights
from prototypes.core.term import NO_BODIES, Term
from prototypes.core.terms.coordinates import Numbering, write_nodes
from prototypes.core.terms.wells import add_derivatives, add_energies, wells


class _Goals(Term):
    """Wells about goals that the engine's term reads."""

    def __init__(self, source: Any, rows: Ints, numbering: Numbering) -> None:
        """Take the engine's term, and the rows (k,) for which it is."""
        self.name, self._source, self._rows = source.name, source, rows
        self.drives = np.unique(numbering.body_of[source.drives])
        self._affine, self._nodes = numbering.affine, numbering.first[rows]
        self._W, self._goal = np.zeros((len(numbering.body), 4, 4)), np.zeros((numbering.first[-1], 3))
        self._wells = wells(rows, numbering.first, numbering.body, self._W, self._goal)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read goals, strengths and switches.

        Raises:
            SceneError: See the engine's term.
        """
        self._source.begin_step(state, dt)
        self._W[self._rows] = self._weights()
        self._write_goal()

    def approach(self, share: float) -> None:
        self._source.approach(share)
        self._write_goal()

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        add_energies(self._wells, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        add_derivatives(self._wells, x, to)

    @abstractmethod
    def _weights(self) -> Array:
        """W (k, 4, 4) of the rows."""

    @abstractmethod
    def _write_goal(self) -> None:
        """Write x̂."""


class SoftPosition(_Goals):
    """Soft position constraints of vertices."""

    def _weights(self) -> Array:
        return self._source._strength[:, None, None]

    def _write_goal(self) -> None:
        self._goal[self._nodes] = self._source._aim


class SoftTransform(_Goals):
    """Soft transform constraints of affine bodies."""

    def _weights(self) -> Array:
        return weights(self._source.stiffness[self._rows], len(self._rows), NO_BODIES, NO_BODIES)

    def _write_goal(self) -> None:
        write_nodes(self._source._q_hat[: self._affine], self._goal)
