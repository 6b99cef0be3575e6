"""Solves H x = b by Cholesky's factorisation H = UᵀU, H sparse and symmetric in blocks of 12x12.

Rows of blocks are numbered in the order of elimination. Row i of U is stored as one panel of 12 rows,

    P_i = [U_ii  U_ij1  U_ij2 ...],    j1 < j2 < ... the neighbours of i in the factor,

and is computed left-looking, from the rows k < i that have a block U_ki,

    P_i = U_ii⁻ᵀ (H_i - Σ U_kiᵀ P_k),    U_iiᵀ U_ii = H_ii - Σ U_kiᵀ U_ki,

where of P_k only the columns from i on count. Each panel is read, computed and used for the forward substitution
Uᵀ y = b while it is in the cache; the backward substitution U x = y is a second pass.

Source: Davis, «Direct Methods for Sparse Linear Systems», SIAM 2006, ch. 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.cores import parts, parts_of_sizes, share
from ipc_articulation.engine.linear_system.block_matrix import Blocks, Matrix
from ipc_articulation.engine.linear_system.by_rows import panels
from ipc_articulation.engine.linear_system.by_rows.factor_pattern import Pattern, factor_pattern

_WORTH = 40_000  # numbers of the factor that are worth a core: some tenths of a millisecond
_STRIP = 16  # blocks of a panel that are multiplied at a time: they fit the first-level cache


class Analysis(NamedTuple):
    """Analysis of one pattern of n diagonal blocks, and others at (rows, cols); replaced as a whole."""

    n: int
    rows: Ints  # (m,)
    cols: Ints  # (m,)
    pattern: Pattern  # of the factor
    U: Array  # scratch array for its panels
    pieces: list[Ints]  # rows of the factor that cores share: unconnected parts, ascending


class BlockCholesky:
    """Solves a sequence of systems; analyses the pattern of blocks only if it has changed."""

    def __init__(self) -> None:
        self._analysed = _analyse(0, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def solve(self, H: Matrix, b: Array) -> Array | None:
        """The x (n, 12) of H x = b (n, 12), or None if H is not positive definite."""
        known, n = self._analysed, len(H.diagonal)
        if n != known.n or not (_are_equal(H.rows, known.rows) and _are_equal(H.cols, known.cols)):
            known = self._analysed = _analyse(n, H.rows.copy(), H.cols.copy())
        y, x = np.empty((n, DOF)), np.empty((n, DOF))

        def solve_piece(some: slice) -> bool:
            rows = known.pieces[some.start]
            return solve_rows(known.pattern, rows, H.diagonal, H.blocks, b, known.U, y, x)

        return x if all(share(solve_piece, parts(len(known.pieces), 1))) else None

    def solve_together(self, H: Blocks, g: Array) -> tuple[Array, bool] | None:
        """-H⁻¹ g by bodies, (n, 12), and whether H is positive definite, on one core; None where cores share it."""
        if len(self._analysed.pieces) > 1:
            return None
        is_known, dq, is_definite = _solve_together(*self._analysed[1:5], H, g)
        if not is_known:
            rows, cols = H.upper.rows[: H.number].copy(), H.upper.cols[: H.number].copy()
            self._analysed = _analyse(len(H.bodies), rows, cols)
            return self.solve_together(H, g)
        return dq, is_definite

    def definite_rows(self, diagonal: Array, blocks: Array) -> Bools:
        """Which rows (n,) are in a positive definite one of the unconnected parts of the H of the last `solve`."""
        return definite_rows(self._analysed.pattern, diagonal, blocks, self._analysed.U)

    def solve_again(self, b: Array) -> Array:
        """The x (s, n, 12) of H x = b (s, n, 12) for the H that `solve` has factorised."""
        return solve_each(self._analysed.pattern, self._analysed.U, b)


def _analyse(n: int, rows: Ints, cols: Ints) -> Analysis:
    pattern = factor_pattern(n, rows, cols)
    return Analysis(n, rows, cols, pattern, np.empty(pattern.starts[-1]), _pieces(pattern))


def _pieces(pattern: Pattern) -> list[Ints]:
    """The rows of unconnected parts, as many parts together as are worth a core."""
    if pattern.starts[-1] < 2 * _WORTH:
        return [np.arange(len(pattern.order))]
    part = _parts(pattern)
    order = np.argsort(part, kind="stable")
    roots, counts = np.unique(part, return_counts=True)
    sizes = np.bincount(part, np.diff(pattern.starts), minlength=len(part))[roots].astype(np.int64)
    first = np.concatenate([[0], np.cumsum(counts)])
    groups = parts_of_sizes(sizes, _WORTH)
    return [np.sort(order[first[group.start] : first[group.stop]]) for group in groups]


@compiled
def _are_equal(left, right):
    return np.array_equal(left, right)


@compiled
def _parts(pattern):
    """Of each row of the factor the last row of its part, (n,): the root of a tree, in which the parent of a row is
    its first neighbour.
    """
    part = np.arange(len(pattern.order))
    for i in range(len(part) - 1, -1, -1):
        if pattern.first[i] < pattern.first[i + 1]:
            part[i] = part[pattern.columns[pattern.first[i]]]
    return part


@compiled
def solve(pattern, diagonal, blocks, b, U):
    """See `BlockCholesky.solve`. Returns: x, and whether H is positive definite. U is scratch."""
    y, x = np.empty(b.shape), np.empty(b.shape)
    return x, solve_rows(pattern, np.arange(len(b)), diagonal, blocks, b, U, y, x)


@compiled
def _is_of(rows, cols, pattern, H):
    """Whether `Blocks` H have this pattern."""
    upper, count = H.upper, H.number
    return (
        len(H.bodies) == len(pattern.order)
        and np.array_equal(rows, upper.rows[:count])
        and np.array_equal(cols, upper.cols[:count])
    )


@compiled
def _solve_together(rows, cols, pattern, U, H, g):
    """See `BlockCholesky.solve_together`. Returns: whether `Blocks` H have the pattern of the first four, and both."""
    n, upper, count = len(H.bodies), H.upper, H.number
    if not _is_of(rows, cols, pattern, H):
        return False, np.empty((0, DOF)), False
    b, dq = np.empty((n, DOF)), np.zeros(g.shape)
    for i in range(n):
        b[i] = g[H.bodies[i]]
    x, is_definite = solve(pattern, H.diagonal, upper.blocks[:count], b, U)
    for i in range(n):
        for k in range(DOF):
            dq[H.bodies[i], k] = -x[i, k]
    return True, dq, is_definite


@compiled(nogil=True)
def solve_rows(pattern, rows, diagonal, blocks, b, U, y, x):
    """Solve for the unknowns of some rows, ascending, of whole parts; write them to x. U and y (n, 12) are scratch.

    Returns:
        Whether these parts of H are positive definite.
    """
    near, scratch = np.empty(pattern.widest), _scratch(pattern)
    for i in rows:
        for c in range(DOF):
            y[i, c] = b[pattern.order[i], c]
    for i in rows:
        if not _factorise_row(pattern, diagonal, blocks, i, U, scratch):
            return False
        _gather(pattern, i, y, near)
        panels.forward(_panel(pattern, U, i), near)
        _scatter(pattern, i, near, y)
    _solve_upper(pattern, rows, U, y, near, x)
    return True


@compiled
def definite_rows(pattern, diagonal, blocks, U):
    """Which rows (n,) of H are in a positive definite one of the parts that no block connects. U is scratch."""
    n, scratch, part = len(diagonal), _scratch(pattern), _parts(pattern)
    is_definite, result = np.ones(n, dtype=np.bool_), np.empty(n, dtype=np.bool_)
    for i in range(n):
        if is_definite[part[i]]:
            is_definite[part[i]] = _factorise_row(pattern, diagonal, blocks, i, U, scratch)
    for i in range(n):
        result[pattern.order[i]] = is_definite[part[i]]
    return result


class _Scratch(NamedTuple):
    """What the elimination of a row leaves to the following ones."""

    waiting: Ints  # (n,) see `_wait`
    after: Ints  # (n,)
    done: Ints  # (n,) of each row: the place in `columns` of the first column that is not yet computed
    slot: Ints  # (n,) of each column: its place among the blocks of the present panel
    product: Array  # (12, 12 · strip)


@compiled
def _scratch(pattern):
    n = len(pattern.order)
    nobody = np.full(n, -1, dtype=np.int64)
    done, slot = pattern.first[:-1].copy(), np.zeros(n, dtype=np.int64)
    return _Scratch(nobody, nobody.copy(), done, slot, np.empty((DOF, DOF * _STRIP)))


@compiled
def _factorise_row(pattern, diagonal, blocks, i, U, scratch):
    """Compute panel P_i of H, after all those before it. Returns: whether that is possible."""
    waiting, after, done, slot, product = scratch
    P = _panel(pattern, U, i)
    _load(pattern, diagonal, blocks, i, P)
    _find_slots(pattern, i, slot)
    k = waiting[i]
    while k >= 0:
        following = after[k]
        _subtract_row(pattern, k, done[k], U, slot, product, P)
        done[k] += 1
        _wait(pattern, k, done[k], waiting, after)
        k = following
    if not panels.factorise(P):
        return False
    _wait(pattern, i, done[i], waiting, after)
    return True


@compiled
def solve_each(pattern, U, b):
    """See `BlockCholesky.solve_again`."""
    result, near, rows = np.empty(b.shape), np.empty(pattern.widest), np.arange(b.shape[1])
    for s in range(len(b)):
        y = b[s][pattern.order]
        for i in range(len(y)):
            _gather(pattern, i, y, near)
            panels.forward(_panel(pattern, U, i), near)
            _scatter(pattern, i, near, y)
        _solve_upper(pattern, rows, U, y, near, result[s])
    return result


@compiled
def _solve_upper(pattern, rows, U, y, near, x):
    """Write the solution of U x = y for some rows, ascending, to x (n, 12) in the order of the unknowns.

    y (n, 12), in the order of elimination, is overwritten.
    """
    for k in range(len(rows) - 1, -1, -1):
        i = rows[k]
        _gather(pattern, i, y, near)
        panels.backward(_panel(pattern, U, i), near)
        for c in range(DOF):
            y[i, c] = near[c]
            x[pattern.order[i], c] = near[c]


@compiled
def _panel(pattern, U, i):
    """P_i, (12, 12 + 12·neighbours)."""
    start, end = pattern.starts[i], pattern.starts[i + 1]
    return U[start:end].reshape(DOF, (end - start) // DOF)


@compiled
def _load(pattern, diagonal, blocks, i, P):
    """P = the blocks of H in row i, from its diagonal on."""
    for a in range(DOF):
        row = P[a, DOF:]
        for b in range(len(row)):
            row[b] = 0.0
    for a in range(DOF):
        for b in range(DOF):
            P[a, b] = diagonal[pattern.order[i], a, b]
    for s in range(pattern.first_source[i], pattern.first_source[i + 1]):
        block, slot = blocks[pattern.sources[s]], pattern.slots[s]
        for a in range(DOF):
            for b in range(DOF):
                if slot >= 0:
                    P[a, DOF * slot + b] = block[a, b]
                else:
                    P[a, b - DOF - DOF * slot] = block[b, a]


@compiled
def _find_slots(pattern, i, slot):
    slot[i] = 0
    for s in range(pattern.first[i], pattern.first[i + 1]):
        slot[pattern.columns[s]] = 1 + s - pattern.first[i]


@compiled
def _subtract_row(pattern, k, place, U, slot, product, P):
    """P_i -= U_kiᵀ P_k for i = columns[place], strip by strip; `product` is a scratch array for one strip."""
    P_k, first, end = _panel(pattern, U, k), pattern.first[k], pattern.first[k + 1]
    for begin in range(place, end, _STRIP):
        strip = pattern.columns[begin : min(begin + _STRIP, end)]
        panels.multiply(P_k, DOF * (1 + place - first), DOF * (1 + begin - first), DOF * len(strip), product)
        panels.subtract(product, slot[strip], P)


@compiled
def _wait(pattern, k, place, waiting, after):
    """Add row k to the list of rows that wait for column i = columns[place]: waiting[i], after[waiting[i]], ..."""
    if place < pattern.first[k + 1]:
        i = pattern.columns[place]
        after[k], waiting[i] = waiting[i], k


@compiled
def _gather(pattern, i, x, near):
    for c in range(DOF):
        near[c] = x[i, c]
    neighbours = pattern.columns[pattern.first[i] : pattern.first[i + 1]]
    for s in range(len(neighbours)):
        for c in range(DOF):
            near[DOF + DOF * s + c] = x[neighbours[s], c]


@compiled
def _scatter(pattern, i, near, x):
    for c in range(DOF):
        x[i, c] = near[c]
    neighbours = pattern.columns[pattern.first[i] : pattern.first[i + 1]]
    for s in range(len(neighbours)):
        for c in range(DOF):
            x[neighbours[s], c] = near[DOF + DOF * s + c]
