"""A symmetric matrix of 12x12 blocks that terms add to: its diagonal blocks, and the nonzero blocks above them.

Rows and columns of blocks belong to the bodies that have unknowns; `place` says which, -1 for a body without. Values
that are added to rows or columns of bodies without unknowns are ignored. The blocks above the diagonal of a row form a
linked list, from the last one to the first.

Rows of `tetrads` are split: their numbers are those of the four vertices, 3 s + k, and masks say which vertices are
coupled (see `masks`). What is added on their diagonal couples no two vertices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.masks import ALL


class Matrix(NamedTuple):
    """H in k rows of twelve."""

    diagonal: Array  # (k, 12, 12)
    rows: Ints  # (m,) of the other blocks; no block is repeated, and only one of (i, j) and (j, i) is given
    cols: Ints  # (m,)
    blocks: Array  # (m, 12, 12) H_ij = H_jiᵀ for i = rows, j = cols
    is_split: Ints  # (k,) 1 where a row is one of four vertices
    own_masks: Ints  # (k,) what is coupled in the diagonal blocks of split rows, see `masks`
    masks: Ints  # (m,) what is coupled in the other blocks


class Upper(NamedTuple):
    """The blocks above the diagonal, in the order of their creation; the arrays have spare entries at the end."""

    last: Ints  # (n,) last block of a row, -1 without
    before: Ints  # (m,) the one before in the same row, -1 without
    rows: Ints  # (m,)
    cols: Ints  # (m,)
    blocks: Array  # (m, 12, 12)
    masks: Ints  # (m,) what is coupled


class Blocks(NamedTuple):
    """A matrix of k rows of blocks, for n bodies."""

    place: Ints  # (n,) the row of a body, -1 without
    bodies: Ints  # (k,) the body of a row
    diagonal: Array  # (k, 12, 12)
    upper: Upper
    number: int  # of blocks above the diagonal
    is_split: Ints  # (n,) 1 where the row of a body is one of four vertices
    own_masks: Ints  # (k,) what is coupled in the diagonal blocks of split rows


class BlockMatrix:
    """H, with unknowns for some of n bodies."""

    def __init__(self, n: int, is_split: Bools | None = None) -> None:
        """Of n bodies, some of which are split, (n,)."""
        self._is_split = np.zeros(n, dtype=np.int64) if is_split is None else is_split.astype(np.int64)
        self._diagonal, self._own_masks = np.empty((n, DOF, DOF)), np.zeros(n, dtype=np.int64)
        of_blocks = (np.empty(0, dtype=np.int64),) * 3
        self._upper = Upper(
            np.empty(n, dtype=np.int64), *of_blocks, np.empty((0, DOF, DOF)), np.empty(0, dtype=np.int64)
        )
        self._count = 0  # of blocks above the diagonal
        self._chosen: bytes | None = None  # the mask of bodies that have unknowns
        self.choose(np.ones(n, dtype=np.bool_))

    def choose(self, is_unknown: Bools) -> None:
        """Remove everything that was added; from now on the bodies of a mask (n,) have unknowns."""
        mask = is_unknown.tobytes()
        if mask != self._chosen:
            bodies, place = np.flatnonzero(is_unknown), np.full(len(is_unknown), -1)
            place[bodies] = np.arange(len(bodies))
            self._chosen, self._place, self.bodies = mask, place, bodies  # `bodies` are those of the rows
        self.diagonal[:] = 0.0
        self._upper.last[: len(self.bodies)] = -1
        self._own_masks[: len(self.bodies)] = 0
        self._count = 0

    @property
    def diagonal(self) -> Array:
        """Blocks on the diagonal, one for each of `bodies`."""
        return self._diagonal[: len(self.bodies)]

    @property
    def matrix(self) -> Matrix:
        """What was added, valid until more is."""
        of, count, upper = len(self.bodies), self._count, self._upper
        blocks = upper.rows[:count], upper.cols[:count], upper.blocks[:count]
        return Matrix(self.diagonal, *blocks, self._is_split[self.bodies], self._own_masks[:of], upper.masks[:count])

    def add_diagonal(self, blocks: Array) -> None:
        """Add one block (n, 12, 12) per body."""
        add_diagonal(self._is_split, self.bodies, blocks, self._diagonal)

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        """Add one symmetric block (m, 24, 24) for each pair of bodies (m, 2); a pair may be twice the same body."""
        self._make_room(len(bodies))
        self._count = add_pairs(self._place, bodies, blocks, self._diagonal, self._upper, self._count)

    def add_coupled(self, bodies: Ints, J: Array, M: Array) -> None:
        """Add JᵀMJ, J (m, 24) over pairs of bodies (m, 2) and M (m, m) symmetric."""
        self._make_room(len(bodies) * (2 * len(bodies) - 1))
        self._count = add_coupled(self._place, bodies, J, M, self._diagonal, self._upper, self._count)

    def add_vertices(self, bodies: Ints, points: Array, H: Array) -> None:
        """Add second derivatives by vertices, see `Hessian`."""
        count, width = bodies.shape
        self._make_room(count * width * (width - 1) // 2)
        self._count = add_vertices(self.as_arrays(), bodies, points, H)

    def as_arrays(self) -> Blocks:
        """The arrays of the matrix, for compiled functions; valid until more is added."""
        return Blocks(
            self._place, self.bodies, self.diagonal, self._upper, self._count, self._is_split, self._own_masks
        )

    def _make_room(self, more: int) -> None:
        """Enlarge the arrays for more blocks above the diagonal."""
        if self._count + more > len(self._upper.rows):
            last, *arrays = self._upper
            self._upper = Upper(last, *(_lengthened(array, self._count, more) for array in arrays))


def _lengthened(array: NDArray, count: int, more: int) -> NDArray:
    longer = np.empty((2 * count + more, *array.shape[1:]), dtype=array.dtype)
    longer[:count] = array[:count]
    return longer


@compiled
def add_diagonal(is_split, bodies, blocks, diagonal):
    """Add blocks (n, 12, 12), one per body, to those on the diagonal (k, 12, 12), one for each of `bodies` (k,)."""
    for i in range(len(bodies)):
        if is_split[bodies[i]]:
            _add_vertices_alone(blocks[bodies[i]], diagonal[i])
            continue
        for a in range(DOF):
            for b in range(DOF):
                diagonal[i, a, b] += blocks[bodies[i], a, b]


@compiled
def _add_vertices_alone(block, target):
    """Add Σ y_s y_sᵀ ⊗ H_s, with y_s = (1, x̄_s) of the labels of `tetrads`, as the blocks H_s of the four vertices."""
    for k in range(3):
        for m in range(3):
            target[k, m] += block[k, m]
            for s in range(1, 4):
                h = block[2 + 3 * k + s, 2 + 3 * m + s]
                target[3 * s + k, 3 * s + m] += h
                target[k, m] -= h


@compiled
def add_pairs(place, bodies, pair_blocks, diagonal, upper, count):
    """See `BlockMatrix.add_pairs`.

    Args:
        place: Row of each body, (n,), -1 without.
        bodies: (m, 2).
        pair_blocks: (m, 24, 24).
        diagonal: Blocks (k, 12, 12) to add to.
        upper: Blocks above the diagonal to add to.
        count: Their number.

    Returns:
        Their number now.
    """
    for p in range(len(bodies)):
        i, j = place[bodies[p, 0]], place[bodies[p, 1]]
        for side in range(2):
            k, at = place[bodies[p, side]], DOF * side
            if k >= 0:
                _add(pair_blocks[p], at, at, diagonal[k])
            if k >= 0 and i == j:
                _add(pair_blocks[p], at, DOF - at, diagonal[k])
        if i >= 0 and j >= 0 and i != j:
            block, count = _find(upper, min(i, j), max(i, j), count)
            at = 0 if i < j else DOF
            upper.masks[block] = ALL
            _add(pair_blocks[p], at, DOF - at, upper.blocks[block])
    return count


@compiled
def add_coupled(place, bodies, J, M, diagonal, upper, count):
    """See `BlockMatrix.add_coupled`; arguments and result are those of `add_pairs`.

    No block is made where M has only zeros.

    H_ij += Σ J_kiᵀ (M J)_kj over the joints k of body i, where J_ki are the entries of J's row k for body i.
    """
    members = _members(place, bodies, len(diagonal))
    MJ, is_reached = np.empty((len(members), DOF)), np.empty(len(members), dtype=np.bool_)
    at = np.searchsorted(members, place[bodies.ravel()]).reshape(bodies.shape)  # among the members
    for k in range(len(bodies)):
        MJ[:] = 0.0
        is_reached[:] = False
        for m in range(len(bodies)):
            for side in range(2):
                if M[k, m] != 0.0 and place[bodies[m, side]] >= 0:
                    is_reached[at[m, side]] = True
                    for c in range(DOF):
                        MJ[at[m, side], c] += M[k, m] * J[m, DOF * side + c]
        for side in range(2):
            if place[bodies[k, side]] >= 0:
                i, J_ki = at[k, side], J[k, DOF * side : DOF * side + DOF]
                _add_product(J_ki, MJ[i], diagonal[members[i]])
                for j in range(i + 1, len(members)):
                    if is_reached[j]:
                        block, count = _find(upper, members[i], members[j], count)
                        upper.masks[block] = ALL
                        _add_product(J_ki, MJ[j], upper.blocks[block])
    return count


@compiled
def add_vertices(H, bodies, points, H_v):
    """See `BlockMatrix.add_vertices`, for its arrays; H_v by vertices. Returns: the number of blocks.

    With y = (1, x̄) of a vertex, x_k = Σ_p y_p Q_kp for Q_k = (p_k, A_k), so a block H_ab of two vertices becomes
    y_a y_bᵀ ⊗ H_ab; where a row is split, it stays as it is.
    """
    diagonal, upper, count = H.diagonal, H.upper, H.number
    n, v = bodies.shape
    place, slot = np.empty(v, dtype=np.int64), np.empty(v, dtype=np.int64)
    for s in range(n):
        for a in range(v):
            place[a] = H.place[bodies[s, a]]
            slot[a] = _slot(points, s, a) if H.is_split[bodies[s, a]] else -1
        for a in range(v):
            for b in range(v):
                i, j = place[a], place[b]
                if i < 0 or j < i:
                    continue
                if i == j:
                    H.own_masks[i] |= _mask(slot[a], slot[b])
                    target, at = diagonal, i
                else:
                    at, count = _find(upper, i, j, count)
                    upper.masks[at] |= _mask(slot[a], slot[b])
                    target = upper.blocks
                if slot[a] >= 0 and slot[b] >= 0:
                    for k in range(3):
                        for m in range(3):
                            target[at, 3 * slot[a] + k, 3 * slot[b] + m] += H_v[s, 3 * a + k, 3 * b + m]
                else:
                    _add_vertex_pair(points[s], slot, a, b, H_v[s], target[at])
    return count


@compiled
def _slot(points, s, a):
    """Which vertex of a split row has the label points[s, a]."""
    for k in range(3):
        if points[s, a, k] != 0.0:
            return k + 1
    return 0


@compiled
def _mask(left, right):
    """The bits of the vertices at two slots; -1 stands for all four threes of an affine body."""
    if left >= 0 and right >= 0:
        return 1 << (4 * left + right)
    mask = 0
    for a in range(4):
        for b in range(4):
            if left in (-1, a) and right in (-1, b):
                mask |= 1 << (4 * a + b)
    return mask


@compiled
def _add_vertex_pair(points, slot, a, b, H, target):
    """Add y_a y_bᵀ ⊗ H_ab to a block (12, 12), for vertices a and b at points (v, 3) of H (3v, 3v)."""
    for p in range(4):
        y, at, step = _weight(points[a], slot[a], p)
        if y == 0.0:
            continue
        for q in range(4):
            z, to, stride = _weight(points[b], slot[b], q)
            if z == 0.0:
                continue
            for k in range(3):
                for m in range(3):
                    target[at + step * k, to + stride * m] += y * z * H[3 * a + k, 3 * b + m]


@compiled
def _weight(point, slot, p):
    """The p-th number of y, and the first and the distance of the three numbers of the row that it is for."""
    if slot >= 0:
        return 1.0 if p == slot else 0.0, 3 * p, 1
    if p == 0:
        return 1.0, 0, 1
    return point[p - 1], 2 + p, 3


@compiled
def _members(place, bodies, n):
    """The rows of pairs of bodies (m, 2), ascending."""
    is_member = np.zeros(n + 1, dtype=np.bool_)
    for body in bodies.flat:
        is_member[place[body]] = True  # the last one stands for bodies without unknowns
    return np.flatnonzero(is_member[:-1])


@compiled
def _find(upper, i, j, count):
    """Returns: the block at row i and column j > i, which is added with zeros if missing; the number of blocks."""
    block = upper.last[i]
    while block >= 0 and upper.cols[block] != j:
        block = upper.before[block]
    if block >= 0:
        return block, count
    upper.before[count], upper.last[i] = upper.last[i], count
    upper.rows[count], upper.cols[count] = i, j
    upper.blocks[count], upper.masks[count] = 0.0, 0
    return count, count + 1


@compiled
def _add(source, row, col, target):
    """Add the 12x12 entries of a source from (row, col) on."""
    for a in range(DOF):
        for b in range(DOF):
            target[a, b] += source[row + a, col + b]


@compiled
def _add_product(left, right, target):
    """Add leftᵀ right, for two rows of twelve numbers."""
    for a in range(DOF):
        for b in range(DOF):
            target[a, b] += left[a] * right[b]
