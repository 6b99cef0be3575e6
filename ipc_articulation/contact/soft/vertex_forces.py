"""The forces of contact of soft bodies, contact by contact, as `contact.forces` has those of affine bodies."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.soft import vertex_friction
from ipc_articulation.contact.soft.vertex_friction import VertexFriction


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


def sides(kind: Ints, vertices: Ints, body: Ints) -> Ints:
    """The rows of the first vertices of both sides, (k, 2)."""
    second = np.where(kind == EDGES, vertices[:, 2], vertices[:, 1])
    return np.stack([body[vertices[:, 0]], body[second]], axis=1)
