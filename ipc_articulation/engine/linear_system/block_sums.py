"""Sums in the arrays of `block_matrix`, for numba."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.masks import ALL


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
def add_vertices(H, bodies, points, H_v, scale):
    """See `BlockMatrix.add_vertices`, for its arrays; scale · H_v by vertices. Returns: the number of blocks.

    With y = (1, x̄) of a vertex, x_k = Σ_p y_p Q_kp for Q_k = (p_k, A_k), so a block H_ab of two vertices becomes
    y_a y_bᵀ ⊗ H_ab; where a row is split, it stays as it is.
    """
    upper, count, diagonal = H.upper, H.number, H.diagonal
    v = bodies.shape[1]
    place, slot = np.empty(v, dtype=np.int64), np.empty(v, dtype=np.int64)
    on_diagonal, above = diagonal.reshape(diagonal.size), upper.blocks.reshape(upper.blocks.size)
    numbers = H_v.reshape(H_v.size)
    for s in range(len(bodies)):
        is_split = True
        for a in range(v):
            place[a] = H.place[bodies[s, a]]
            slot[a] = _slot(points, s, a) if H.is_split[bodies[s, a]] else -1
            is_split &= slot[a] >= 0
        for a in range(v):
            i = place[a]
            for b in range(v):
                j = place[b]
                if i < 0 or j < i:
                    continue
                at = i
                if i == j:
                    H.own_masks[i] |= _mask(slot[a], slot[b])
                else:
                    at, count = _find(upper, i, j, count)
                    upper.masks[at] |= _mask(slot[a], slot[b])
                if is_split:
                    first = np.uint64(DOF * (DOF * at + 3 * slot[a]) + 3 * slot[b])
                    source = np.uint64(3 * (v * (3 * (v * s + a)) + b))
                    _add_three(numbers, source, np.uint64(3 * v), scale, on_diagonal if i == j else above, first)
                else:
                    _add_vertex_pair(points[s], slot, a, b, H_v[s], scale, diagonal[i] if i == j else upper.blocks[at])
    return count


@compiled
def _add_three(numbers, source, width, scale, target, first):
    """Add scale times a block of three by three to another one, which begin at places of matrices row by row.

    Args:
        numbers: Of the one, with rows of a width.
        source: Where it begins.
        width: Of rows.
        scale: A factor.
        target: The numbers of the other, with rows of twelve.
        first: Where it begins.
    """
    for k in range(np.uint64(3)):
        row, to = source + k * width, first + k * np.uint64(DOF)
        for m in range(np.uint64(3)):
            target[to + m] += scale * numbers[row + m]


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
def _add_vertex_pair(points, slot, a, b, H, scale, target):
    """Add scale · y_a y_bᵀ ⊗ H_ab to a block (12, 12), for vertices a and b at points (v, 3) of H (3v, 3v)."""
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
                    target[at + step * k, to + stride * m] += y * z * (scale * H[3 * a + k, 3 * b + m])


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
