"""All contact of a scene in affine coordinates: bodies with bodies, and bodies with half-planes."""

from __future__ import annotations

from typing import Any, NamedTuple

import ipctk
import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.body_contact import BodyContact
from ipc_articulation.contact.broad_phase import make_ranges, near_bodies
from ipc_articulation.contact.half_planes import HalfPlaneContact, HalfPlanes
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.surfaces import Surfaces

Array = NDArray[np.float64]


class ContactDerivatives(NamedTuple):
    """Derivatives of the contact energy; every Hessian is projected to positive semidefinite."""

    gradient: Array  # (n, 12)
    blocks: Array  # (n, 12, 12) Hessian blocks of half-planes, one a body
    vertex_hessians: list[Any]  # (3V, 3V) csc Hessians by vertex positions, of contact between bodies
    pairs: int  # number of pairs within d̂


class ContactWorld:
    """The contact terms of the incremental potential of n bodies."""

    def __init__(self, surfaces: Surfaces, materials: Materials, planes: HalfPlanes) -> None:
        """Prepare contact, material by material.

        Args:
            surfaces: Surfaces of the n bodies.
            materials: Who touches whom, and how.
            planes: The half-planes.
        """
        self.surfaces, self.materials = surfaces, materials
        self.half_planes = HalfPlaneContact(surfaces, planes, materials)
        self.body_contacts = [
            BodyContact(surfaces, materials, m)
            for m in np.unique(materials.body_pairs[materials.touching])
            if len(surfaces.points)
        ]

    @property
    def d_hat(self) -> float:
        """Largest d̂ of all materials [m]."""
        return float(self.materials.d_hat.max(initial=0.0))

    def begin_step(self, q: Array, dt: float, eps_velocity: float, adaptive_resistance: float = 0.0) -> None:
        """Fix what a step holds constant, at q (n, 12): stiffness dt²κ_c, normal forces and tangents of friction.

        Args:
            q: Coordinates at the beginning of the step.
            dt: Time step [s].
            eps_velocity: Slip velocity at which friction is fully developed [m/s]; 0 leaves friction out.
            adaptive_resistance: κ_c of the materials that have none of their own [Pa].
        """
        x = self.surfaces.positions(q)
        self.half_planes.begin_step(x, dt, eps_velocity, adaptive_resistance)
        for contact in self.body_contacts:
            contact.begin_step(x, dt, eps_velocity, adaptive_resistance)

    def energy(self, q: Array) -> float:
        """Energy at coordinates on a way that `step_limit` has looked at; inf where something touches."""
        x = self.surfaces.positions(q)
        return self.half_planes.energy(x) + sum(contact.energy(x) for contact in self.body_contacts)

    def derivatives(self, q: Array) -> ContactDerivatives:
        """Gradient and projected Hessian at coordinates that `step_limit` or `begin_step` has looked at."""
        x = self.surfaces.positions(q)
        gradient, blocks, count = self.half_planes.derivatives(x)
        hessians = []
        for contact in self.body_contacts:
            gradients, more, pairs = contact.derivatives(x)
            count += pairs
            hessians += more
            for g in gradients:
                _add_vertex_gradient(g, self.surfaces.points, self.surfaces.body, gradient)
        return ContactDerivatives(gradient, blocks, hessians, count)

    def step_limit(self, q: Array, dq: Array) -> float:
        """Largest step in [0, 1] along dq on which nothing touches; motion is linear in q, so the answer is exact."""
        start, end = self.surfaces.positions(q), self.surfaces.positions(q + dq)
        limit = self.half_planes.step_limit(start, end)
        for contact in self.body_contacts:  # each looks only at the way that is left: long ones bring many pairs
            limit *= contact.step_limit(start, end if limit == 1.0 else start + limit * (end - start))
        return limit

    def minimum_distance(self, q: Array, within: float | None = None) -> float:
        """Smallest distance [m] of surfaces that may touch; inf where none is nearer than `within` (default 10 d̂).

        Thick surfaces begin at their thickness.
        """
        within = 10.0 * self.d_hat if within is None else within
        x = self.surfaces.positions(q)
        nearest = min(self.half_planes.minimum_distance(x), within)
        for contact in self.body_contacts:
            nearest = min(nearest, contact.minimum_distance(x, nearest))
        return nearest if nearest < within else np.inf

    def active_motion(self, q: Array, dq: Array) -> float:
        """Greatest displacement [m] under dq (n, 12) of a vertex that is in contact at q."""
        x, u = self.surfaces.positions(q), self.surfaces.positions(q + dq)
        active = [self.half_planes.active_vertices(x), *(contact.active_vertices(x) for contact in self.body_contacts)]
        vertices = np.unique(np.concatenate(active))
        return float(np.linalg.norm(u[vertices] - x[vertices], axis=1).max(initial=0.0))

    def intersecting_bodies(self, q: Array) -> tuple[int, int] | None:
        """Two bodies whose surfaces intersect and must not, the second -1 for a half-plane; None where all is well."""
        x = self.surfaces.positions(q)
        if self.half_planes.minimum_distance(x) <= 0.0:
            return self.half_planes.nearest_body(x), -1
        ranges = make_ranges(self.surfaces, len(q))
        for i, j in sorted(map(sorted, near_bodies(ranges, self.materials.touching, x, 0.0).tolist())):
            if i != j and _intersect(self.surfaces, x, i, j):
                return i, j
        return None


def _intersect(surfaces: Surfaces, x: Array, i: int, j: int) -> bool:
    """Whether the surfaces of two bodies intersect at x (V, 3)."""
    number = np.cumsum(np.isin(surfaces.body, (i, j))) - 1
    keep = np.isin(surfaces.body, (i, j))
    edges, faces = (number[part[keep[part[:, 0]]]].astype(np.int32) for part in (surfaces.edges, surfaces.faces))
    x = np.asfortranarray(x[keep])
    mesh = ipctk.CollisionMesh(x, np.asfortranarray(edges), np.asfortranarray(faces))
    mesh.can_collide = ipctk.make_vertex_patches_filter(surfaces.body[keep].astype(np.int32))
    return bool(ipctk.has_intersections(mesh, x))


@njit(cache=True)
def _add_vertex_gradient(g_x, points, body, g):
    """G += Jᵀ g_x over all vertices."""
    for v in range(len(points)):
        for k in range(3):
            f = g_x[3 * v + k]
            if f != 0.0:
                row = g[body[v]]
                row[k] += f
                for a in range(3):
                    row[3 + 3 * k + a] += f * points[v, a]
