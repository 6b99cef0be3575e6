"""Between the engine's coordinates and nodes.

Kernels of affine bodies take coordinates q (A, 12), p and then A by rows, where nodes are p and the columns of A: a
permutation. A soft vertex, in the engine a corner of a row of twelve (see `tetrads`), is one node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from prototypes.core.references import by_reference
from prototypes.core.system import find

PLACE = np.array([0, 1, 2, *(3 * (1 + c) + k for k in range(3) for c in range(3))])  # of q's numbers among the nodes'


class Numbering(NamedTuple):
    """Rows of nodes, and where they are among the engine's n rows of twelve coordinates, of which A are affine."""

    first: Ints  # (R + 1,) first node of each row
    body: Ints  # (R,)
    is_fixed: Bools  # (R,)
    row: Ints  # (S,) row of twelve of each soft vertex
    label: Ints  # (S,) its corner there: 0 at p, c at p + A e_c
    body_of: Ints  # (n,) body of each row of twelve

    @property
    def affine(self) -> int:
        """A."""
        return len(self.body) - len(self.row)

    def rows_of(self, bodies: Ints, points: Array) -> Ints:
        """The rows of nodes of points (..., 3) in the frames of rows of twelve coordinates (...)."""
        of_corner = np.zeros((len(self.body_of), 4), dtype=np.int64)
        of_corner[self.row, self.label] = self.affine + np.arange(len(self.row))
        label = np.argmax(np.concatenate([np.full((*bodies.shape, 1), 0.5), points], axis=-1), axis=-1)
        return np.where(bodies < self.affine, bodies, of_corner[bodies, label])


NumbersType, Numbers = by_reference(Numbering, __name__, "Numbers")


@compiled
def by_numbers(numbering):
    """A `Numbering` by reference."""
    return Numbers(*numbering)


@compiled
def coordinates(x, affine):
    """q (A, 12) of nodes x (N, 3), or the change of q for that of x."""
    q = np.empty((affine, DOF))
    for b in range(affine):
        for i in range(DOF):
            q[b, i] = x[4 * b + PLACE[i] // 3, PLACE[i] % 3]
    return q


@compiled
def write_nodes(q, x):
    """Write the nodes of q (A, 12), the inverse of `coordinates`, or those of a force on q."""
    for b in range(len(q)):
        for i in range(DOF):
            x[4 * b + PLACE[i] // 3, PLACE[i] % 3] = q[b, i]


@compiled
def write_all_nodes(numbers, q, x):
    """Write the nodes x (N, 3) of all coordinates q (n, 12), or their rates."""
    rows, labels = numbers.row, numbers.label
    affine = len(numbers.body) - len(rows)
    write_nodes(q[:affine], x)
    for s in range(len(rows)):
        row, label = rows[s], labels[s]
        for k in range(3):
            x[4 * affine + s, k] = q[row, k] + (q[row, 2 + 3 * k + label] if label > 0 else 0.0)


@compiled
def all_coordinates(numbers, x, q):
    """All coordinates (n, 12) of nodes x (N, 3); corners without a vertex stay where they are in q."""
    soft, result = len(numbers.row), q.copy()
    affine = len(numbers.body) - soft
    result[:affine] = coordinates(x, affine)
    for first in (True, False):
        for s in range(soft):
            row, label = numbers.row[s], numbers.label[s]
            for k in range(3):
                if first and label == 0:
                    for c in range(3):
                        result[row, 3 + 3 * k + c] -= x[4 * affine + s, k] - result[row, k]
                    result[row, k] = x[4 * affine + s, k]
                elif not first and label > 0:
                    result[row, 2 + 3 * k + label] = x[4 * affine + s, k] - result[row, k]
    return result


@compiled
def add_gradients(of_q, to):
    """Add derivatives by coordinates (A, 12) of free bodies to `Sums`."""
    is_free, g = to.is_free, to.g
    for b in range(len(of_q)):
        if is_free[b]:
            for i in range(DOF):
                g[4 * b + PLACE[i] // 3, PLACE[i] % 3] += of_q[b, i]


@compiled
def add_pair(bodies, block, to):
    """Add second derivatives (24, 24) by the coordinates of two bodies, maybe twice the same, to `Sums`."""
    for side in range(2):
        i, j = bodies[side], bodies[1 - side]
        if to.is_free[i]:
            add_block(block, DOF * side, DOF * side, block_of(to.matrix, i, i))
            if i == j or (i < j and to.is_free[j]):
                add_block(block, DOF * side, DOF - DOF * side, block_of(to.matrix, i, j))


@compiled
def add_block(block, row, column, target):
    """Add the part (12, 12) of a block that begins at a row and a column to that of nodes."""
    for a in range(DOF):
        for b in range(DOF):
            target[PLACE[a], PLACE[b]] += block[row + a, column + b]


@compiled
def block_of(matrix, i, j):
    """The block (12, 12) of affine bodies i <= j."""
    at = matrix.own[i] if i == j else matrix.start[find(matrix, i, j)]
    return matrix.numbers[at : at + DOF * DOF].reshape(DOF, DOF)
