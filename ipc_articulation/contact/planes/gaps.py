"""Gaps of vertices to half-planes, pair by pair."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.planes.pairs import PlanePairs, at_least, gap_of, gap_range, linear_gap, place_vertex


@compiled
def gaps(columns, x):
    """The gap of each row, (rows,) [m], with vertices at x (V, 3)."""
    p = PlanePairs(*columns)
    gaps = np.empty(p.first_row[-1])
    for i in range(len(p.body)):
        shift = p.first[p.body[i]] - p.first_row[i]
        for r in range(p.first_row[i], p.first_row[i + 1]):
            gaps[r] = gap_of(p, i, x[r + shift])
    return gaps


@compiled
def pushes(columns, x):
    """See `HalfPlaneContact.pushes`."""
    p = PlanePairs(*columns)
    sums = np.zeros(len(p.body))
    for i in range(len(p.body)):
        for v in range(p.first[p.body[i]], p.first[p.body[i] + 1]):
            gap = gap_of(p, i, x[v])
            if 0.0 < gap < p.d_hat[i]:
                sums[i] -= barrier(gap, p.d_hat[i], p.thickness[i])[1]
    return sums


@compiled
def smallest_gaps(columns, q, moving, within):
    """See `HalfPlaneContact.smallest_gaps`."""
    p, x = PlanePairs(*columns), np.empty(3)
    gaps = np.full(len(p.body), np.inf)
    for i in range(len(p.body)):
        b = p.body[i]
        if moving[b] and gap_range(p, i, q)[0] < within * p.d_hat[i]:
            linear = linear_gap(p, i, q)
            for v in range(p.first[b], p.first[b + 1]):
                if at_least(linear, p.points, v) < gaps[i]:
                    place_vertex(p, b, v, q, x)
                    gaps[i] = min(gaps[i], gap_of(p, i, x))
    return gaps


@compiled
def in_contact(columns, bodies, q, moving):
    """See `HalfPlaneContact.in_contact`."""
    gaps, d_hat = smallest_gaps(columns, q, moving, 2.0), PlanePairs(*columns).d_hat
    near = gaps < d_hat
    return bodies[near], gaps[near], near
