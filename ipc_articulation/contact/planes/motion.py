"""Motions of vertices before half-planes: how far they may go, and how much their gaps change."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import gap_scale
from ipc_articulation.contact.ccd import REST
from ipc_articulation.contact.planes.pairs import PlanePairs, at_least, gap_of, gap_range, linear_gap, place_vertex


@compiled
def lower_fractions(columns, start, end, floors, labels, moving, fractions):
    """Lower the step fractions (n,) of islands, see `HalfPlaneContact.lower_fractions`; gaps are linear in q."""
    p, x, y = PlanePairs(*columns), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b, floor = p.body[i], floors[p.body[i]]
        if not moving[b] or gap_range(p, i, end)[0] >= max(REST * gap_range(p, i, start)[1], floor):
            continue
        linear, linear_then = linear_gap(p, i, start), linear_gap(p, i, end)
        for v in range(p.first[b], p.first[b + 1]):
            most = at_least(linear, p.points, v) + 2.0 * linear[-1]
            if at_least(linear_then, p.points, v) >= max(REST * most, floor):
                continue
            place_vertex(p, b, v, start, x)
            place_vertex(p, b, v, end, y)
            now, then = gap_of(p, i, x), gap_of(p, i, y)
            rest = max(REST * now, min(now, floor))
            if then < rest:
                fractions[labels[b]] = min(fractions[labels[b]], (now - rest) / (now - then))


@compiled
def add_gap_changes(columns, q, ahead, moving, change):
    """See `HalfPlaneContact.add_gap_changes`."""
    p, x, y = PlanePairs(*columns), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not moving[b] or min(gap_range(p, i, q)[0], gap_range(p, i, ahead)[0]) >= p.d_hat[i]:
            continue
        linear, linear_then = linear_gap(p, i, q), linear_gap(p, i, ahead)
        for v in range(p.first[b], p.first[b + 1]):
            if min(at_least(linear, p.points, v), at_least(linear_then, p.points, v)) >= p.d_hat[i]:
                continue
            place_vertex(p, b, v, q, x)
            place_vertex(p, b, v, ahead, y)
            gap, then = gap_of(p, i, x), gap_of(p, i, y)
            if min(gap, then) < p.d_hat[i]:
                change[b] = max(change[b], abs(then - gap) / gap_scale(gap, then, p.d_hat[i]))
