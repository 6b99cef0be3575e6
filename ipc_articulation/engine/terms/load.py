"""Forces that are constant in a step that begins at xᵗ: on bodies, on joints, on soft vertices.

E = -Fᵀ (x - xᵗ),   F carries dt²
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import write_nodes
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.nodes.numbering import Numbering


class Load(Term):
    """Forces on nodes."""

    def __init__(self, name: str, numbering: Numbering, drives: Ints) -> None:
        """Begin without forces; `drives` are the bodies (k,) on which they may act."""
        self.name, self.drives = name, drives
        self._affine, nodes = numbering.affine, int(numbering.first[-1])
        self._body = np.repeat(numbering.body, np.diff(numbering.first))
        self._F, self._x_t = np.zeros((2, nodes, 3))

    def _press(self, F: Array, x: Array) -> None:
        """Begin a step with nodes at x (N, 3), and forces F (N, 3) times dt²."""
        self._F[:], self._x_t[:] = F, x

    def _press_bodies(self, rows: Ints, F: Array, x: Array) -> None:
        """The same with forces F (k, 12) on the coordinates of affine bodies (k,), of which one may be there twice."""
        of_bodies, nodes = np.zeros((self._affine, DOF)), np.zeros_like(x)
        np.add.at(of_bodies, rows, F)
        write_nodes(of_bodies, nodes)
        self._press(nodes, x)

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        _add_energies(self._F, self._x_t, self._body, x, moving, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        _add_derivatives(self._F, to)


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
