"""Quadratic energies of rows: inertia, and constraints to goals.

    E = ½ Σ (x - x̂)ᵀ (W ⊗ 1) (x - x̂)

W (4, 4) is that of four nodes, or its first number that of one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.references import by_reference


class _Wells(NamedTuple):
    """Of k rows."""

    rows: Ints  # (k,)
    first: Ints  # (R + 1,) first node of each row
    body: Ints  # (R,)
    W: Array  # (R, 4, 4) of all rows
    goal: Array  # (N, 3) x̂


WellsType, Wells = by_reference(_Wells, __name__)


@compiled
def wells(rows, first, body, W, goal):
    """`Wells` of these arrays."""
    return Wells(rows, first, body, W, goal)


@compiled
def add_energies(of, x, moving, E):
    """Add the energies of moving bodies (B,) at x (N, 3) to E (B,)."""
    rows, first, body, W, goal = of.rows, of.first, of.body, of.W, of.goal
    for r in rows:
        begin, end = first[r], first[r + 1]
        if moving[body[r]]:
            for n in range(begin, end):
                for k in range(3):
                    E[body[r]] += 0.5 * _slope(W[r, n - begin], begin, end, k, x, goal) * (x[n, k] - goal[n, k])


@compiled
def add_derivatives(of, x, to):
    """Add those of free rows at x (N, 3) to `Sums`."""
    rows, first, W, goal = of.rows, of.first, of.W, of.goal
    is_free, own, numbers, g = to.is_free, to.matrix.own, to.matrix.numbers, to.g
    for r in rows:
        begin, end = first[r], first[r + 1]
        size = 3 * (end - begin)
        if is_free[r]:
            for n in range(begin, end):
                for k in range(3):
                    g[n, k] += _slope(W[r, n - begin], begin, end, k, x, goal)
                    at = own[r] + (3 * (n - begin) + k) * size + k
                    for c in range(end - begin):
                        numbers[at + 3 * c] += W[r, n - begin, c]


@compiled
def noise(of, x, moving, relative):
    """How much the energies change if coordinates do by a relative number: Σ relative |∂E/∂x| |x|, (B,)."""
    rows, first, body, W, goal = of.rows, of.first, of.body, of.W, of.goal
    result = np.zeros(len(moving))
    for r in rows:
        begin, end = first[r], first[r + 1]
        if moving[body[r]]:
            for n in range(begin, end):
                for k in range(3):
                    slope = _slope(W[r, n - begin], begin, end, k, x, goal)
                    result[body[r]] += relative * abs(slope * x[n, k])
    return result


@compiled
def _slope(w, begin, end, k, x, goal):
    """∂E/∂x_nk = Σ_c W_nc (x - x̂)_ck, w the n-th row of W and c the nodes from `begin` to `end`."""
    slope = 0.0
    for c in range(begin, end):
        slope += w[c - begin] * (x[c, k] - goal[c, k])
    return slope
