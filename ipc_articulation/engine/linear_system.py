"""The Newton system H dq = -g in blocks of twelve, dense for few bodies and sparse for many.

Fixed bodies have no unknowns: whatever is added to their rows is dropped.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.errors import SolverError

Array = NDArray[np.float64]

DENSE_LIMIT = 48  # moving bodies; beyond, sparse factorisation is faster
SHIFTS = (0.0, 1e-12, 1e-9, 1e-6)  # of the largest diagonal entry, tried in turn


class LinearSystem(Protocol):
    """What the terms of the potential add to, and what Newton solves."""

    def clear(self) -> None:
        """Forget everything added."""

    def add_diagonal(self, blocks: Array) -> None:
        """Add one block (n, 12, 12) a body."""

    def add_pairs(self, bodies: NDArray[np.int64], blocks: Array) -> None:
        """Add one block (m, 24, 24) for each pair of bodies (m, 2)."""

    def add_coupled(self, bodies: NDArray[np.int64], J: Array, M: Array) -> None:
        """Add JᵀMJ, J (m, 24) over pairs of bodies (m, 2) and M (m, m) dense."""

    def add_vertex_hessian(self, hessian: Any) -> None:
        """Add the pull-back of a (3V, 3V) csc Hessian by vertex positions."""

    def solve(self, g: Array) -> Array:
        """The step dq = -H⁻¹ g, (n, 12), zero for fixed bodies; SolverError where H is not positive definite."""


def make_linear_system(surfaces: Surfaces, is_fixed: NDArray[np.bool_]) -> LinearSystem:
    """The kind of system that suits the number of moving bodies."""
    from ipc_articulation.engine.dense_system import DenseSystem
    from ipc_articulation.engine.sparse_system import SparseSystem

    kind = DenseSystem if (~is_fixed).sum() <= DENSE_LIMIT else SparseSystem
    return kind(surfaces, is_fixed)


class NoSystem:
    """Takes everything and keeps nothing: for gradients alone."""

    def clear(self) -> None:
        pass

    def add_diagonal(self, blocks: Array) -> None:
        pass

    def add_pairs(self, bodies: NDArray[np.int64], blocks: Array) -> None:
        pass

    def add_coupled(self, bodies: NDArray[np.int64], J: Array, M: Array) -> None:
        pass

    def add_vertex_hessian(self, hessian: Any) -> None:
        pass

    def solve(self, g: Array) -> Array:
        return np.zeros_like(g)


def not_positive_definite() -> SolverError:
    """The error of a system that no shift makes positive definite."""
    return SolverError(
        "the Hessian of the step is not positive definite; is there a body that no mass, joint or contact holds?"
    )
