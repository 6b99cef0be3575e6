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
from ipc_articulation.engine import islands
from ipc_articulation.engine.linear_system.block_sums import add_coupled, add_diagonal, add_pairs
from ipc_articulation.engine.linear_system.hessian import Coupled
from ipc_articulation.engine.linear_system.vertex_sums import add_vertices


class Matrix(NamedTuple):
    """H in k rows of twelve."""

    diagonal: Array  # (k, 12, 12)
    rows: Ints  # (m,) of the other blocks; no block is repeated, and only one of (i, j) and (j, i) is given
    cols: Ints  # (m,)
    blocks: Array  # (m, 12, 12) H_ij = H_jiᵀ for i = rows, j = cols
    is_split: Ints  # (k,) 1 where a row is one of four vertices
    own_masks: Ints  # (k,) what is coupled in the diagonal blocks of split rows, see `masks`
    masks: Ints  # (m,) what is coupled in the other blocks

    @property
    def pattern(self) -> tuple[Ints, ...]:
        """All but the numbers: is_split, rows, cols, own_masks and masks."""
        return self.is_split, self.rows, self.cols, self.own_masks, self.masks


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
        add_diagonal(self._is_split, self._place, blocks, self._diagonal)

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        """Add one symmetric block (m, 24, 24) for each pair of bodies (m, 2); a pair may be twice the same body."""
        self._make_room(len(bodies))
        self._count = add_pairs(self._place, bodies, blocks, self._diagonal, self._upper, self._count)

    def add_coupled(self, coupled: Coupled) -> None:
        """Add Σₐ JₐᵀMₐJₐ."""
        self._make_room(coupled.room)
        self._count = add_coupled(self._place, coupled, self._diagonal, self._upper, self._count)

    def add_vertices(self, bodies: Ints, points: Array, H: Array, scale: float = 1.0) -> None:
        """Add second derivatives by vertices, see `Hessian`."""
        count, width = bodies.shape
        self._make_room(count * width * (width - 1) // 2)
        self._count = add_vertices(self.as_arrays(), bodies, points, np.ascontiguousarray(H), scale)

    def with_room(self, more: int) -> Blocks:
        """The arrays of the matrix, to which compiled functions add up to some blocks; `has_now` is told how many."""
        self._make_room(more)
        return self.as_arrays()

    def has_now(self, number: int) -> None:
        """Note the number of blocks above the diagonal."""
        self._count = number

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


def parts_of(count: int, rows: Ints, cols: Ints) -> Ints:
    """Labels of the parts of a matrix with `count` diagonal blocks, which blocks at (rows, cols) connect."""
    return islands.join(np.arange(count), np.stack([rows, cols], axis=1), np.ones(count, dtype=np.bool_))
