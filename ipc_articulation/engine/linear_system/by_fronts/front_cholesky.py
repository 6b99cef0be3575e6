"""Solves H x = b by Cholesky's factorisation H = UᵀU, front by front.

H is sparse and symmetric, in rows of twelve unknowns; some are split in four vertices of three (see `split_rows`). A
front is a dense matrix: H in the rows of its pivots, and what the fronts of its children leave. Its pivots go,

    [H_pp  H_pb]    U_ppᵀ U_pp = H_pp,   U_ppᵀ U_pb = H_pb,   what is left for the parent: H_bb - U_pbᵀ U_pb,
    [      H_bb]

p being the pivots and b the border of the front (see `front_tree`).

Source: Duff, Reid, «The multifrontal solution of indefinite sparse symmetric linear equations», ACM Trans. Math. Softw.
9 (1983); Davis, «Direct Methods for Sparse Linear Systems», SIAM 2006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import islands
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix, Matrix, parts_of
from ipc_articulation.engine.linear_system.by_fronts.front_pattern import FrontPattern, front_pattern
from ipc_articulation.engine.linear_system.by_fronts.fronts import factorise, solution
from ipc_articulation.engine.linear_system.by_fronts.split_rows import by_vertices


class Analysis(NamedTuple):
    """Analysis of one pattern; replaced as a whole."""

    of: tuple[Ints, ...]  # `Matrix.pattern`
    pattern: FrontPattern
    U: Array  # the factor


class FrontCholesky:
    """Solves a sequence of systems; analyses the pattern of blocks only if it has changed."""

    def __init__(self) -> None:
        self._analysed = _analyse(BlockMatrix(0).matrix)

    def solve(self, H: Matrix, b: Array) -> Array | None:
        """The x (k, 12) of H x = b (k, 12), or None if H is not positive definite."""
        pattern, U = self.analyse(H)[1:]
        x, is_definite = solve(pattern, H.diagonal, H.blocks, b, U)
        return x if is_definite else None

    def analyse(self, H: Matrix) -> Analysis:
        """Analyse the pattern of H if it is another one, so that it counts as that of the last `solve`."""
        if not _are_equal(self._analysed.of, H.pattern):
            self._analysed = _analyse(H)
        return self._analysed

    def definite_rows(self, diagonal: Array, blocks: Array) -> Bools:
        """Which rows (k,) are in a positive definite one of the unconnected parts of the H of the last `solve`.

        Vertices of one row may be in several parts of H; these count as one.
        """
        (_, rows, cols, *_), pattern, U = self._analysed
        is_definite = factorise(pattern, diagonal, blocks, U)
        return ~islands.anyone(parts_of(len(diagonal), rows, cols), ~is_definite)

    def solve_again(self, b: Array) -> Array:
        """The x (s, k, 12) of H x = b (s, k, 12) for the H that `solve` has factorised."""
        return solve_each(self._analysed.pattern, self._analysed.U, b)


def _analyse(H: Matrix) -> Analysis:
    of = tuple(array.copy() for array in H.pattern)
    pattern = front_pattern(*of)
    return Analysis(of, pattern, np.empty(pattern.starts[-1]))


@compiled
def _are_equal(left, right):
    is_equal = True
    for k in range(len(left)):
        is_equal &= np.array_equal(left[k], right[k])
    return is_equal


@compiled
def solve(pattern, diagonal, blocks, b, U):
    """See `FrontCholesky.solve`. Returns: x, and whether H is positive definite. U is overwritten."""
    is_definite = factorise(pattern, diagonal, blocks, U).all()
    return solution(pattern, U, by_vertices(pattern.is_split, b)) if is_definite else b, is_definite


@compiled
def solve_each(pattern, U, b):
    """See `FrontCholesky.solve_again`."""
    result = np.empty(b.shape)
    for s in range(len(b)):
        result[s] = solution(pattern, U, by_vertices(pattern.is_split, b[s]))
    return result
