"""Solves H x = b by Cholesky's factorisation H = UᵀU, front by front.

H is sparse and symmetric, in rows of twelve unknowns; some are split in four vertices of three (see `split_rows`). A
front is a dense matrix: H in the rows of its pivots, and what the fronts of its children leave. Its pivots go,

    [H_pp  H_pb]    U_ppᵀ U_pp = H_pp,   U_ppᵀ U_pb = H_pb,   what is left for the parent: H_bb - U_pbᵀ U_pb,
    [      H_bb]

p being the pivots and b the border of the front (see `front_tree`). Cores share large trees, see `branches`.

Source: Duff, Reid, «The multifrontal solution of indefinite sparse symmetric linear equations», ACM Trans. Math. Softw.
9 (1983); Davis, «Direct Methods for Sparse Linear Systems», SIAM 2006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.cores import cores, parts, share
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix, Matrix, parts_of
from ipc_articulation.engine.linear_system.by_fronts.front_pattern import FrontPattern, front_pattern
from ipc_articulation.engine.linear_system.by_fronts.fronts import factorise_front, forward, solve_upper
from ipc_articulation.engine.linear_system.by_fronts.split_rows import by_vertices, in_rows, ordered
from ipc_articulation.engine.newton import islands


class Analysis(NamedTuple):
    """Analysis of one pattern; replaced as a whole."""

    of: tuple[Ints, ...]  # rows, cols, is_split, own_masks, masks
    pattern: FrontPattern
    U: Array  # the factor
    fronts: list[Array]  # scratch arrays for one front of each piece, and of any
    stack: Array  # and for what fronts leave


class FrontCholesky:
    """Solves a sequence of systems; analyses the pattern of blocks only if none of the last two systems had it.

    In a step of a robot there are two: with contact, and without it at the start (see `jointed_start`).
    """

    def __init__(self) -> None:
        self._analysed = self._other = _analyse(BlockMatrix(0).matrix)

    def solve(self, H: Matrix, b: Array) -> Array | None:
        """The x (k, 12) of H x = b (k, 12), or None if H is not positive definite."""
        pattern, U, fronts, stack = self.analyse(H)[1:]
        numbers = H.diagonal, H.blocks
        if len(fronts) == 2 or cores() == 1:
            x, is_definite = solve(pattern, *numbers, b, U, fronts[-1], stack)
            return x if is_definite else None

        def factorise_piece(some: slice) -> bool:
            return factorise(pattern, *numbers, some.start, U, fronts[some.start], stack)

        if not all(share(factorise_piece, parts(len(fronts) - 1, 1))):
            return None
        is_definite = factorise(pattern, *numbers, -1, U, fronts[-1], stack)
        return solve_each(pattern, U, b[None])[0] if is_definite else None

    def analyse(self, H: Matrix) -> Analysis:
        """Analyse the pattern of H if it is another one, so that it counts as that of the last `solve`."""
        of = H.rows, H.cols, H.is_split, H.own_masks, H.masks
        if not _are_equal(self._analysed.of, of):
            known = self._other if _are_equal(self._other.of, of) else _analyse(H)
            self._analysed, self._other = known, self._analysed
        return self._analysed

    def definite_rows(self, diagonal: Array, blocks: Array) -> Bools:
        """Which rows (k,) are in a positive definite one of the unconnected parts of the H of the last `solve`.

        Vertices of one row may be in several parts of H; these count as one.
        """
        (rows, cols, *_), pattern, U, fronts, stack = self._analysed
        is_definite = definite_rows(pattern, diagonal, blocks, U, fronts[-1], stack)
        return ~islands.anyone(parts_of(len(diagonal), rows, cols), ~is_definite)

    def solve_again(self, b: Array) -> Array:
        """The x (s, k, 12) of H x = b (s, k, 12) for the H that `solve` has factorised."""
        return solve_each(self._analysed.pattern, self._analysed.U, b)


def _analyse(H: Matrix) -> Analysis:
    of = tuple(array.copy() for array in (H.rows, H.cols, H.is_split, H.own_masks, H.masks))
    rows, cols, is_split, own_masks, masks = of
    pattern = front_pattern(is_split, rows, cols, own_masks, masks)
    *widths, top = pattern.widths
    fronts = [np.empty(width * width) for width in (*widths, max(*widths, top))]
    return Analysis(of, pattern, np.empty(pattern.starts[-1]), fronts, np.empty(pattern.stack[-1]))


@compiled
def _are_equal(left, right):
    is_equal = True
    for k in range(len(left)):
        is_equal &= np.array_equal(left[k], right[k])
    return is_equal


@compiled
def solve(pattern, diagonal, blocks, b, U, front, stack):
    """See `FrontCholesky.solve`. Returns: x, and whether H is positive definite. The last are overwritten."""
    x, near = ordered(pattern, by_vertices(pattern.is_split, b)), np.empty(np.max(pattern.widths))
    for f in range(len(pattern.fronts.parent)):
        if not factorise_front(pattern, diagonal, blocks, f, front, stack, U):
            return b, False
        forward(pattern, U, f, x, near)
    solve_upper(pattern, U, x, near)
    return in_rows(pattern, x), True


@compiled(nogil=True)
def factorise(pattern, diagonal, blocks, piece, U, front, stack):
    """Factorise the fronts of a piece, or, after all pieces, those at the top (-1). Returns: whether it can be."""
    is_top, count = piece < 0, len(pattern.is_top)
    for f in range(0 if is_top else pattern.bounds[piece], count if is_top else pattern.bounds[piece + 1]):
        if pattern.is_top[f] == is_top and not factorise_front(pattern, diagonal, blocks, f, front, stack, U):
            return False
    return True


@compiled
def solve_each(pattern, U, b):
    """See `FrontCholesky.solve_again`."""
    result = np.empty(b.shape)
    for s in range(len(b)):
        x, near = ordered(pattern, by_vertices(pattern.is_split, b[s])), np.empty(np.max(pattern.widths))
        for f in range(len(pattern.fronts.parent)):
            forward(pattern, U, f, x, near)
        solve_upper(pattern, U, x, near)
        result[s] = in_rows(pattern, x)
    return result


@compiled
def definite_rows(pattern, diagonal, blocks, U, front, stack):
    """Which rows (k,) of H are in a positive definite one of the parts that no block connects. U is overwritten."""
    fronts = pattern.fronts
    root, is_definite = np.arange(len(fronts.parent)), np.ones(len(fronts.parent), dtype=np.bool_)
    for f in range(len(root) - 1, -1, -1):
        if fronts.parent[f] >= 0:
            root[f] = root[fronts.parent[f]]
    for f in range(len(root)):
        if is_definite[root[f]]:
            is_definite[root[f]] = factorise_front(pattern, diagonal, blocks, f, front, stack, U)
    result = np.ones(len(pattern.is_split), dtype=np.bool_)
    of_front = np.repeat(root, np.diff(fronts.pivots))
    for t in range(len(pattern.threes)):
        result[t // 4] &= is_definite[of_front[pattern.threes[t]]]
    return result
