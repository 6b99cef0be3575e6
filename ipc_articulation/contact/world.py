"""All contact of a scene in affine coordinates: bodies with bodies, and bodies with half-planes."""

from __future__ import annotations

from typing import NamedTuple

import ipctk
import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.body_contact import BodyContact
from ipc_articulation.contact.broad_phase import body_boxes, have_moved, make_ranges, motion_boxes, near_bodies
from ipc_articulation.contact.ccd import gap_floor
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.half_planes import HalfPlaneContact, HalfPlanes
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.pair_blocks import clear
from ipc_articulation.contact.stencils import Stencils
from ipc_articulation.contact.surfaces import Surfaces


class ContactDerivatives(NamedTuple):
    """Derivatives of the contact energy of moving bodies; every Hessian is projected to positive semidefinite."""

    gradient: Array  # (n, 12)
    blocks: Array  # (n, 12, 12) Hessian blocks of half-planes, one a moving body; the next derivatives overwrite them
    pair_blocks: list[tuple[Ints, Array]]  # pairs of bodies (p, 2) and their Hessian blocks (p, 24, 24)


class ContactWorld:
    """The contact terms of the incremental potential of n bodies.

    Many methods take a mask (n,) of the bodies that move: what concerns none of them is left out.
    """

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
        self._blocks = np.zeros((len(materials.body_pairs), DOF, DOF))
        self._awake = np.zeros(len(materials.body_pairs), dtype=np.bool_)  # bodies that have moved in this step
        self._x = np.zeros((3, *surfaces.points.shape))  # at the beginning of the step, and two for `_positions`
        self._at: list[Array | None] = [None, None, None]  # the coordinates that these belong to
        self._mask: Bools | None = None  # the last mask that `_positions` was given
        self._floor = 0.0
        self._ranges = make_ranges(surfaces)
        self._boxes = (np.full((len(self._awake), 3), np.nan),) * 2  # around all bodies at the beginning of the step
        self.near_at_start = np.zeros((0, 2), dtype=np.int64)  # pairs of bodies whose boxes are within reach then

    @property
    def d_hat(self) -> float:
        """Largest d̂ of all materials [m]."""
        return float(self.materials.d_hat.max(initial=0.0))

    @property
    def may_touch(self) -> bool:
        """Whether any two surfaces may touch at all."""
        return bool(self.body_contacts) or self.half_planes.may_touch

    def begin_step(self, q: Array, dt: float, eps_velocity: float, adaptive_resistance: float = 0.0) -> None:
        """Fix what a step holds constant, at q (n, 12): stiffness dt²κ_c, normal forces and tangents of friction.

        Args:
            q: Coordinates at the beginning of the step.
            dt: Time step [s].
            eps_velocity: Slip velocity at which friction is fully developed [m/s]; 0 leaves friction out.
            adaptive_resistance: κ_c of the materials that have none of their own [Pa].
        """
        self._mask, self._at = None, [None, None, None]
        x, *copies = self._x
        self.surfaces.move(q, np.ones(len(q), dtype=np.bool_), x)
        for copy in copies:
            np.copyto(copy, x)
        self._awake = np.zeros(len(q), dtype=np.bool_)
        self._floor = gap_floor(x)
        self._look_around(x)
        self.half_planes.begin_step(x, dt, eps_velocity, adaptive_resistance)
        for contact in self.body_contacts:
            contact.begin_step(x, q, dt, eps_velocity, adaptive_resistance)

    def add_energy(self, q: Array, moving: Bools, E: Array) -> None:
        """Add the energy of bodies to E (n,), inf where something touches; of a pair, to one of the two.

        The coordinates q (n, 12) are on a motion that `cover` has seen.
        """
        x = self._positions(q, moving)
        self.half_planes.add_energy(x, moving, E)
        for contact in self.body_contacts:
            contact.add_energy(x, q, moving, E)

    def derivatives(self, q: Array, moving: Bools) -> ContactDerivatives:
        """Gradient and projected Hessian at coordinates that `cover` or `begin_step` has looked at."""
        x = self._positions(q, moving)
        gradient, blocks = np.zeros((len(q), DOF)), self._blocks
        clear(blocks, moving)
        self.half_planes.add_derivatives(x, moving, gradient, blocks)
        pair_blocks = [
            pair for contact in self.body_contacts for pair in contact.add_derivatives(x, q, moving, gradient)
        ]
        return ContactDerivatives(gradient, blocks, pair_blocks)

    def cover(self, q: Array, ahead: Array, moving: Bools) -> None:
        """Find pairs that come near each other as bodies move straight from q to ahead, (n, 12) each."""
        start, end = self._positions(q, moving), self._positions(ahead, moving, 2)
        for contact in self.body_contacts:
            contact.proximity.cover(start, end)

    def near(self, q: Array, ahead: Array, moving: Bools) -> Ints:
        """Pairs of bodies, one of them moving, that may come within reach of each other, (k, 2).

        Their boxes do, which hold the whole motion from q to ahead, (n, 12): other bodies do not meet, whatever
        fractions of their steps they take. The result depends on nothing else, in particular not on earlier steps.
        """
        start, end = self._positions(q, moving), self._positions(ahead, moving, 2)
        boxes = motion_boxes(self._ranges, self._awake, start, end, *self._boxes)
        near = [contact.near(*boxes, moving) for contact in self.body_contacts]
        return np.concatenate([np.zeros((0, 2), dtype=np.int64), *near])

    def _look_around(self, x: Array) -> None:
        """Boxes of all bodies at x (V, 3), and which of them are near each other: anew for those that have moved."""
        boxes = body_boxes(self._ranges, x)
        moved = have_moved(*self._boxes, *boxes)
        kept = self.near_at_start[~(moved[self.near_at_start].any(axis=1))]
        near = [contact.near(*boxes, moved) for contact in self.body_contacts]
        self._boxes, self.near_at_start = boxes, np.concatenate([kept, *near])

    def touching(self, q: Array, moving: Bools) -> list[Stencils]:
        """What is within d̂ at q (n, 12), material by material; only of pairs with a moving body."""
        x = self._positions(q, moving)
        return [contact.touching(x, q, moving) for contact in self.body_contacts]

    def count(self, q: Array, moving: Bools) -> int:
        """Number of pairs of primitives within d̂ at q (n, 12), and of vertices within d̂ of a half-plane."""
        touching = sum(len(stencils) for stencils in self.touching(q, moving))
        return touching + self.half_planes.count(self._positions(q, moving))

    def forces(self, q: Array) -> ContactForces:
        """All contacts at the end q (n, 12) of a step; their forces times dt²."""
        x = self.surfaces.positions(q)
        of_bodies = [forces for contact in self.body_contacts for forces in contact.forces(x, q)]
        return ContactForces.join([*of_bodies, self.half_planes.forces(x)])

    def gap_changes(self, q: Array, ahead: Array, moving: Bools) -> Array:
        """The greatest relative change of a gap within d̂ of each body, from q to ahead, (n, 12) each: (n,)."""
        x, then = self._positions(q, moving), self._positions(ahead, moving, 2)
        change = np.zeros(len(q))
        self.half_planes.add_gap_changes(x, then, change)
        for contact in self.body_contacts:
            contact.add_gap_changes(x, q, then, moving, change)
        return change

    def covered(self) -> list[Stencils]:
        """The stencils that `cover` has found, material by material."""
        return [contact.proximity.stencils for contact in self.body_contacts]

    def step_fractions(self, q: Array, ahead: Array, stencils: list[Stencils], labels: Ints, moving: Bools) -> Array:
        """The fraction of its step that each body may take without contact of stencils or half-planes.

        Motion is linear in q, so the answer is exact.

        Args:
            q: Coordinates (n, 12).
            ahead: Where the full step leads, (n, 12).
            stencils: What to look at, material by material.
            labels: The island of each body, (n,): its smallest body.
            moving: Bodies that move, (n,).

        Returns:
            Fractions in [0, 1], (n,), one for all bodies of an island.
        """
        start, end = self._positions(q, moving), self._positions(ahead, moving, 2)
        fractions = np.ones(len(q))
        self.half_planes.lower_fractions(labels, moving, start, end, self._floor, fractions)
        for contact, looked_at in zip(self.body_contacts, stencils, strict=True):
            contact.lower_fractions(looked_at, labels, moving, start, end, self._floor, fractions)
        return fractions[labels]

    def closest(self, q: Array, within: float | None = None) -> tuple[float, tuple[int, ...]]:
        """Smallest distance [m] of surfaces that may touch, and their bodies: one where that is to a half-plane.

        Thick surfaces begin at their thickness. Where nothing is nearer than `within` (default 10 d̂): inf, and none.
        """
        bodies: tuple[int, ...] = ()
        nearest = 10.0 * self.d_hat if within is None else within
        x = self.surfaces.positions(q)
        gap = self.half_planes.minimum_distance(x)
        if gap < nearest:
            nearest, bodies = gap, (self.half_planes.nearest_body(x),)
        for contact in self.body_contacts:
            gap, pair = contact.closest(x, nearest)
            if pair is not None:
                nearest, bodies = gap, pair
        return (nearest, bodies) if bodies else (np.inf, ())

    def _positions(self, q: Array, moving: Bools, copy: int = 1) -> Array:
        """World positions (V, 3) of all vertices in one of two arrays; computed for what has moved in this step.

        Coordinates and masks are not changed once they were given here: the same ones need no second computation.
        """
        if moving is not self._mask:
            self._at = [None, None, None]
            self._awake |= moving
            self._mask = moving
        if q is not self._at[copy]:
            self._at[copy] = None
            self.surfaces.move(q, self._awake, self._x[copy])
            self._at[copy] = q
        return self._x[copy]

    def minimum_distance(self, q: Array, within: float | None = None) -> float:
        """The distance of `closest`."""
        return self.closest(q, within)[0]

    def active_motion(self, q: Array, dq: Array) -> float:
        """Greatest displacement [m] under dq (n, 12) of a vertex that is in contact at q."""
        x, u = self.surfaces.positions(q), self.surfaces.positions(q + dq)
        active = [self.half_planes.active_vertices(x), *(contact.active_vertices(x) for contact in self.body_contacts)]
        vertices = np.unique(np.concatenate(active))
        return float(np.linalg.norm(u[vertices] - x[vertices], axis=1).max(initial=0.0))

    def find_overlap(self, q: Array) -> Overlap | None:
        """Two bodies that no step may begin with at q (n, 12), or a body and a half-plane; None where all is well."""
        x = self.surfaces.positions(q)
        found = self.half_planes.rounded_away(x)
        if found is not None:
            return found
        for i, j in sorted(map(sorted, near_bodies(self._ranges, self.materials.touching, x, 0.0).tolist())):
            if i != j and _intersect(self.surfaces, x, i, j):
                return Overlap(i, j, "", 0.0, gap_floor(x))
        within = gap_floor(x)
        return next(filter(None, (contact.rounded_away(x, within) for contact in self.body_contacts)), None)


def _intersect(surfaces: Surfaces, x: Array, i: int, j: int) -> bool:
    """Whether the surfaces of two bodies intersect at x (V, 3)."""
    number = np.cumsum(np.isin(surfaces.body, (i, j))) - 1
    keep = np.isin(surfaces.body, (i, j))
    edges, faces = (number[part[keep[part[:, 0]]]].astype(np.int32) for part in (surfaces.edges, surfaces.proper_faces))
    x = np.asfortranarray(x[keep])
    mesh = ipctk.CollisionMesh(x, np.asfortranarray(edges), np.asfortranarray(faces))
    mesh.can_collide = ipctk.make_vertex_patches_filter(surfaces.body[keep].astype(np.int32))
    return bool(ipctk.has_intersections(mesh, x))
