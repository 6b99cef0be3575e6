"""Between the engine's coordinates and nodes.

Kernels of affine bodies take coordinates q (A, 12), p and then A by rows, where nodes are p and the columns of A: a
permutation. A soft vertex, in the engine a corner of a row of twelve (see `tetrads`), is one node.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import PLACE
from ipc_articulation.linear_system.system import find


@compiled
def add_gradients(of_q, to):
    """Add derivatives by coordinates (A, 12) of free bodies to `Sums`."""
    is_free, g = to.is_free, to.g
    for b in range(len(of_q)):
        if is_free[b]:
            for i in range(DOF):
                g[4 * b + PLACE[i] // 3, PLACE[i] % 3] += of_q[b, i]


@compiled
def by_nodes(block):
    """Second derivatives (24, 24) by the coordinates of two bodies, by their nodes."""
    result = np.empty((2 * DOF, 2 * DOF))
    for side in range(2):
        for other in range(2):
            for a in range(DOF):
                for b in range(DOF):
                    result[DOF * side + PLACE[a], DOF * other + PLACE[b]] = block[DOF * side + a, DOF * other + b]
    return result


@compiled
def add_pair(bodies, block, to):
    """Add second derivatives (24, 24) by the nodes of two bodies, maybe twice the same, to `Sums`."""
    for side in range(2):
        i, j = bodies[side], bodies[1 - side]
        if to.is_free[i]:
            _add_block(block, DOF * side, DOF * side, block_of(to.matrix, i, i))
            if i == j or (i < j and to.is_free[j]):
                _add_block(block, DOF * side, DOF - DOF * side, block_of(to.matrix, i, j))


@compiled
def _add_block(block, row, column, target):
    """Add the part (12, 12) of a block that begins at a row and a column."""
    for a in range(DOF):
        to, part = target[a], block[row + a, column : column + DOF]
        for b in range(DOF):
            to[b] += part[b]


@compiled
def block_of(matrix, i, j):
    """The block (12, 12) of affine bodies i <= j."""
    at = matrix.own[i] if i == j else matrix.start[find(matrix, i, j)]
    return matrix.numbers[at : at + DOF * DOF].reshape(DOF, DOF)
