"""Barriers of vertices before half-planes, expanded where a Newton step leads (see `expansion`).

Their gaps are linear in q, so predictions are exact, also of vertices that are beyond d̂ now.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.expansion import FRESH, expanded, follow
from ipc_articulation.contact.planes.pairs import (
    PlanePairs,
    add_by_point,
    at_least,
    gap_of,
    gap_range,
    linear_gap,
    place_vertex,
)


class PlaneForesight:
    """The points of expansion of one step."""

    def __init__(self, pairs: PlanePairs, stiffness: Array) -> None:
        """Begin where bodies are; `stiffness` is dt² κ_c of each pair, (k,)."""
        self._columns, self._stiffness = tuple(pairs), stiffness
        self._at = np.full(pairs.first_row[-1], np.nan)  # δ of the rows; NaN where it is the gap now [m]

    def follow(self, q: Array, ahead: Array, moving: Bools, g: Array, H: Array) -> bool:
        """Follow the step of moving bodies from q to ahead, (n, 12) each.

        Add what changes in the gradient to g (n, 12), in the Hessian to blocks H (n, 12, 12).

        Returns:
            Whether anything does.
        """
        return len(self._at) > 0 and _follow(self._columns, self._stiffness, q, ahead, moving, self._at, g, H)


@compiled
def _follow(columns, stiffness, q, ahead, moving, at, g, H):
    """See `PlaneForesight.follow`."""
    p, x, g_v, H_v, has_changed = PlanePairs(*columns), np.empty(3), np.empty(3), np.empty((3, 3)), False
    for i in range(len(p.body)):
        b, d_hat = p.body[i], p.d_hat[i]
        if not moving[b] or min(gap_range(p, i, q)[0], gap_range(p, i, ahead)[0]) >= d_hat:
            continue
        linear, linear_then = linear_gap(p, i, q), linear_gap(p, i, ahead)
        for r in range(p.first_row[i], p.first_row[i + 1]):
            v = r + p.first[b] - p.first_row[i]
            nearest = min(at_least(linear, p.points, v), at_least(linear_then, p.points, v))
            if nearest >= d_hat and np.isnan(at[r]):
                continue
            place_vertex(p, b, v, ahead, x)
            then = gap_of(p, i, x)
            place_vertex(p, b, v, q, x)
            now = gap_of(p, i, x)
            before = min(now, d_hat) if np.isnan(at[r]) else at[r]
            after = max(then, FRESH * d_hat) if before == d_hat > then else follow(before, then, d_hat)
            if after != before:
                at[r], has_changed = after, True
                _difference(p, i, stiffness[i], now, before, after, g_v, H_v)
                add_by_point(p.points[v], g_v, H_v, g[b], H[b])
    return has_changed


@compiled
def _difference(p, i, kappa, gap, before, after, g_v, H_v):
    """Fill g_v (3,) and H_v (3, 3) with how derivatives by a vertex change with its point of expansion."""
    old, new = expanded(before, gap, p.d_hat[i], p.thickness[i]), expanded(after, gap, p.d_hat[i], p.thickness[i])
    for k in range(3):
        g_v[k] = kappa * (new[0] - old[0]) * p.normal[i, k]
        for m in range(3):
            H_v[k, m] = kappa * (new[2] - old[2]) * p.normal[i, k] * p.normal[i, m]
