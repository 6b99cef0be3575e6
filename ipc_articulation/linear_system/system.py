"""The Newton system H dx = -g over rows of nodes: sums of blocks, Cholesky's factors by fronts, conjugate gradients.

Row r has 3 k_r unknowns, k_r being 4 or 1. The block of rows i < j is 3 k_i × 3 k_j, node by node, row-major. Within a
step blocks stay in the pattern while contacts come and go, so that a new analysis is needed only for a new block; each
step begins with the blocks of terms alone, so that bits depend on nothing but its state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.linear_system.by_fronts import dense
from ipc_articulation.linear_system.by_fronts.front_tree import Fronts, front_tree
from ipc_articulation.linear_system.by_fronts.fronts import add_child, clear, front
from ipc_articulation.linear_system.conjugate_gradients import by_gradients
from ipc_articulation.linear_system.minimum_degree import grouped, minimum_degree
from ipc_articulation.linear_system.scaled_rows import ScaledRows, invert_factor
from ipc_articulation.references import by_reference


class _Matrix(NamedTuple):
    """H: blocks on the diagonal, then those above it in the order of their creation; arrays have spare entries."""

    first: Ints  # (R + 1,) first node of each row
    own: Ints  # (R,) where the diagonal block of each row begins
    rows: Ints  # (m,)
    cols: Ints  # (m,)
    start: Ints  # (m,) where a block begins
    last: Ints  # (R,) last block of a row, -1 without
    before: Ints  # (m,) the one before in the same row
    numbers: Array
    used: Ints  # (2,) number of blocks, and of numbers


MatrixType, Matrix = by_reference(_Matrix, __name__)


class _Pattern(NamedTuple):
    """What does not depend on numbers."""

    rows: Ints  # (m,) of the blocks of which it was made
    cols: Ints  # (m,)
    fronts: Fronts
    starts: Ints  # (f + 1,) front i is at U[starts[i] : starts[i + 1]]
    of_row: Ints  # (R,) front of each row
    first: Ints  # (f + 1,) its parts are `parts[first[i] : first[i + 1]]`
    parts: Ints  # (m + R, 5) start of a block; its row and column in the front; height and width


PatternType, Pattern = by_reference(_Pattern, __name__)


@compiled
def empty_matrix(first):
    """H without blocks above the diagonal."""
    n = len(first) - 1
    own, at = np.empty(n, dtype=np.int64), 0
    for r in range(n):
        own[r] = at
        at += 9 * (first[r + 1] - first[r]) ** 2
    none, used = np.empty(0, dtype=np.int64), np.zeros(2, dtype=np.int64)
    used[1] = at
    return Matrix(first, own, none, none, none, np.full(n, -1), none, np.zeros(at), used)


@compiled
def with_room(matrix, blocks, numbers):
    """The matrix with room for more blocks and numbers."""
    m, k = matrix.used[0] + blocks, matrix.used[1] + numbers
    if m <= len(matrix.rows) and k <= len(matrix.numbers):
        return matrix
    rows, cols, start = longer(matrix.rows, 2 * m), longer(matrix.cols, 2 * m), longer(matrix.start, 2 * m)
    before, values = longer(matrix.before, 2 * m), np.zeros(2 * k)
    values[: len(matrix.numbers)] = matrix.numbers
    return Matrix(matrix.first, matrix.own, rows, cols, start, matrix.last, before, values, matrix.used)


@compiled
def longer(array, size):
    """The array with room for `size` entries at least."""
    result = np.empty(max(size, len(array)), dtype=array.dtype)
    result[: len(array)] = array
    return result


@compiled
def find(matrix, i, j):
    """The number of the block of rows i < j, which is added if it is missing."""
    block = matrix.last[i]
    while block >= 0:
        if matrix.cols[block] == j:
            return block
        block = matrix.before[block]
    block, at = matrix.used[0], matrix.used[1]
    matrix.rows[block], matrix.cols[block], matrix.start[block] = i, j, at
    matrix.before[block], matrix.last[i] = matrix.last[i], block
    first = matrix.first
    matrix.used[0] += 1
    matrix.used[1] += 9 * (first[i + 1] - first[i]) * (first[j + 1] - first[j])
    return block


@compiled
def without_later(matrix, blocks):
    """Forget all but the first blocks; numbers that are not used are 0."""
    cleared(matrix)
    for block in range(matrix.used[0] - 1, blocks - 1, -1):
        matrix.last[matrix.rows[block]] = matrix.before[block]
        matrix.used[0], matrix.used[1] = block, matrix.start[block]


@compiled
def is_of(pattern, matrix):
    """Whether the pattern is that of H as it is."""
    m = matrix.used[0]
    return (
        len(pattern.rows) == m and np.all(pattern.rows == matrix.rows[:m]) and np.all(pattern.cols == matrix.cols[:m])
    )


@compiled
def cleared(matrix):
    """Set all numbers to 0."""
    matrix.numbers[: matrix.used[1]] = 0.0


@compiled
def analysed(matrix):
    """The pattern of H."""
    n, m = len(matrix.own), matrix.used[0]
    weight = np.diff(matrix.first)
    rows, cols = matrix.rows[:m], matrix.cols[:m]
    graph = grouped(np.concatenate((rows, cols)), np.concatenate((cols, rows)), n)
    order, first, members = minimum_degree(*graph, weight)
    fronts = front_tree(order, first, members, weight)
    starts = np.zeros(len(fronts.first), dtype=np.int64)
    starts[1:] = np.cumsum(fronts.sizes**2)
    of_three = np.repeat(np.arange(len(fronts.parent)), np.diff(fronts.pivots))
    every = np.arange(n)
    left, right = np.concatenate((every, rows)), np.concatenate((every, cols))
    begin = np.concatenate((matrix.own, matrix.start[:m]))
    first_part, some = grouped(
        of_three[np.minimum(fronts.start[left], fronts.start[right])], np.arange(len(left)), len(fronts.parent)
    )
    parts = np.empty((len(some), 5), dtype=np.int64)
    for f in range(len(fronts.parent)):
        for s in range(first_part[f], first_part[f + 1]):
            c = some[s]
            parts[s, 0] = begin[c]
            parts[s, 1], parts[s, 2] = _place(fronts, f, left[c]), _place(fronts, f, right[c])
            parts[s, 3], parts[s, 4] = 3 * weight[left[c]], 3 * weight[right[c]]
    return Pattern(rows.copy(), cols.copy(), fronts, starts, of_three[fronts.start], first_part, parts)


@compiled
def _place(fronts, f, row):
    three, begin, end = fronts.start[row], fronts.pivots[f], fronts.pivots[f + 1]
    if three < end:
        return 3 * (three - begin)
    return 3 * (end - begin + np.searchsorted(fronts.border[fronts.first[f] : fronts.first[f + 1]], three))


@compiled
def factorise(pattern, numbers, active, U):
    """Make the fronts U of the active rows (R,), those of whole parts of H; which rows are in definite parts, (R,)."""
    fronts = pattern.fronts
    count = len(fronts.parent)
    is_active, is_definite = active_fronts(pattern, active), np.ones(count, dtype=np.bool_)
    for f in range(count):
        if not is_active[f]:
            continue
        if is_definite[f]:
            F = front(U, pattern.starts, fronts.sizes, f)
            clear(F)
            _load(pattern, f, numbers, F)
            child = fronts.child[f]
            while child >= 0:
                if is_active[child]:  # a front without active rows is not coupled with others
                    place = fronts.place[fronts.first[child] : fronts.first[child + 1]]
                    add_child(front(U, pattern.starts, fronts.sizes, child), place, F)
                child = fronts.sibling[child]
            is_definite[f] = dense.eliminate(F, 3 * (fronts.pivots[f + 1] - fronts.pivots[f]))
        if fronts.parent[f] >= 0:
            is_definite[fronts.parent[f]] &= is_definite[f]
    for f in range(count - 1, -1, -1):
        if fronts.parent[f] >= 0:
            is_definite[f] = is_definite[fronts.parent[f]]
    return is_definite[pattern.of_row]


@compiled
def active_fronts(pattern, active):
    """The fronts with active rows, (f,); the others are not coupled with them."""
    result = np.zeros(len(pattern.fronts.parent), dtype=np.bool_)
    for r in range(len(active)):
        result[pattern.of_row[r]] |= active[r]
    return result


@compiled
def _load(pattern, f, numbers, F):
    """Add the blocks of front f to its upper triangle."""
    for s in range(pattern.first[f], pattern.first[f + 1]):
        part = pattern.parts[s]
        height, width, row, col = np.uint64(part[3]), np.uint64(part[4]), np.uint64(part[1]), np.uint64(part[2])
        block = numbers[part[0] : part[0] + part[3] * part[4]].reshape(part[3], part[4])
        if row <= col:
            for a in range(height):
                for b in range(width):
                    F[row + a, col + b] += block[a, b]
        else:
            for a in range(height):
                for b in range(width):
                    F[col + b, row + a] += block[a, b]


@compiled
def solve(pattern, matrix, active, U, b, x):
    """Write x (N, 3) of H x = b (N, 3) in the active rows, those of `factorise`; 0 in the others."""
    fronts, first = pattern.fronts, matrix.first
    y, near = np.zeros(b.size), np.empty(b.size)
    for r in range(len(active)):
        if active[r]:
            at = 3 * (fronts.start[r] - first[r])
            for n in range(first[r], first[r + 1]):
                for k in range(3):
                    y[at + 3 * n + k] = b[n, k]
    count, is_active = len(fronts.parent), active_fronts(pattern, active)
    for step in range(2 * count):
        f = step if step < count else 2 * count - 1 - step
        if not is_active[f]:
            continue
        begin, width = 3 * fronts.pivots[f], 3 * (fronts.pivots[f + 1] - fronts.pivots[f])
        border = fronts.border[fronts.first[f] : fronts.first[f + 1]]
        P = front(U, pattern.starts, fronts.sizes, f)[:width]
        for c in range(width):
            near[c] = y[begin + c]
        if step < count:
            near[width : width + 3 * len(border)] = 0.0
            dense.forward(P, near)
            for s in range(len(border)):
                for c in range(3):
                    y[3 * border[s] + c] += near[width + 3 * s + c]
        else:
            for s in range(len(border)):
                for c in range(3):
                    near[width + 3 * s + c] = y[3 * border[s] + c]
            dense.backward(P, near)
        for c in range(width):
            y[begin + c] = near[c]
    for r in range(len(active)):
        at = 3 * (fronts.start[r] - first[r])
        for n in range(first[r], first[r + 1]):
            for k in range(3):
                x[n, k] = y[at + 3 * n + k] if active[r] else 0.0


@compiled
def solve_by_gradients(matrix, active, body, b, x):
    """Write x (N, 3) of H x = b by conjugate gradients, all active rows having one node each.

    Returns:
        Whether it is found; whether H is seen to be definite.
    """
    n, m = len(b), matrix.used[0]
    inverse, node = np.zeros((n, 3, 3)), matrix.first
    for r in range(len(active)):
        for v in range(node[r], node[r + 1]):
            inverse[v, 0, 0] = inverse[v, 1, 1] = inverse[v, 2, 2] = 1.0
        if active[r]:
            at = matrix.own[r]
            if not invert_factor(matrix.numbers[at : at + 9].reshape(3, 3), 0, inverse[node[r]]):
                return False, False
    first, some = grouped(node[matrix.cols[:m]], np.arange(m), n)
    cols, blocks = np.empty(m, dtype=np.int64), np.empty((m, 3, 3))
    half = np.empty((3, 3))
    for s in range(m):
        c = some[s]
        at, i, j = matrix.start[c], node[matrix.rows[c]], node[matrix.cols[c]]
        cols[s] = i
        H, left, right = matrix.numbers[at : at + 9].reshape(3, 3), inverse[j], inverse[i]
        for k in range(3):  # L_ji = C_j⁻¹ H_ijᵀ C_i⁻ᵀ
            for a in range(3):
                half[k, a] = left[k, 0] * H[a, 0] + left[k, 1] * H[a, 1] + left[k, 2] * H[a, 2]
        for k in range(3):
            for a in range(3):
                blocks[s, k, a] = half[k, 0] * right[a, 0] + half[k, 1] * right[a, 1] + half[k, 2] * right[a, 2]
    right_side = np.zeros((n, 3))
    part = np.zeros(n, dtype=np.int64)
    for r in range(len(active)):
        for v in range(node[r], node[r + 1]):
            part[v] = body[r]
            if active[r]:
                right_side[v] = b[v]
    found, is_solved, is_definite = by_gradients(ScaledRows(inverse, first, cols, blocks), right_side, part)
    if is_solved:
        x[:] = found
    return is_solved, is_definite
