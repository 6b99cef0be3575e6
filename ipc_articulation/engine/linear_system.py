"""The Newton system H dq = -g in blocks of twelve, dense for few bodies and sparse for many.

Fixed bodies have no unknowns: whatever is added to their rows is dropped.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.linalg.lapack
import scipy.sparse
import scipy.sparse.linalg
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.errors import SolverError

Array = NDArray[np.float64]

DENSE_LIMIT = 48  # moving bodies; beyond, sparse factorisation is faster
_SHIFTS = (0.0, 1e-12, 1e-9, 1e-6)  # of the largest diagonal entry, tried in turn


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
        """Dq = -H⁻¹ g, (n, 12), zero for fixed bodies; SolverError where H is not positive definite."""


def make_linear_system(surfaces: Surfaces, is_fixed: NDArray[np.bool_]) -> LinearSystem:
    """The kind of system that suits the number of moving bodies."""
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


class DenseSystem:
    """H as one array, solved by LAPACK's Cholesky factorisation."""

    def __init__(self, surfaces: Surfaces, is_fixed: NDArray[np.bool_]) -> None:
        self._surfaces = surfaces
        self._moving = np.flatnonzero(~is_fixed)
        self._first = _first_unknowns(is_fixed)
        n = 12 * len(self._moving)
        self._H = np.zeros((n, n))

    def clear(self) -> None:
        self._H[:] = 0.0

    def add_diagonal(self, blocks: Array) -> None:
        _add_diagonal(self._first, blocks, self._H)

    def add_pairs(self, bodies: NDArray[np.int64], blocks: Array) -> None:
        _add_pairs(self._first, bodies, blocks, self._H)

    def add_coupled(self, bodies: NDArray[np.int64], J: Array, M: Array) -> None:
        wide = np.zeros((len(J), len(self._H)))
        _widen(self._first, bodies, J, wide)
        self._H += wide.T @ (M @ wide)

    def add_vertex_hessian(self, hessian: Any) -> None:
        points, body = self._surfaces.points, self._surfaces.body
        _add_vertex_hessian(hessian.indptr, hessian.indices, hessian.data, points, body, self._first, self._H)

    def solve(self, g: Array) -> Array:
        dq = np.zeros_like(g)
        if len(self._moving) == 0:
            return dq
        scale = self._H.diagonal().max()
        for shift in _SHIFTS:
            H = self._H + np.diag(np.full(len(self._H), shift * scale)) if shift else self._H
            _, x, info = scipy.linalg.lapack.dposv(H, -g[self._moving].ravel())
            if info == 0:
                dq[self._moving] = x.reshape(-1, 12)
                return dq
        raise _not_positive_definite()


class SparseSystem:
    """H as a sparse matrix, factorised by SuperLU."""

    def __init__(self, surfaces: Surfaces, is_fixed: NDArray[np.bool_]) -> None:
        self._moving = np.flatnonzero(~is_fixed)
        self._first = _first_unknowns(is_fixed)
        self._size = 12 * len(self._moving)
        self._J = _vertex_jacobian(surfaces, self._first, self._size)
        self.clear()

    def clear(self) -> None:
        self._rows: list[Array] = []
        self._cols: list[Array] = []
        self._data: list[Array] = []
        self._vertex_hessian: Any = None

    def add_diagonal(self, blocks: Array) -> None:
        first = self._first[self._moving]
        self._add_blocks(first, first, blocks[self._moving])

    def add_pairs(self, bodies: NDArray[np.int64], blocks: Array) -> None:
        first = self._first[bodies]
        for a in range(2):
            for b in range(2):
                self._add_blocks(first[:, a], first[:, b], blocks[:, 12 * a : 12 * a + 12, 12 * b : 12 * b + 12])

    def add_coupled(self, bodies: NDArray[np.int64], J: Array, M: Array) -> None:
        k, m = np.nonzero(M)
        first = self._first[bodies]
        for a in range(2):
            left = M[k, m, None] * J[k, 12 * a : 12 * a + 12]
            for b in range(2):
                right = J[m, 12 * b : 12 * b + 12]
                self._add_blocks(first[k, a], first[m, b], left[:, :, None] * right[:, None, :])

    def add_vertex_hessian(self, hessian: Any) -> None:
        pulled = self._J.T @ hessian @ self._J
        self._vertex_hessian = pulled if self._vertex_hessian is None else self._vertex_hessian + pulled

    def solve(self, g: Array) -> Array:
        rows, cols, data = (np.concatenate(parts) for parts in (self._rows, self._cols, self._data))
        H = scipy.sparse.coo_matrix((data, (rows, cols)), shape=(self._size, self._size)).tocsc()
        if self._vertex_hessian is not None:
            H = (H + self._vertex_hessian).tocsc()
        scale = H.diagonal().max()
        identity = scipy.sparse.identity(self._size, format="csc")
        dq = np.zeros_like(g)
        for shift in _SHIFTS:
            factor = _factorise(H + shift * scale * identity if shift else H)
            if factor is not None:
                dq[self._moving] = factor.solve(-g[self._moving].ravel()).reshape(-1, 12)
                return dq
        raise _not_positive_definite()

    def _add_blocks(self, row: NDArray[np.int64], col: NDArray[np.int64], blocks: Array) -> None:
        keep = (row >= 0) & (col >= 0)
        i, j = np.arange(12)[:, None], np.arange(12)[None, :]
        shape = (int(keep.sum()), 12, 12)
        self._rows.append(np.broadcast_to(row[keep, None, None] + i, shape).ravel())
        self._cols.append(np.broadcast_to(col[keep, None, None] + j, shape).ravel())
        self._data.append(blocks[keep].ravel())


def _not_positive_definite() -> SolverError:
    return SolverError(
        "the Hessian of the step is not positive definite; is there a body that no mass, joint or contact holds?"
    )


def _factorise(H: Any) -> Any | None:
    """Symmetric-mode LU of a matrix, None where it is singular or has a pivot that is not positive."""
    try:
        factor = scipy.sparse.linalg.splu(
            H, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:
        return None
    return factor if factor.U.diagonal().min() > 0.0 else None


def _first_unknowns(is_fixed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Index of the first of a body's twelve unknowns, -1 for a fixed one, (n,)."""
    return np.where(is_fixed, -1, 12 * (np.cumsum(~is_fixed) - 1)).astype(np.int64)


def _vertex_jacobian(surfaces: Surfaces, first: NDArray[np.int64], size: int) -> Any:
    """∂x/∂q of all vertices, (3V, size) sparse."""
    V = len(surfaces.points)
    moving = first[surfaces.body] >= 0
    v = np.flatnonzero(moving)
    start = first[surfaces.body[v]]
    rows, cols, data = [], [], []
    for k in range(3):
        rows.append(np.repeat(3 * v + k, 4))
        cols.append(np.stack([start + k, *(start + 3 + 3 * k + a for a in range(3))], axis=1).ravel())
        data.append(np.column_stack([np.ones(len(v)), surfaces.points[v]]).ravel())
    triplets = np.concatenate(data), (np.concatenate(rows), np.concatenate(cols))
    return scipy.sparse.csc_matrix(triplets, shape=(3 * V, size))


@njit(cache=True)
def _add_diagonal(first, blocks, H):
    for b in range(len(first)):
        i = first[b]
        if i >= 0:
            H[i : i + 12, i : i + 12] += blocks[b]


@njit(cache=True)
def _add_pairs(first, bodies, blocks, H):
    for p in range(len(bodies)):
        for a in range(2):
            for b in range(2):
                i, j = first[bodies[p, a]], first[bodies[p, b]]
                if i >= 0 and j >= 0:
                    H[i : i + 12, j : j + 12] += blocks[p, 12 * a : 12 * a + 12, 12 * b : 12 * b + 12]


@njit(cache=True)
def _widen(first, bodies, J, wide):
    for p in range(len(bodies)):
        for a in range(2):
            i = first[bodies[p, a]]
            if i >= 0:
                wide[p, i : i + 12] += J[p, 12 * a : 12 * a + 12]


@njit(cache=True)
def _add_vertex_hessian(indptr, indices, data, points, body, first, H):
    """H += Jᵀ h J, entry by entry: vertex v, axis k touches the unknowns k and 3+3k..5+3k with weights 1 and x̄."""
    for col in range(len(indptr) - 1):
        w, m = col // 3, col % 3
        j = first[body[w]]
        if j < 0:
            continue
        for entry in range(indptr[col], indptr[col + 1]):
            v, k = indices[entry] // 3, indices[entry] % 3
            i = first[body[v]]
            if i < 0:
                continue
            h = data[entry]
            H[i + k, j + m] += h
            for a in range(3):
                H[i + 3 + 3 * k + a, j + m] += h * points[v, a]
                H[i + k, j + 3 + 3 * m + a] += h * points[w, a]
                for b in range(3):
                    H[i + 3 + 3 * k + a, j + 3 + 3 * m + b] += h * points[v, a] * points[w, b]
