"""Solves H x = b by Cholesky's factorisation H = UᵀU, front by front.

H is sparse and symmetric, in rows of twelve unknowns, and where a row is split in four vertices of three. Each front is
a dense matrix: H in the rows of its pivots, and what the fronts of its children leave. Its pivots are eliminated,

    [H_pp  H_pb]    U_ppᵀ U_pp = H_pp,   U_ppᵀ U_pb = H_pb,   what is left for the parent: H_bb - U_pbᵀ U_pb,
    [      H_bb]

p being the pivots and b the border of the front (see `front_tree`). Unknowns of split rows are the coordinates of
vertices: with the labels of `tetrads` x₀ = p, x_s = p + A e_s, so

    gradients:  g_p = Σ g_s,  g_Ae_s = g_s,       steps:  dp = dx₀,  dA e_s = dx_s - dx₀.

Source: Duff, Reid, «The multifrontal solution of indefinite sparse symmetric linear equations», ACM Trans. Math. Softw.
9 (1983); Davis, «Direct Methods for Sparse Linear Systems», SIAM 2006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix, Matrix
from ipc_articulation.engine.linear_system.by_fronts import dense
from ipc_articulation.engine.linear_system.by_fronts.front_pattern import FrontPattern, front_pattern


class Analysis(NamedTuple):
    """Analysis of one pattern; replaced as a whole."""

    of: tuple[Ints, ...]  # rows, cols, is_split, own_masks, masks
    pattern: FrontPattern
    U: Array  # the factor
    front: Array  # scratch array for one front
    stack: Array  # and for what fronts leave


class FrontCholesky:
    """Solves a sequence of systems; analyses the pattern of blocks only if it has changed."""

    def __init__(self) -> None:
        self._analysed = _analyse(BlockMatrix(0).matrix)

    def solve(self, H: Matrix, b: Array, shift: float = 0.0) -> Array | None:
        """The x (k, 12) of (H + shift·I) x = b (k, 12), or None if that matrix is not positive definite."""
        known = self._analysed
        if not _are_equal(known.of, (H.rows, H.cols, H.is_split, H.own_masks, H.masks)):
            known = self._analysed = _analyse(H)
        x, is_definite = solve(known.pattern, H.diagonal, H.blocks, shift, b, *known[2:])
        return x if is_definite else None

    def definite_rows(self, diagonal: Array, blocks: Array) -> Bools:
        """Which rows (k,) are in a positive definite one of the unconnected parts of the H of the last `solve`."""
        _, pattern, *scratch = self._analysed
        return definite_rows(pattern, diagonal, blocks, *scratch)

    def solve_again(self, b: Array) -> Array:
        """The x (s, k, 12) of H x = b (s, k, 12) for the H that `solve` has factorised."""
        return solve_each(self._analysed.pattern, self._analysed.U, b)

    def correction(self, H: Matrix, b: Array, x: Array) -> Array:
        """H₀⁻¹ (b - H x), (k, 12), with the H₀ that `solve` has factorised and another H: a step of refinement."""
        residual = missing(self._analysed.pattern, H, b, x)
        return solve_vertices(self._analysed.pattern, self._analysed.U, residual)


def _analyse(H: Matrix) -> Analysis:
    of = tuple(array.copy() for array in (H.rows, H.cols, H.is_split, H.own_masks, H.masks))
    rows, cols, is_split, own_masks, masks = of
    pattern = front_pattern(is_split, rows, cols, own_masks, masks)
    sizes = pattern.starts[-1], pattern.widest**2, pattern.stack[-1]
    return Analysis(of, pattern, *map(np.empty, sizes))


@compiled
def _are_equal(left, right):
    is_equal = True
    for k in range(len(left)):
        is_equal &= np.array_equal(left[k], right[k])
    return is_equal


@compiled
def solve(pattern, diagonal, blocks, shift, b, U, front, stack):
    """See `FrontCholesky.solve`. Returns: x, and whether H + shift·I is positive definite. The last are overwritten."""
    x, near = _ordered(pattern, _by_vertices(pattern, b)), np.empty(pattern.widest)
    for f in range(len(pattern.fronts.parent)):
        if not _factorise_front(pattern, diagonal, blocks, shift, f, front, stack, U):
            return b, False
        _forward(pattern, U, f, x, near)
    return _solve_upper(pattern, U, x, near), True


@compiled
def solve_each(pattern, U, b):
    """See `FrontCholesky.solve_again`."""
    result = np.empty(b.shape)
    for s in range(len(b)):
        result[s] = solve_vertices(pattern, U, _by_vertices(pattern, b[s]))
    return result


@compiled
def solve_vertices(pattern, U, b):
    """The solution (k, 12) for a right side (k, 12) by the vertices of split rows."""
    x, near = _ordered(pattern, b), np.empty(pattern.widest)
    for f in range(len(pattern.fronts.parent)):
        _forward(pattern, U, f, x, near)
    return _solve_upper(pattern, U, x, near)


@compiled
def missing(pattern, H, b, x):
    """b - H x, (k, 12) by the vertices of split rows."""
    r, moved = _by_vertices(pattern, b), _moved_vertices(pattern, x)
    for i in range(len(r)):
        _subtract_product(H.diagonal[i], moved[i], r[i])
    for m in range(len(H.rows)):
        i, j = H.rows[m], H.cols[m]
        _subtract_product(H.blocks[m], moved[j], r[i])
        _subtract_product(H.blocks[m].T, moved[i], r[j])
    return r


@compiled
def _subtract_product(block, x, r):
    for a in range(DOF):
        s = 0.0
        for b in range(DOF):
            s += block[a, b] * x[b]
        r[a] -= s


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
            is_definite[root[f]] = _factorise_front(pattern, diagonal, blocks, 0.0, f, front, stack, U)
    result = np.ones(len(pattern.is_split), dtype=np.bool_)
    of_front = np.repeat(root, np.diff(fronts.pivots))
    for t in range(len(pattern.threes)):
        result[t // 4] &= is_definite[of_front[pattern.threes[t]]]
    return result


@compiled
def _factorise_front(pattern, diagonal, blocks, shift, f, front, stack, U):
    """Compute rows of U, after those of the children, and leave the rest on the stack. Returns: whether it can be."""
    fronts = pattern.fronts
    width = 3 * (fronts.pivots[f + 1] - fronts.pivots[f])
    m = width + 3 * (fronts.first[f + 1] - fronts.first[f])
    F = front[: m * m].reshape(m, m)
    _clear(F)
    _load(pattern.own, f, diagonal.reshape(diagonal.size), F)
    _load(pattern.pairs, f, blocks.reshape(blocks.size), F)
    if shift != 0.0:
        for r in range(width):
            F[r, r] += shift
    child = fronts.child[f]
    while child >= 0:
        _add_child(pattern, child, stack, front, m)
        child = fronts.sibling[child]
    if not dense.eliminate(F, width):
        return False
    U[pattern.starts[f] : pattern.starts[f + 1]] = front[: width * m]
    _leave(F, width, stack, pattern.stack[f])
    return True


@compiled
def _clear(F):
    for r in range(len(F)):
        row = F[r]
        for c in range(r - r % 3, len(F)):
            row[c] = 0.0


@compiled
def _load(sources, f, entries, F):
    """Add the blocks of three by three of H to F, in its upper triangle."""
    for s in range(sources.first[f], sources.first[f + 1]):
        at, row, col = sources.entry[s], 3 * sources.row[s], 3 * sources.col[s]
        for a in range(3):
            for b in range(3):
                if row <= col:
                    F[row + a, col + b] += entries[at + DOF * a + b]
                else:
                    F[col + b, row + a] += entries[at + DOF * a + b]


@compiled
def _leave(F, width, stack, at):
    """Put the part of F from a row on on the stack, as a square."""
    m = len(F)
    for r in range(width, m):
        row = stack[at + (r - width) * (m - width) : at + (r + 1 - width) * (m - width)]
        for c in range(r, m):
            row[c - width] = F[r, c]


@compiled
def _add_child(pattern, child, stack, front, m):
    """Add what a child has left to a front (m, m), whose numbers follow each other row by row."""
    fronts = pattern.fronts
    place = fronts.place[fronts.first[child] : fronts.first[child + 1]]
    source, size = np.uint64(pattern.stack[child]), np.uint64(3 * len(place))
    end = _ends_of_runs(place)
    for i in range(len(place)):
        for a in range(3):
            j = i
            while j < len(place):
                target = np.uint64(m * (3 * place[i] + a) + 3 * place[j])
                from_ = source + size * np.uint64(3 * i + a) + np.uint64(3 * j)
                for b in range(np.uint64(3 * (end[j] - j))):
                    front[target + b] += stack[from_ + b]
                j = end[j]


@compiled
def _ends_of_runs(place):
    """Where the run of successive numbers ends that each of them is in."""
    end = np.empty_like(place)
    for i in range(len(place) - 1, -1, -1):
        end[i] = end[i + 1] if i + 1 < len(place) and place[i + 1] == place[i] + 1 else i + 1
    return end


@compiled
def _forward(pattern, U, f, x, near):
    """The forward substitution Uᵀ y = b in the rows of a front."""
    P = _rows(pattern, U, f)
    _gather(pattern.fronts, f, x, near)
    dense.forward(P, near)
    fronts, width = pattern.fronts, len(P)
    begin, border = fronts.pivots[f], fronts.border[fronts.first[f] : fronts.first[f + 1]]
    for c in range(width):
        x[3 * begin + c] = near[c]
    for s in range(len(border)):
        for c in range(3):
            x[3 * border[s] + c] = near[width + 3 * s + c]


@compiled
def _solve_upper(pattern, U, x, near):
    """The solution of U x = y, in rows of twelve (k, 12); y in the order of elimination is overwritten."""
    for f in range(len(pattern.fronts.parent) - 1, -1, -1):
        P = _rows(pattern, U, f)
        _gather(pattern.fronts, f, x, near)
        dense.backward(P, near)
        for c in range(len(P)):
            x[3 * pattern.fronts.pivots[f] + c] = near[c]
    return _in_rows(pattern, x)


@compiled
def _gather(fronts, f, x, near):
    begin, end = 3 * fronts.pivots[f], 3 * fronts.pivots[f + 1]
    near[: end - begin] = x[begin:end]
    at = end - begin
    for s in range(fronts.first[f], fronts.first[f + 1]):
        for c in range(3):
            near[at + c] = x[3 * fronts.border[s] + c]
        at += 3


@compiled
def _rows(pattern, U, f):
    """The rows of U of a front, (w, m)."""
    start, end = pattern.starts[f], pattern.starts[f + 1]
    width = 3 * (pattern.fronts.pivots[f + 1] - pattern.fronts.pivots[f])
    return U[start:end].reshape(width, (end - start) // width)


@compiled
def _by_vertices(pattern, b):
    """A right side (k, 12), where rows are split by their vertices."""
    result = b.copy()
    for i in range(len(b)):
        if pattern.is_split[i]:
            for c in range(3):
                for s in range(1, 4):
                    result[i, 3 * s + c] = b[i, 2 + 3 * c + s]
                    result[i, c] -= b[i, 2 + 3 * c + s]
    return result


@compiled
def _moved_vertices(pattern, x):
    """A step (k, 12), where rows are split by their vertices."""
    result = x.copy()
    for i in range(len(x)):
        if pattern.is_split[i]:
            for c in range(3):
                for s in range(1, 4):
                    result[i, 3 * s + c] = x[i, c] + x[i, 2 + 3 * c + s]
    return result


@compiled
def _ordered(pattern, b):
    """A right side by vertices (k, 12) in the order of elimination, (12 k,)."""
    x = np.empty(b.size)
    for i in range(len(b)):
        for c in range(DOF):
            x[3 * pattern.threes[4 * i + c // 3] + c % 3] = b[i, c]
    return x


@compiled
def _in_rows(pattern, x):
    """The solution (12 k,), in the order of elimination and by vertices, as a step (k, 12)."""
    result = np.empty((len(pattern.is_split), DOF))
    for i in range(len(result)):
        at = 3 * pattern.threes[4 * i : 4 * i + 4]
        for c in range(DOF):
            if c < 3 or not pattern.is_split[i]:
                result[i, c] = x[at[c // 3] + c % 3]
            else:
                s, k = 1 + c % 3, c // 3 - 1
                result[i, c] = x[at[s] + k] - x[at[0] + k]
    return result
