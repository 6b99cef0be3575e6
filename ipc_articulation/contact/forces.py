"""The forces of contact, contact by contact: -∂E/∂x over dt², for the energies of `pair_barrier` and `pair_friction`.

A barrier force acts along the line between the closest points, with the size κ_c |∂B/∂d|, times the mollifier for edges
that are almost parallel. Friction acts at the points that were closest at the beginning of the step, with the size
μ λ f₀'(|u|) against the slip u. So bodies that slide or stick on each other have two entries, one of the barrier and
one of friction; for a half-plane both are one entry. The mollifier also causes a couple between almost parallel edges,
which has no point and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges, mollifier
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.pair_blocks import HALF, LEVER, lever
from ipc_articulation.contact.pair_friction import Friction, slip
from ipc_articulation.contact.smooth_norm import smooth_norm_derivatives
from ipc_articulation.contact.stencils import Stencils


class ContactForces(NamedTuple):
    """k contacts; world frame."""

    points: Array  # (k, 3) [m], on the first body's surface
    forces: Array  # (k, 3) on the first body, opposite on the second [N, or N·s² before division by dt²]
    bodies: Ints  # (k, 2) rows of the bodies; n + p for half-plane p, which is always second

    @classmethod
    def join(cls, parts: Sequence[ContactForces]) -> ContactForces:
        """Concatenate several lists."""
        empty = cls(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64))
        return cls(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def barrier_forces(
    touching: Stencils, points: Array, x: Array, q: Array, kappa: float, d_hat: float, xi: float
) -> ContactForces:
    """Forces of stencils within d̂ at q (n, 12) with vertices at x (V, 3), local at `points`; times dt²."""
    levers, forces = _barrier_forces(*touching.columns[2:], points, x, kappa, d_hat, xi)
    bodies = touching.bodies[touching.pair]
    return ContactForces(_points(q[bodies[:, 0]], levers), forces, bodies)


def friction_forces(friction: Friction, q: Array) -> ContactForces:
    """Forces at all points in touch when the step began, at q (n, 12); times dt²."""
    bodies = friction.bodies[friction.pair]
    return ContactForces(_points(q[bodies[:, 0]], friction.lever), _friction_forces(*friction, q), bodies)


def _points(q: Array, levers: Array) -> Array:
    """World positions of the points on the first bodies, (k, 3): A x̄ + p with w (1, x̄) the first half of a lever."""
    local = levers[:, 1:HALF] / levers[:, :1]
    return q[:, :3] + np.einsum("kij,kj->ki", q[:, 3:].reshape(-1, 3, 3), local)


@compiled
def _barrier_forces(kind, vertices, mollified, points, x, kappa, d_hat, xi):
    levers, forces = np.empty((len(kind), LEVER)), np.empty((len(kind), 3))
    w, n, e1, e2, z = np.empty(4), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(kind)):
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, w, n))
        lever(kind[s], points, v, w, levers[s])
        slope = barrier(d - xi, d_hat, xi)[1]
        if mollified[s] > 0.0:
            slope *= mollifier(cross_of_edges(x, v, e1, e2, z), mollified[s])[0]
        for k in range(3):
            forces[s, k] = -kappa * slope * levers[s, 0] * n[k] / d
    return levers, forces


@compiled
def _friction_forces(bodies, pair, normal, force, y, eps, q_prev, q):
    u, forces = np.empty(3), np.empty((len(pair), 3))
    for r in range(len(pair)):
        length = slip(bodies[pair[r], 0], bodies[pair[r], 1], normal[r], y[r], q_prev, q, u)
        slope = smooth_norm_derivatives(length, eps)[0]
        for k in range(3):
            forces[r, k] = -force[r] * slope * y[r, 0] * u[k]
    return forces
