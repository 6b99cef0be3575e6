"""Second derivatives by vertices, added to the arrays of `block_matrix`, for numba."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_sums import find


@compiled(nogil=True)
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
        if is_split:
            count = _add_split(place, slot, numbers, s, scale, H.own_masks, on_diagonal, above, upper, count)
            continue
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
                    at, count = find(upper, i, j, count)
                    upper.masks[at] |= _mask(slot[a], slot[b])
                _add_vertex_pair(points[s], slot, a, b, H_v[s], scale, diagonal[i] if i == j else upper.blocks[at])
    return count


@compiled
def _add_split(place, slot, numbers, s, scale, own_masks, on_diagonal, above, upper, count):
    """The same for one stencil s with all vertices in split rows, apart because it is twice as fast then.

    The matrices are their numbers, row by row.
    """
    v = len(place)
    for a in range(v):
        i = place[a]
        for b in range(v):
            j = place[b]
            if i < 0 or j < i:
                continue
            at, bit = i, 1 << (4 * slot[a] + slot[b])
            if i == j:
                own_masks[i] |= bit
            else:
                at, count = find(upper, i, j, count)
                upper.masks[at] |= bit
            first = np.uint64(DOF * (DOF * at + 3 * slot[a]) + 3 * slot[b])
            source = np.uint64(3 * (v * (3 * (v * s + a)) + b))
            _add_three(numbers, source, np.uint64(3 * v), scale, on_diagonal if i == j else above, first)
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
