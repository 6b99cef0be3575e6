"""Stencils by the rows that stand for their two sides: those of their first vertices that move."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.stencils import NO_STENCILS, Stencils


def by_rows(
    kind: Ints, vertices: Ints, mollified: Array, body: Ints, is_fixed: Bools, n: int, kinds: Ints | None = None
) -> Stencils:
    """Stencils sorted by the rows that stand for their two sides: those of their first vertices that move.

    Stencils of which neither side moves are left out.

    Args:
        kind: (k,).
        vertices: (k, 4).
        mollified: (k,).
        body: The row of each vertex, (V,).
        is_fixed: Whether a vertex never moves, (V,).
        n: Number of rows.
        kinds: What else distinguishes pairs, (k,); see `VertexElements`.
    """
    keys, stays = _keys(kind, vertices, body, is_fixed, n)
    rows = np.flatnonzero(stays)
    kinds = None if kinds is None else kinds[rows]
    return sorted_by_rows(keys[rows], kind[rows], vertices[rows], mollified[rows], n, kinds)


def sorted_by_rows(keys: Ints, kind: Ints, vertices: Ints, mollified: Array, n: int, kinds: Ints | None) -> Stencils:
    """Stencils by rising keys of their rows, and then by what else distinguishes pairs."""
    if not len(keys):
        return NO_STENCILS
    of_rows = keys
    if kinds is not None:
        distinct, kinds = np.unique(kinds, return_inverse=True)
        keys = keys * len(distinct) + kinds
    order = np.argsort(keys, kind="stable")
    _, first, pair = np.unique(keys[order], return_index=True, return_inverse=True)
    rows = of_rows[order][first]
    bodies = np.stack([rows // n, rows % n], axis=1)
    return Stencils(bodies, pair.astype(np.int64), kind[order], vertices[order], mollified[order])


@compiled
def _keys(kind, vertices, body, is_fixed, n):
    """A key for the rows that stand for both sides, the smaller one first, (k,); and whether one of them moves."""
    keys, stays = np.empty(len(kind), dtype=np.int64), np.empty(len(kind), dtype=np.bool_)
    for s in range(len(kind)):
        split = 2 if kind[s] == 0 else 1
        first, second = _mover(vertices[s, :split], is_fixed), _mover(vertices[s, split:], is_fixed)
        i, j = body[first], body[second]
        keys[s], stays[s] = min(i, j) * n + max(i, j), not (is_fixed[first] and is_fixed[second])
    return keys, stays


@compiled
def _mover(vertices, is_fixed):
    """The first vertex that moves; the first one if none does."""
    for v in vertices:
        if not is_fixed[v]:
            return v
    return vertices[0]
