"""Forces that are constant in a step that begins at xᵗ: on bodies, on joints, on soft vertices.

E = -Fᵀ (x - xᵗ),   F carries dt²
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms import term as of_engine
from prototypes.core.term import Term
from prototypes.core.terms.coordinates import Numbering, write_nodes


class Load(Term):
    """Forces on nodes."""

    def __init__(self, name: str, numbering: Numbering, drives: Ints) -> None:
        """Begin without forces; `drives` are the bodies (k,) on which they may act."""
        self.name, self.drives = name, drives
        nodes = int(numbering.first[-1])
        self._body = np.repeat(numbering.body, np.diff(numbering.first))
        self._F, self._x_t = np.zeros((2, nodes, 3))

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        _add_energies(self._F, self._x_t, self._body, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        _add_derivatives(self._F, to)


class BodyLoad(Load):
    """Forces on affine bodies, and on their joints, as a term of the engine reads them."""

    def __init__(self, source: of_engine.Load, numbering: Numbering) -> None:
        """Take the engine's term."""
        super().__init__(source.name, numbering, source.drives)
        self._source, self._affine = source, numbering.affine

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read the forces."""
        self._source.begin_step(state, dt)
        write_nodes(self._source._F[: self._affine], self._F)
        self._x_t[:] = x


class VertexLoad(Load):
    """Forces on soft vertices."""

    def __init__(self, source: Any, nodes: Ints, numbering: Numbering) -> None:
        """Take the engine's term, and the nodes (k,) of its vertices."""
        super().__init__(source.name, numbering, np.unique(numbering.body_of[source.drives]))
        self._force, self._nodes = source._force, nodes

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read the forces."""
        given = self._force.read(dt)
        self._F[self._nodes] = dt * dt * given.force * given.is_constrained[:, None]
        self._x_t[:] = x


@compiled
def _add_energies(F, x_t, body, x, moving, E):
    for n in range(len(F)):
        if moving[body[n]]:
            for k in range(3):
                E[body[n]] -= F[n, k] * (x[n, k] - x_t[n, k])


@compiled
def _add_derivatives(F, to):
    is_free, row_of_node, g = to.is_free, to.row_of_node, to.g
    for n in range(len(F)):
        if is_free[row_of_node[n]]:
            for k in range(3):
                g[n, k] -= F[n, k]
