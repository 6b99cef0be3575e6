"""The matrix to which the terms of the potential add their second derivatives."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ipc_articulation.arrays import Array, Ints


class Coupled(NamedTuple):
    """Σₐ JₐᵀMₐJₐ, the rows of several J one after the other: F rows."""

    bodies: Ints  # (F, 2) the pair of bodies of each row
    J: Array  # (F, 24) over these pairs
    starts: Ints  # Jₐ has the rows starts[a] to starts[a + 1] - 1
    M: Array  # (Σ mₐ²,) each Mₐ (mₐ, mₐ), dense and symmetric, row-major, one after the other

    @property
    def room(self) -> int:
        """The largest number of blocks above the diagonal that it adds."""
        sizes = np.diff(self.starts)
        return int((sizes * (2 * sizes - 1)).sum())


def coupled(bodies: Ints, J: Array, M: Array) -> Coupled:
    """One JᵀMJ, M (m, m)."""
    return Coupled(bodies, J, np.array([0, len(bodies)]), M.ravel())


class Hessian(Protocol):
    """A symmetric matrix in blocks of twelve rows, for n bodies."""

    def add_diagonal(self, blocks: Array) -> None:
        """Add one symmetric block (n, 12, 12) per body."""

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        """Add one symmetric block (m, 24, 24) for each pair of bodies (m, 2); a pair may be twice the same body."""

    def add_coupled(self, coupled: Coupled) -> None:
        """Add Σₐ JₐᵀMₐJₐ."""

    def add_vertices(self, bodies: Ints, points: Array, H: Array, scale: float = 1.0) -> None:
        """Add second derivatives by vertices: H (k, 3v, 3v) for the v vertices of each of k stencils or elements.

        Args:
            bodies: The rows that the vertices belong to, (k, v).
            points: Their local positions x̄, (k, v, 3), with x = A x̄ + p.
            H: By the vertices, three numbers each.
            scale: H is multiplied by it.
        """


class NoHessian:
    """Ignores everything that is added; for callers that need only the gradient."""

    def add_diagonal(self, blocks: Array) -> None:
        """See `Hessian`."""

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        """See `Hessian`."""

    def add_coupled(self, coupled: Coupled) -> None:
        """See `Hessian`."""

    def add_vertices(self, bodies: Ints, points: Array, H: Array, scale: float = 1.0) -> None:
        """See `Hessian`."""
