"""Sums in the arrays of `block_matrix`, for numba."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.masks import ALL


@compiled
def add_diagonal(is_split, place, blocks, diagonal):
    """Add blocks (n, 12, 12), one per body, to those on the diagonal (k, 12, 12), at the `place` (n,) of each."""
    for body in range(len(place)):
        i = place[body]
        if i < 0:
            continue
        if is_split[body]:
            _add_vertices_alone(blocks[body], diagonal[i])
            continue
        for a in range(DOF):
            for b in range(DOF):
                diagonal[i, a, b] += blocks[body, a, b]


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
            block, count = find(upper, min(i, j), max(i, j), count)
            at = 0 if i < j else DOF
            upper.masks[block] = ALL
            _add(pair_blocks[p], at, DOF - at, upper.blocks[block])
    return count


@compiled
def add_coupled(place, coupled, diagonal, upper, count):
    """Add Σₐ JₐᵀMₐJₐ of a `Coupled`; the other arguments and the result are those of `add_pairs`."""
    first = 0
    for a in range(len(coupled.starts) - 1):
        own = slice(coupled.starts[a], coupled.starts[a + 1])
        size = own.stop - own.start
        M = coupled.M[first : first + size * size].reshape(size, size)
        count = _add_dense(place, coupled.bodies[own], coupled.J[own], M, diagonal, upper, count)
        first += size * size
    return count


@compiled
def _add_dense(place, bodies, J, M, diagonal, upper, count):
    """Add JᵀMJ; no block is made where M has only zeros.

    H_ij += Σ J_kiᵀ (M J)_kj over the joints k of body i, where J_ki are the entries of J's row k for body i.
    """
    members = _members(place, bodies, len(diagonal))
    if len(members) == 0:
        return count
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
                        block, count = find(upper, members[i], members[j], count)
                        upper.masks[block] = ALL
                        _add_product(J_ki, MJ[j], upper.blocks[block])
    return count


@compiled
def _members(place, bodies, n):
    """The rows of pairs of bodies (m, 2), ascending."""
    is_member = np.zeros(n + 1, dtype=np.bool_)
    for body in bodies.flat:
        is_member[place[body]] = True  # the last one stands for bodies without unknowns
    return np.flatnonzero(is_member[:-1])


@compiled
def find(upper, i, j, count):
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
        row, factor = target[a], left[a]
        for b in range(len(row)):
            row[b] += factor * right[b]
