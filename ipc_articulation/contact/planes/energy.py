"""Energy of vertices on half-planes, barrier and friction, and its derivatives, body by body."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.foresight import chord
from ipc_articulation.contact.planes.friction import PlaneStep, slip
from ipc_articulation.contact.planes.pairs import (
    PlanePairs,
    add_by_point,
    at_least,
    gap_of,
    gap_range,
    linear_gap,
    place_vertex,
)
from ipc_articulation.contact.smooth_norm import dual_hessian, smooth_norm, smooth_norm_derivatives, start_dual


@compiled
def add_energy(columns, step, q, moving, E):
    """See `HalfPlaneContact.add_energy`."""
    p, step, u, x = PlanePairs(*columns), PlaneStep(*step), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not moving[b] or not (step.rubs[i] or gap_range(p, i, q)[0] < p.d_hat[i]):
            continue
        linear = linear_gap(p, i, q)
        for r in range(p.first_row[i], p.first_row[i + 1]):
            v = r + p.first[b] - p.first_row[i]
            if step.normal_force[r] == 0.0 and at_least(linear, p.points, v) >= p.d_hat[i]:
                continue
            place_vertex(p, b, v, q, x)
            gap = gap_of(p, i, x)
            if gap <= 0.0:
                E[b] = np.inf
                continue
            if gap < p.d_hat[i]:
                E[b] += step.stiffness[i] * barrier(gap, p.d_hat[i], p.thickness[i])[0]
            if step.normal_force[r] > 0.0:
                E[b] += step.normal_force[r] * smooth_norm(slip(p, step, i, v, x, u), step.eps[i])


@compiled
def add_derivatives(columns, step, q, moving, g, H):
    """See `HalfPlaneContact.add_derivatives`."""
    p, step, x = PlanePairs(*columns), PlaneStep(*step), np.empty(3)
    g_v, H_v, u = np.empty(3), np.empty((3, 3)), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not moving[b] or not (step.rubs[i] or gap_range(p, i, q)[0] < p.d_hat[i]):
            continue
        linear = linear_gap(p, i, q)
        for r in range(p.first_row[i], p.first_row[i + 1]):
            v = r + p.first[b] - p.first_row[i]
            if step.normal_force[r] == 0.0 and at_least(linear, p.points, v) >= p.d_hat[i]:
                continue
            place_vertex(p, b, v, q, x)
            gap = gap_of(p, i, x)
            if gap < p.d_hat[i] or step.normal_force[r] > 0.0:
                _differentiate(p, step, i, gap, r, slip(p, step, i, v, x, u), u, g_v, H_v)
                add_by_point(p.points[v], g_v, H_v, g[b], H[b])


@compiled
def _differentiate(p, step, i, gap, r, length, u, g_v, H_v):
    """Fill g_v (3,) and the projected H_v (3, 3), by the vertex of row r of pair i; its slip u (3,) has a length."""
    n, force = p.normal[i], step.normal_force[r]
    slope, curvature = _model(p, step, i, gap, r)
    along = step.stiffness[i] * max(curvature, 0.0)
    g_v[:], H_v[:] = 0.0, 0.0
    if force > 0.0:
        s, c = smooth_norm_derivatives(length, step.eps[i])
        if np.isnan(step.dual[r, 0]):
            start_dual(force, s, u, step.dual[r])
        dual_hessian(force, s, c, u, step.dual[r], H_v)
        along -= force * s
        for k in range(3):
            g_v[k] = force * s * u[k]
    for k in range(3):
        g_v[k] += step.stiffness[i] * slope * n[k]
        for m in range(3):
            H_v[k, m] += along * n[k] * n[m]


@compiled
def _model(p, step, i, gap, r):
    """B' and the slope h of B' (see `foresight`) for row r of pair i."""
    _, slope, curvature = barrier(gap, p.d_hat[i], p.thickness[i])
    return slope, chord(gap, slope, curvature, step.foreseen[r], p.d_hat[i], p.thickness[i])


@compiled
def foresee(columns, step, q, ahead, moving):
    """See `HalfPlaneContact.foresee`."""
    p, step, x, y = PlanePairs(*columns), PlaneStep(*step), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not moving[b]:
            continue
        if gap_range(p, i, q)[0] >= p.d_hat[i]:
            step.foreseen[p.first_row[i] : p.first_row[i + 1]] = 0.0
            continue
        linear = linear_gap(p, i, q)
        for r in range(p.first_row[i], p.first_row[i + 1]):
            v, foreseen = r + p.first[b] - p.first_row[i], 0.0
            if at_least(linear, p.points, v) < p.d_hat[i]:
                place_vertex(p, b, v, q, x)
                place_vertex(p, b, v, ahead, y)
                gap = gap_of(p, i, x)
                slope, h = _model(p, step, i, gap, r)
                foreseen = min(slope + h * (gap_of(p, i, y) - gap), 0.0)
            step.foreseen[r] = foreseen
