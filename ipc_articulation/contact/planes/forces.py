"""Forces on vertices near half-planes: normal forces as a step begins, and those of contacts as it ends."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.planes.friction import PlaneStep, slip
from ipc_articulation.contact.planes.pairs import PlanePairs, gap_of, rows_of
from ipc_articulation.contact.smooth_norm import smooth_norm_derivatives


def contact_forces(p: PlanePairs, step: PlaneStep, bodies: Ints, gaps: Array, x: Array) -> ContactForces:
    """Forces on vertices within d̂ of a half-plane, or in touch when the step began; times dt².

    Args:
        p: The k pairs.
        step: The constants of the step.
        bodies: The body and the half-plane of each pair, as contacts name them, (k, 2).
        gaps: Of the vertices, (rows,) [m].
        x: Positions of the vertices, (V, 3) [m].
    """
    pair, vertex = rows_of(p)
    on = np.flatnonzero((gaps < p.d_hat[pair]) | (step.normal_force > 0.0))
    pair, vertex, gaps = pair[on], vertex[on], gaps[on]
    points, normals = x[vertex], p.normal[pair]
    opposite = points - (gaps + p.thickness[pair])[:, None] * normals
    of_barrier, of_friction = _on_vertices(on, pair, gaps, x, vertex, tuple(p), tuple(step))
    nothing = np.zeros_like(points)
    return ContactForces(points, opposite, normals, of_barrier, of_friction, nothing, gaps, bodies[pair])


@compiled
def normal_forces(columns, stiffness, friction, x, dual):
    """Normal forces μ λ (rows,) of a step that begins at x (V, 3), and which pairs have any, (k,); resets duals."""
    p = PlanePairs(*columns)
    forces, rubs = np.zeros(p.first_row[-1]), np.zeros(len(p.body), dtype=np.bool_)
    for i in range(len(p.body)):
        if friction[i] == 0.0:
            continue
        shift = p.first[p.body[i]] - p.first_row[i]
        for r in range(p.first_row[i], p.first_row[i + 1]):
            gap = gap_of(p, i, x[r + shift])
            if 0.0 < gap < p.d_hat[i]:
                forces[r] = -friction[i] * stiffness[i] * barrier(gap, p.d_hat[i], p.thickness[i])[1]
                rubs[i], dual[r, :] = True, np.nan
    return forces, rubs


@compiled
def _on_vertices(rows, pair, gaps, x, vertex, columns, step):
    """Forces of the barrier and of friction on the vertices of some rows, (c, 3) each; see `contact_forces`."""
    p, step, u = PlanePairs(*columns), PlaneStep(*step), np.empty(3)
    normal, friction = np.empty((len(rows), 3)), np.zeros((len(rows), 3))
    for c in range(len(rows)):
        i, force = pair[c], step.normal_force[rows[c]]
        slope = barrier(gaps[c], p.d_hat[i], p.thickness[i])[1]
        for k in range(3):
            normal[c, k] = -step.stiffness[i] * slope * p.normal[i, k]
        if force > 0.0:
            of_slip = smooth_norm_derivatives(slip(p, step, i, vertex[c], x[vertex[c]], u), step.eps[i])[0]
            for k in range(3):
                friction[c, k] = -force * of_slip * u[k]
    return normal, friction
