"""The matrix to which the terms of the potential add their second derivatives."""

from __future__ import annotations

from typing import Protocol

from ipc_articulation.arrays import Array, Ints


class Hessian(Protocol):
    """A symmetric matrix in blocks of twelve rows, for n bodies."""

    def add_diagonal(self, blocks: Array) -> None:
        """Add one symmetric block (n, 12, 12) per body."""

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        """Add one symmetric block (m, 24, 24) for each pair of bodies (m, 2); a pair may be twice the same body."""

    def add_coupled(self, bodies: Ints, J: Array, M: Array) -> None:
        """Add JᵀMJ, J (m, 24) over pairs of bodies (m, 2) and M (m, m) dense and symmetric."""

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

    def add_coupled(self, bodies: Ints, J: Array, M: Array) -> None:
        """See `Hessian`."""

    def add_vertices(self, bodies: Ints, points: Array, H: Array, scale: float = 1.0) -> None:
        """See `Hessian`."""
