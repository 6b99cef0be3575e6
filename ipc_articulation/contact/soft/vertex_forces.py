"""The forces of contact of soft bodies, contact by contact, as `contact.forces` has those of affine bodies."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges, mollifier
from ipc_articulation.contact.closest_points import EDGES, closest_points, row
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.soft import vertex_friction
from ipc_articulation.contact.soft.vertex_friction import VertexFriction
from ipc_articulation.contact.stencils import Stencils


def barrier_forces(touching: Stencils, body: Ints, x: Array, kappa: Array, d_hat: float, xi: float) -> ContactForces:
    """Forces of stencils within d̂ with vertices at x (V, 3); times dt². κ (P,) is that of the pairs.

    The first body of a contact is the row of the stencil's first vertex.
    """
    points, opposite, sizes, gaps, couples = _barrier_forces(*touching.columns[1:], x, kappa, d_hat, xi)
    normals = (points - opposite) / np.linalg.norm(points - opposite, axis=1)[:, None]
    forces = sizes[:, None] * normals
    bodies = _sides(touching.kind, touching.vertices, body)
    return ContactForces(points, opposite, normals, forces, np.zeros_like(forces), couples, gaps, bodies)


def friction_forces(friction: VertexFriction, q: Array, xi: float, apart: Array | float) -> ContactForces:
    """Forces at all points in touch when the step began, at q (n, 12); times dt².

    The gaps are those of points that were `apart` (k,) [m] before they were brought to one place.
    """
    _, _, vertices, weights, lean, normal, force, start, _, eps, body, points = friction
    corners = vertex_friction.positions(vertices, body, points, q)
    is_first = weights > 0.0
    is_first[:, 0] = True
    first = np.einsum("ka,kai->ki", np.where(is_first, weights, 0.0), corners)
    second = -np.einsum("ka,kai->ki", np.where(is_first, 0.0, weights), corners)
    forces = vertex_friction.forces(vertices, weights, lean, normal, force, start, eps, body, points, q)
    gaps = np.einsum("ki,ki->k", normal, first - second) + apart - xi
    nothing = np.zeros_like(forces)
    ends = np.argmin(weights, axis=1)
    bodies = body[np.stack([vertices[:, 0], vertices[np.arange(len(ends)), ends]], axis=1)]
    return ContactForces(first, second, normal, nothing, forces, nothing, gaps, bodies)


def _sides(kind: Ints, vertices: Ints, body: Ints) -> Ints:
    """The rows of the first vertices of both sides, (k, 2)."""
    second = np.where(kind == EDGES, vertices[:, 2], vertices[:, 1])
    return np.stack([body[vertices[:, 0]], body[second]], axis=1)


@compiled
def _barrier_forces(pair, kind, vertices, mollified, x, kappa, d_hat, xi):
    """Closest points of both sides (k, 3), sizes of the forces (k,), gaps (k,) and couples (k, 3)."""
    count = len(kind)
    points, opposite, couples = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
    sizes, gaps = np.empty(count), np.empty(count)
    w, n, e1, e2, z = np.empty(4), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for s in range(count):
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, w, n))
        left = 2 if kind[s] == EDGES else 1
        for a in range(4):
            for k in range(3):
                if a < left:
                    points[s, k] += w[a] * x[v[a], k]
                else:
                    opposite[s, k] -= w[a] * x[v[a], k]
        B, slope, _ = barrier(d - xi, d_hat, xi)
        if mollified[s] > 0.0:
            m, rate = mollifier(cross_of_edges(x, v, e1, e2, z), mollified[s])
            slope *= m
            along = e1[0] * e2[0] + e1[1] * e2[1] + e1[2] * e2[2]
            for k in range(3):
                couples[s, k] = 2.0 * kappa[pair[s]] * rate * B * along * z[k]
        sizes[s], gaps[s] = -kappa[pair[s]] * slope, d - xi
    return points, opposite, sizes, gaps, couples
