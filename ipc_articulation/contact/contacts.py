"""The contacts of a scene, material by material, and the pairs that are in contact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.body_contact import BodyContact
from ipc_articulation.contact.ccd import gap_floors
from ipc_articulation.contact.materials import NO_CONTACT, Materials
from ipc_articulation.contact.part_friction import PartFriction
from ipc_articulation.contact.planes.half_plane_contact import HalfPlaneContact
from ipc_articulation.contact.planes.half_planes import HalfPlanes
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.soft.meshes import Meshes
from ipc_articulation.contact.soft.soft_contact import SoftContact
from ipc_articulation.contact.soft.vertex_elements import VertexElements
from ipc_articulation.contact.stencils import Stencils
from ipc_articulation.contact.surfaces import Surfaces


class Contacts:
    """Contact of n bodies with half-planes, of affine ones with each other, and of soft ones with all."""

    def __init__(
        self,
        surfaces: Surfaces,
        materials: Materials,
        planes: HalfPlanes,
        resistance: Resistance,
        meshes: Meshes | None = None,
        touches: Bools | None = None,
        elements: VertexElements | None = None,
        parts: PartFriction | None = None,
    ) -> None:
        """Prepare contact, material by material.

        Args:
            surfaces: Surfaces of the n bodies.
            materials: The contact models of all pairs.
            planes: The half-planes.
            resistance: κ_c of all pairs.
            meshes: Those of soft bodies, and of the affine ones beside them; None if there are no soft bodies.
            touches: Bodies whose vertices may touch half-planes, (n,); None: all.
            elements: Contact elements of vertices; None where each soft body, and each affine one beside it, has one.
            parts: Friction of affine bodies with several contact elements; None where each has one.
        """
        self._elements, self.parts = elements, parts
        self.surfaces, self.materials, self._meshes = surfaces, materials, meshes
        n, affine = len(materials.group), len(materials.group) if meshes is None else meshes.affine
        touches = np.ones(n, dtype=np.bool_) if touches is None else touches
        self.half_planes = HalfPlaneContact(surfaces, planes, materials, resistance, touches, affine, parts)
        self.resistance = resistance
        self._affine_contacts = [
            BodyContact(surfaces, materials, m, resistance, affine, parts)
            for m in _materials_of(materials.body_pairs[:affine, :affine])
            if len(surfaces.points)
        ]
        self._soft_contacts = [
            SoftContact(surfaces, meshes, materials, m, resistance, elements)
            for m in _materials_of(materials.body_pairs[affine:])
            if meshes is not None
        ]
        self.body_contacts: list[BodyContact | SoftContact] = [*self._affine_contacts, *self._soft_contacts]
        self._all = np.ones(n, dtype=np.bool_)

    def set_frictions(self, pairs: Ints, elements: Ints, frictions: Array) -> None:
        """Give pairs of bodies, or of a body and a half-plane, other coefficients of friction.

        Args:
            pairs: Their numbers, (k, 2); half-planes count after all bodies.
            elements: Of each side the contact element to which they apply, or ALL, (k, 2).
            frictions: μ of each pair, (k,).
        """
        friction, count = self.materials.friction, len(self.materials.friction)
        for first, second in (pairs.T, pairs.T[::-1]):
            is_body = first < count
            friction[first[is_body], second[is_body]] = frictions[is_body]
        if self.parts is not None:
            for (a, b), (of_a, of_b), mu in zip(pairs.tolist(), elements.tolist(), frictions.tolist(), strict=True):
                self.parts.set((a, of_a), (b, of_b), mu, count)
        self.half_planes.follow_friction()

    @property
    def d_hat(self) -> float:
        """Largest d̂ of all materials [m]."""
        return float(self.materials.d_hat.max(initial=0.0))

    @property
    def _contacts(self) -> list[HalfPlaneContact | BodyContact | SoftContact]:
        return [self.half_planes, *self.body_contacts]

    @property
    def may_touch(self) -> bool:
        """Whether any two surfaces may touch at all."""
        return bool(self.body_contacts) or self.half_planes.may_touch

    def _floors(self, at: Positions) -> Array:
        """The smallest gap that steps leave at each body, (n,) [m]; the same at all rows of a soft body."""
        floors = gap_floors(at.low, at.high)
        return floors if self._meshes is None else self._meshes.largest(floors)

    def _split(
        self, touching: list[Stencils]
    ) -> tuple[Iterable[tuple[BodyContact, Stencils]], Iterable[tuple[SoftContact, Stencils]]]:
        """Stencils, material by material, with their contacts between affine bodies, and with those of soft bodies."""
        count = len(self._affine_contacts)
        of_affine = zip(self._affine_contacts, touching[:count], strict=True)
        return of_affine, zip(self._soft_contacts, touching[count:], strict=True)

    def _in_contact(
        self, at: Positions, touching: list[Stencils], motions: Sequence[Array]
    ) -> tuple[Ints, Array, Array]:
        """Pairs in contact (P, 2), smallest gaps (P,) and their changes (2, P) by the last two steps' motions, in m.

        Half-plane p counts as the body n + p.
        """
        of_planes, gaps, near = self.half_planes.in_contact(at.q, self._all)
        pairs = np.concatenate([of_planes, *(stencils.bodies for stencils in touching)])
        gaps = self._gaps(gaps, at.x, touching)
        changes, on_planes = np.empty((2, len(gaps))), np.zeros_like(self._all)
        on_planes[of_planes[:, 0]] = True
        for change, motion in zip(changes, motions if len(gaps) else (), strict=False):
            q = at.q - motion
            before = self.half_planes.smallest_gaps(q, on_planes, np.inf)[near]
            change[:] = gaps - self._gaps(before, self.surfaces.positions(q), touching)
        return pairs, gaps, changes

    def _pushes(self, at: Positions, touching: list[Stencils]) -> Array:
        """Σ |B'(d)| of pairs in contact as of `_in_contact`, (P,) [m³]."""
        near = self.half_planes.in_contact(at.q, self._all)[2]
        of_bodies = zip(self.body_contacts, touching, strict=True)
        each = [contact.pushes(stencils, at.x) for contact, stencils in of_bodies]
        return np.concatenate([self.half_planes.pushes(at.x)[near], *each])

    def _gaps(self, of_planes: Array, x: Array, touching: list[Stencils]) -> Array:
        """The smallest gaps of half-planes and of stencils at x (V, 3), pair by pair, (P,) [m]."""
        of_bodies = zip(self.body_contacts, touching, strict=True)
        return np.concatenate([of_planes, *(contact.smallest_gaps(stencils, x) for contact, stencils in of_bodies)])


def _materials_of(pairs: Ints) -> Ints:
    """The materials among some pairs of bodies."""
    found = np.unique(pairs)
    return found[found != NO_CONTACT]
