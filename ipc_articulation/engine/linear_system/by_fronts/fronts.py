"""Fronts with numbers: their elimination, and what they leave for those of their parents; substitutions. For numba."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.by_fronts import dense


@compiled
def factorise_front(pattern, diagonal, blocks, f, front, stack, U):
    """Compute rows of U, after those of the children, and leave the rest on the stack. Returns: whether it can be."""
    fronts = pattern.fronts
    width = 3 * (fronts.pivots[f + 1] - fronts.pivots[f])
    m = width + 3 * (fronts.first[f + 1] - fronts.first[f])
    F = front[: m * m].reshape(m, m)
    _clear(F)
    _load(pattern.own, f, diagonal.reshape(diagonal.size), F)
    _load(pattern.pairs, f, blocks.reshape(blocks.size), F)
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
def forward(pattern, U, f, x, near):
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
def solve_upper(pattern, U, x, near):
    """Make the solution of U x = y of y, both in the order of elimination (12 k,)."""
    for f in range(len(pattern.fronts.parent) - 1, -1, -1):
        P = _rows(pattern, U, f)
        _gather(pattern.fronts, f, x, near)
        dense.backward(P, near)
        for c in range(len(P)):
            x[3 * pattern.fronts.pivots[f] + c] = near[c]


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
