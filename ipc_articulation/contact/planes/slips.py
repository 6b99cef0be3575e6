"""How slips on half-planes change on a Newton step: friction's duals follow, and its forces may change."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.planes.friction import PlaneStep, slip
from ipc_articulation.contact.planes.pairs import PlanePairs, place_vertex
from ipc_articulation.contact.smooth_norm import follow_dual, force_change, smooth_norm_derivatives


@compiled
def follow(columns, step, q, ahead, moving, turned):
    """See `HalfPlaneContact.follow`."""
    p, step, x, u, to = PlanePairs(*columns), PlaneStep(*step), np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not (moving[b] and step.rubs[i]):
            continue
        for r in range(p.first_row[i], p.first_row[i + 1]):
            force, v = step.normal_force[r], r + p.first[b] - p.first_row[i]
            if force > 0.0 and not np.isnan(step.dual[r, 0]):
                place_vertex(p, b, v, ahead, x)
                slip(p, step, i, v, x, to)
                place_vertex(p, b, v, q, x)
                s, c = smooth_norm_derivatives(slip(p, step, i, v, x, u), step.eps[i])
                for k in range(3):
                    to[k] -= u[k]
                follow_dual(force, turned[b], s, c, u, to, step.dual[r])


@compiled
def add_friction_changes(columns, step, q, ahead, moving, change):
    """See `HalfPlaneContact.add_friction_changes`."""
    p, step, x, u, to = PlanePairs(*columns), PlaneStep(*step), np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(p.body)):
        b = p.body[i]
        if not (moving[b] and step.rubs[i]):
            continue
        for r in range(p.first_row[i], p.first_row[i + 1]):
            if step.normal_force[r] > 0.0:
                v = r + p.first[b] - p.first_row[i]
                place_vertex(p, b, v, q, x)
                slip(p, step, i, v, x, u)
                place_vertex(p, b, v, ahead, x)
                slip(p, step, i, v, x, to)
                change[b] = max(change[b], force_change(u, to, step.eps[i]))
