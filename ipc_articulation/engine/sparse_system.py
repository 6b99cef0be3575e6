"""The Newton system in sparse blocks of twelve: for many bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.surfaces import Surfaces, add_entry
from ipc_articulation.engine.linear_system import SHIFTS, not_positive_definite

Array = NDArray[np.float64]


class SparseSystem:
    """H in sparse blocks of twelve, factorised by SuperLU."""

    def __init__(self, surfaces: Surfaces, is_fixed: NDArray[np.bool_]) -> None:
        self._surfaces = surfaces
        self._moving = np.flatnonzero(~is_fixed)
        self._place = np.where(is_fixed, -1, np.cumsum(~is_fixed) - 1).astype(np.int64)  # block row of a body
        self.clear()

    def clear(self) -> None:
        self._rows: list[NDArray[np.int64]] = []
        self._cols: list[NDArray[np.int64]] = []
        self._blocks: list[Array] = []

    def add_diagonal(self, blocks: Array) -> None:
        places = np.arange(len(self._moving))
        self._add(places, places, blocks[self._moving])

    def add_pairs(self, bodies: NDArray[np.int64], blocks: Array) -> None:
        places = self._place[bodies]
        for a in range(2):
            for b in range(2):
                self._add(places[:, a], places[:, b], blocks[:, 12 * a : 12 * a + 12, 12 * b : 12 * b + 12])

    def add_coupled(self, bodies: NDArray[np.int64], J: Array, M: Array) -> None:
        k, m = np.nonzero(M)
        places = self._place[bodies]
        for a in range(2):
            left = M[k, m, None] * J[k, 12 * a : 12 * a + 12]
            for b in range(2):
                right = J[m, 12 * b : 12 * b + 12]
                self._add(places[k, a], places[m, b], left[:, :, None] * right[:, None, :])

    def add_vertex_hessian(self, hessian: Any) -> None:
        points, body = self._surfaces.points, self._surfaces.body
        self._add(*_vertex_blocks(hessian.indptr, hessian.indices, hessian.data, points, body, self._place))

    def solve(self, g: Array) -> Array:
        H = self._matrix()
        scale = H.diagonal().max()
        identity = scipy.sparse.identity(H.shape[0], format="csc")
        dq = np.zeros_like(g)
        for shift in SHIFTS:
            factor = _factorise(H + shift * scale * identity if shift else H)
            if factor is not None:
                dq[self._moving] = factor.solve(-g[self._moving].ravel()).reshape(-1, 12)
                return dq
        raise not_positive_definite()

    def _add(self, row: NDArray[np.int64], col: NDArray[np.int64], blocks: Array) -> None:
        keep = (row >= 0) & (col >= 0)
        self._rows.append(row[keep])
        self._cols.append(col[keep])
        self._blocks.append(blocks[keep])

    def _matrix(self) -> Any:
        """H as csc; its compressed rows serve as columns, for H is symmetric."""
        n = len(self._moving)
        place, index = np.unique(np.concatenate(self._rows) * n + np.concatenate(self._cols), return_inverse=True)
        blocks = np.zeros((len(place), 12, 12))
        _add_at(index, np.concatenate(self._blocks), blocks)
        first = np.searchsorted(place, n * np.arange(n + 1))
        H = scipy.sparse.bsr_matrix((blocks, place % n, first), shape=(12 * n, 12 * n)).tocsr()
        return scipy.sparse.csc_matrix((H.data, H.indices, H.indptr), shape=H.shape)


def _factorise(H: Any) -> Any | None:
    """Symmetric-mode LU of a matrix, None where it is singular or has a pivot that is not positive."""
    try:
        factor = scipy.sparse.linalg.splu(
            H, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:
        return None
    return factor if factor.U.diagonal().min() > 0.0 else None


@njit(cache=True)
def _add_at(index, blocks, sums):
    for b in range(len(index)):
        sums[index[b]] += blocks[b]


@njit(cache=True)
def _vertex_blocks(indptr, indices, data, points, body, place):
    """Jᵀ h J in blocks: places of the rows and columns (k,), and the blocks (k, 12, 12).

    The vertices of a body follow each other, so the blocks of one block column are complete when its body ends.
    """
    block_of_row = np.full(len(place), -1, dtype=np.int64)  # in the present block column
    rows, cols = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    blocks, count, begin, owner = np.zeros((64, 12, 12)), 0, 0, -1
    for col in range(len(indptr) - 1):
        w, m = col // 3, col % 3
        if body[w] != owner:
            for b in range(begin, count):
                block_of_row[rows[b]] = -1
            begin, owner = count, body[w]
        j = place[owner]
        if j < 0:
            continue
        for entry in range(indptr[col], indptr[col + 1]):
            v, k = indices[entry] // 3, indices[entry] % 3
            i = place[body[v]]
            if i < 0:
                continue
            b = block_of_row[i]
            if b < 0:
                if count == len(rows):
                    rows, cols = np.concatenate((rows, rows)), np.concatenate((cols, cols))
                    blocks = np.concatenate((blocks, np.zeros_like(blocks)))
                b = count
                block_of_row[i], rows[b], cols[b] = b, i, j
                count += 1
            add_entry(data[entry], k, m, points[v], points[w], blocks[b])
    return rows[:count], cols[:count], blocks[:count]
