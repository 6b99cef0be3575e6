"""Quadratic energies of rows: inertia, and constraints to goals.

    E = ½ Σ (x - x̂)ᵀ (W ⊗ 1) (x - x̂)

W (4, 4) is that of four nodes, or its first number that of one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from prototypes.core.references import by_reference


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
    for s in range(len(of.rows)):
        r = of.rows[s]
        begin, end = of.first[r], of.first[r + 1]
        if moving[of.body[r]]:
            for a in range(begin, end):
                for k in range(3):
                    E[of.body[r]] += 0.5 * _slope(of, r, begin, end, a, k, x) * (x[a, k] - of.goal[a, k])


@compiled
def add_derivatives(of, x, to):
    """Add those of free rows at x (N, 3) to `Sums`."""
    for s in range(len(of.rows)):
        r = of.rows[s]
        begin, end = of.first[r], of.first[r + 1]
        if to.is_free[r]:
            size = 3 * (end - begin)
            own = to.matrix.own[r]
            for a in range(begin, end):
                for k in range(3):
                    to.g[a, k] += _slope(of, r, begin, end, a, k, x)
                    for c in range(end - begin):
                        to.matrix.numbers[own + (3 * (a - begin) + k) * size + 3 * c + k] += of.W[r, a - begin, c]


@compiled
def noise(of, x, moving, relative):
    """How much the energies change if coordinates do by a relative number: Σ relative |∂E/∂x| |x|, (B,)."""
    result = np.zeros(len(moving))
    for s in range(len(of.rows)):
        r = of.rows[s]
        begin, end = of.first[r], of.first[r + 1]
        if moving[of.body[r]]:
            for a in range(begin, end):
                for k in range(3):
                    result[of.body[r]] += relative * abs(_slope(of, r, begin, end, a, k, x) * x[a, k])
    return result


@compiled
def _slope(of, r, begin, end, a, k, x):
    """∂E/∂x_ak = Σ_c W_ac (x - x̂)_ck."""
    slope = 0.0
    for c in range(begin, end):
        slope += of.W[r, a - begin, c - begin] * (x[c, k] - of.goal[c, k])
    return slope
