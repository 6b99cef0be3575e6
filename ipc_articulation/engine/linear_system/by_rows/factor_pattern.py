"""Positions of the blocks of a Cholesky factor: the part of a factorisation that does not depend on values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.minimum_degree import minimum_degree


class Pattern(NamedTuple):
    """Pattern of H = UᵀU with n diagonal blocks; rows i and columns j of U are numbered in the order of elimination."""

    order: Ints  # (n,) row of H that is row i of U
    first: Ints  # (n + 1,) row i has columns[first[i] : first[i + 1]] right of its diagonal
    columns: Ints  # ascending in each row
    starts: Ints  # (n + 1,) panel P_i is at U[starts[i] : starts[i + 1]]
    widest: int  # number of columns of the widest panel
    first_source: Ints  # (n + 1,) row i gets the blocks sources[first_source[i] : first_source[i + 1]] of H
    sources: Ints  # (m,)
    slots: Ints  # (m,) of a source: at which block of the panel; -1 - that, where the block is to be transposed


@compiled
def factor_pattern(n, rows, cols):
    """The pattern for n diagonal blocks and others at (rows, cols), (m,) each, no place twice, nor transposed."""
    first_neighbour, neighbours = _group(np.concatenate((rows, cols)), np.concatenate((cols, rows)), n)
    order, first, members = minimum_degree(first_neighbour, neighbours, np.ones(n, dtype=np.int64))
    position = np.empty(n, dtype=np.int64)
    for i in range(n):
        position[order[i]] = i
    columns = _sorted_columns(first, position[members])
    starts = (DOF * DOF) * (first + np.arange(n + 1))
    widest = DOF + DOF * np.max(first[1:] - first[:-1]) if n else 0
    i, j = position[rows], position[cols]
    first_source, sources = _group(np.minimum(i, j), np.arange(len(rows)), n)
    slots = np.empty(len(rows), dtype=np.int64)
    for s in range(len(sources)):
        low, high = i[sources[s]], j[sources[s]]
        is_transposed = low > high
        if is_transposed:
            low, high = high, low
        slot = 1 + np.searchsorted(columns[first[low] : first[low + 1]], high)
        slots[s] = -1 - slot if is_transposed else slot
    return Pattern(order, first, columns, starts, widest, first_source, sources, slots)


@compiled
def _sorted_columns(first, columns):
    """Sort the columns of each row: by column, then by row, which keeps that order."""
    n = len(first) - 1
    rows = np.empty_like(columns)
    for i in range(n):
        rows[first[i] : first[i + 1]] = i
    _, by_column = _group(columns, np.arange(len(columns)), n)
    return _group(rows[by_column], columns[by_column], n)[1]


@compiled
def _group(keys, values, n):
    """Sort values stably by keys (m,) in [0, n); those of key k are at [first[k] : first[k + 1]]: first, sorted."""
    first = np.zeros(n + 2, dtype=np.int64)
    for k in keys:
        first[k + 2] += 1
    first = np.cumsum(first)
    grouped = np.empty_like(values)
    for v in range(len(values)):
        grouped[first[keys[v] + 1]] = values[v]
        first[keys[v] + 1] += 1
    return first[:-1], grouped
