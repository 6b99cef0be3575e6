"""What may touch in a scene: surfaces, half-planes, and the contact models of all pairs; read once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.materials import NO_CONTACT, Materials
from ipc_articulation.contact.meshes import Meshes
from ipc_articulation.contact.part_friction import PartFriction
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.vertex_elements import VertexElements


@dataclass(frozen=True)
class HalfPlanes:
    """P half-planes, with the free space n·(x - p) > 0."""

    names: tuple[str, ...]
    point: Array  # (P, 3) [m]
    normal: Array  # (P, 3) unit


@dataclass(frozen=True)
class ContactWorld:
    """Contact of n rows of coordinates. Masses and friction may change between steps."""

    surfaces: Surfaces
    materials: Materials  # the contact models of all pairs
    planes: HalfPlanes
    mass: Array  # (n + P,) [kg], inf for what never moves
    gravity: float  # the greatest of any body [m/s²]
    meshes: Meshes | None  # of soft bodies, and of the affine ones beside them; None if there are no soft bodies
    touches: Bools  # (n,) rows whose vertices may touch half-planes
    elements: VertexElements | None  # None where each soft body, and each affine one beside it, has one
    parts: PartFriction | None  # friction of affine bodies with several contact elements; None where each has one

    @property
    def mesh(self) -> Surfaces | Meshes:
        """Edges, faces and trees of all bodies."""
        return self.surfaces if self.meshes is None else self.meshes

    @property
    def may_touch(self) -> bool:
        """Whether any two surfaces may touch at all."""
        of_planes, has_points = (
            self.materials.plane_pairs[self.materials.group] != NO_CONTACT,
            np.diff(self.surfaces.first) > 0,
        )
        of_bodies = self.materials.touching.any() and has_points.any()
        return bool(of_bodies or (of_planes & (self.touches & has_points)[:, None]).any())

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
