"""The forces of contact, contact by contact: -∂E/∂x over dt², for the energies of `pair_barrier` and `pair_friction`.

A barrier force acts along the line between the closest points, with the size κ_c |∂B/∂d|, times the mollifier m for
edges that are almost parallel. The mollifier also causes a couple: of E = κ_c m(c) B, c = z·z, z = e₁ × e₂, the forces
-∂E/∂e₁ = -2 κ_c m' B e₂ × z on the ends of the first edge have the moment

    e₁ × (-∂E/∂e₁) = 2 κ_c m' B (e₁·e₂) z,     and those on the second edge the opposite one.

Friction acts at the points that were closest at the beginning of the step, with the size μ λ f₀'(|u|) against the slip
u. So bodies that slide or stick on each other have two entries, one of the barrier and one of friction, which have
different points; for a half-plane both are one entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges, dot, mollifier
from ipc_articulation.contact.closest_points import EDGES, closest_points, row
from ipc_articulation.contact.pair_blocks import HALF
from ipc_articulation.contact.pair_friction import Friction, slip
from ipc_articulation.contact.smooth_norm import smooth_norm_derivatives
from ipc_articulation.contact.stencils import Stencils


class ContactForces(NamedTuple):
    """k contacts; world frame. Forces [N] and couples [N·m], or these times s² before division by dt²."""

    points: Array  # (k, 3) [m], on the first body's surface
    opposite_points: Array  # (k, 3) [m], on the second body's surface
    normals: Array  # (k, 3) unit, from the second body to the first
    normal_forces: Array  # (k, 3) of the barrier on the first body, opposite on the second
    friction_forces: Array  # (k, 3) on the first body, opposite on the second
    couples: Array  # (k, 3) of the mollifier on the first body, opposite on the second
    gaps: Array  # (k,) distance of the surfaces between the two points along the normal [m]
    bodies: Ints  # (k, 2) rows of the bodies; n + p for half-plane p, which is always second

    @property
    def forces(self) -> Array:
        """Of barrier and friction together, (k, 3)."""
        return self.normal_forces + self.friction_forces

    def times(self, factor: float) -> ContactForces:
        """The same contacts with forces and couples times a factor."""
        names = ("normal_forces", "friction_forces", "couples")
        return self._replace(**{name: factor * getattr(self, name) for name in names})

    @classmethod
    def join(cls, parts: Sequence[ContactForces]) -> ContactForces:
        """Concatenate several lists."""
        no = np.zeros((0, 3))
        empty = cls(no, no, no, no, no, no, np.zeros(0), np.zeros((0, 2), dtype=np.int64))
        return cls(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def barrier_forces(
    touching: Stencils, bodies: Ints, swapped: Bools, x: Array, kappa: Array, d_hat: float, xi: float
) -> ContactForces:
    """Forces of stencils within d̂ with vertices at x (V, 3); times dt². κ (P,) is that of the pairs.

    The first one of both bodies (k, 2) of a stencil has its first vertex, or, where they are swapped (k,), the second.
    """
    first, second, normals, sizes, gaps, couples = _barrier_forces(*touching.columns[1:], x, kappa, d_hat, xi)
    first[swapped], second[swapped], normals[swapped] = second[swapped], first[swapped], -normals[swapped]
    forces = sizes[:, None] * normals
    return ContactForces(first, second, normals, forces, np.zeros_like(forces), couples, gaps, bodies)


def friction_forces(friction: Friction, q: Array, xi: float, apart: Array | float = 0.0) -> ContactForces:
    """Forces at all points in touch when the step began, at q (n, 12), for surfaces of thickness ξ; times dt².

    The gaps are those of points that were `apart` (k,) [m] before they were brought to one place.
    """
    bodies = friction.bodies[friction.pair]
    first, second = _points(q, bodies, friction.lever)
    normals = friction.lever[:, :1] * friction.normal
    gaps = np.einsum("ki,ki->k", normals, first - second) + apart - xi
    forces = _friction_forces(*friction, q)
    nothing = np.zeros_like(forces)
    return ContactForces(first, second, normals, nothing, forces, nothing, gaps, bodies)


def _points(q: Array, bodies: Ints, levers: Array) -> list[Array]:
    """World positions A x̄ + p of the points on both bodies, (k, 3) each; a lever (k, 8) has ±(1, x̄) of either."""
    halves = zip(q[bodies].swapaxes(0, 1), (levers[:, :HALF], levers[:, HALF:]), strict=True)
    return [
        of_body[:, :3] + np.einsum("kij,kj->ki", of_body[:, 3:].reshape(-1, 3, 3), half[:, 1:] / half[:, :1])
        for of_body, half in halves
    ]


@compiled
def _barrier_forces(pair, kind, vertices, mollified, x, kappa, d_hat, xi):
    """Closest points of both sides and unit vectors to the first (k, 3), forces, gaps (k,), and couples (k, 3)."""
    count = len(kind)
    points, opposite, normals = np.zeros((count, 3)), np.zeros((count, 3)), np.empty((count, 3))
    sizes, gaps, couples = np.empty(count), np.empty(count), np.zeros((count, 3))
    w, e1, e2, z = np.empty(4), np.empty(3), np.empty(3), np.empty(3)
    for s in range(count):
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, w, normals[s]))
        normals[s] /= d
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
            along = dot(e1, e2)
            for k in range(3):
                couples[s, k] = 2.0 * kappa[pair[s]] * rate * B * along * z[k]
        sizes[s], gaps[s] = -kappa[pair[s]] * slope, d - xi
    return points, opposite, normals, sizes, gaps, couples


@compiled
def _friction_forces(bodies, pair, normal, force, y, anchor, eps, q_prev, dual, q):
    u, forces = np.empty(3), np.empty((len(pair), 3))
    for r in range(len(pair)):
        length = slip(bodies[pair[r], 0], bodies[pair[r], 1], normal[r], y[r], anchor[r], q_prev, q, u)
        slope = smooth_norm_derivatives(length, eps)[0]
        for k in range(3):
            forces[r, k] = -force[r] * slope * y[r, 0] * u[k]
    return forces
