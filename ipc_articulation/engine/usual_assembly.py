"""Gradient and Hessian of the usual terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.articulation.evaluation import forces
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.engine.usual_terms import add_derivatives, hold_terms, room_of


class UsualAssembly:
    """Sums the derivatives of usual terms, see `usual_terms.usual_of`."""

    def __init__(self, terms: Sequence[Term], n: int) -> None:
        """Prepare for the usual terms of n bodies."""
        self.terms = hold_terms({term.name: term for term in terms}, n)
        self._articulation = next((term for term in terms if isinstance(term, Articulation)), None)
        self._room = room_of(terms)

    def add(self, q: Array, moving: Bools, projected: Bools, g: Array, blocks: BlockMatrix) -> None:
        """Add the gradient at q (n, 12) of moving bodies (n,) to g (n, 12), and the Hessian, exact or projected."""
        force, delta, w = _NO_FORCES if self._articulation is None else forces(self._articulation.arrays, q)
        J = np.zeros((len(w), 24))
        H = blocks.with_room(self._room)
        blocks.has_now(add_derivatives(self.terms, q, force, w, moving, projected, g, H, J))
        if self._articulation is not None:
            self._articulation.linearized(J, delta)


_NO_FORCES = tuple(np.zeros((3, 0)))
