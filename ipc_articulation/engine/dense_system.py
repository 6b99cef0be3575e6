"""The Newton system as one dense array: best for few bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg.lapack
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.surfaces import Surfaces, add_entry
from ipc_articulation.engine.linear_system import SHIFTS, not_positive_definite

Array = NDArray[np.float64]


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
        for shift in SHIFTS:
            H = self._H + np.diag(np.full(len(self._H), shift * scale)) if shift else self._H
            _, x, info = scipy.linalg.lapack.dposv(H, -g[self._moving].ravel())
            if info == 0:
                dq[self._moving] = x.reshape(-1, 12)
                return dq
        raise not_positive_definite()


def _first_unknowns(is_fixed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Index of the first of a body's twelve unknowns, -1 for a fixed one, (n,)."""
    return np.where(is_fixed, -1, 12 * (np.cumsum(~is_fixed) - 1)).astype(np.int64)


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
    """H += Jᵀ h J, entry by entry."""
    for col in range(len(indptr) - 1):
        w, m = col // 3, col % 3
        j = first[body[w]]
        if j < 0:
            continue
        for entry in range(indptr[col], indptr[col + 1]):
            v, k = indices[entry] // 3, indices[entry] % 3
            i = first[body[v]]
            if i >= 0:
                add_entry(data[entry], k, m, points[v], points[w], H[i : i + 12, j : j + 12])
