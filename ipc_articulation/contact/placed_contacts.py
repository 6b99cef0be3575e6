"""Where the bodies are: at the beginning of a step, during it, and at coordinates that are looked at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.broad_phase import have_moved, unmoved
from ipc_articulation.contact.distances import Distances
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.part_friction import PartFriction
from ipc_articulation.contact.planes.half_planes import HalfPlanes
from ipc_articulation.contact.positions import Positions, positions
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.soft.meshes import Meshes
from ipc_articulation.contact.soft.vertex_elements import VertexElements
from ipc_articulation.contact.stencils import NO_STENCILS, Stencils
from ipc_articulation.contact.surfaces import Surfaces

NO_PAIRS = np.zeros((0, 2), dtype=np.int64)


class Start(NamedTuple):
    """The bodies at the beginning of a step, with which the next step compares. Replaced as a whole."""

    q: Array  # (n, 12)
    low: Array  # (n, 3) lower corners of boxes around them [m]
    high: Array  # (n, 3) upper corners [m]
    near: list[Ints]  # material by material, pairs of bodies (k, 2) whose boxes are within reach of each other
    floors: Array  # (n,) smallest gap that steps leave at each body [m]


class Place(NamedTuple):
    """Positions of the bodies during a step. Replaced as a whole."""

    at: Positions
    moving: Bools  # (n,)
    touching: list[Stencils]  # within d̂ there, material by material; only of pairs with a moving body
    awake: Bools  # (n,) bodies that have moved since the step began
    scratch: Positions  # at other coordinates; valid for the bodies that are not awake


class PlacedContacts(Distances):
    """Contacts of bodies that have places."""

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
        """Prepare contact of bodies that are nowhere so far; for the arguments see `Contacts`."""
        super().__init__(surfaces, materials, planes, resistance, meshes, touches, elements, parts)
        n = len(self._all)
        self._paired = ~self._all  # bodies in candidate pairs
        nowhere = np.full((n, 3), np.nan)
        at = positions(self.surfaces, np.zeros((n, DOF)))
        self._start = Start(at.q, nowhere, nowhere, [NO_PAIRS for _ in self.body_contacts], np.zeros(n))
        self._now = Place(at, ~self._all, [NO_STENCILS for _ in self.body_contacts], ~self._all, at.copy())

    @property
    def near_at_start(self) -> Ints:
        """Pairs of bodies whose boxes are within reach of each other at the beginning of the step, (k, 2)."""
        return np.concatenate([NO_PAIRS, *self._start.near])

    def _look_around(self, at: Positions) -> Start:
        """The bodies where they are; only those that have moved since the last step are searched."""
        last, low, high = self._start, at.low.copy(), at.high.copy()
        moved = have_moved(last.low, last.high, low, high)
        moved = moved if self._meshes is None else self._meshes.anyone(moved)
        near = [
            np.concatenate([unmoved(pairs, moved), contact.near(low, high, moved)])
            for contact, pairs in zip(self.body_contacts, last.near, strict=True)
        ]
        return Start(at.q, low, high, near, self._floors(at))

    def _find_paired(self) -> Bools:
        paired = np.zeros(len(self._all), dtype=np.bool_)
        for contact in self.body_contacts:
            paired[contact.proximity.bodies] = True
        return paired

    def place(self, q: Array, moving: Bools) -> None:
        """Place the bodies at coordinates (n, 12) on the motion of `cover` or `begin_step`; some of them move, (n,)."""
        at, last = self._positions(q, moving), self._now
        touching = [contact.touching(at.x, moving) for contact in self.body_contacts]
        self._now = Place(at, moving, touching, last.awake, last.at)

    def ahead(self, q: Array) -> Positions:
        """The positions at other coordinates (n, 12); the next positions overwrite them."""
        return self._positions(q, self._now.moving)

    def placed_ahead(self, q: Array) -> Positions:
        """The positions that were moved to q (n, 12) last."""
        return Positions(q, *self._now.scratch[1:])

    def _positions(self, q: Array, moving: Bools) -> Positions:
        at = Positions(q, *self._now.scratch[1:])
        at.move(self.surfaces, moving, self._now.awake, self._paired)
        return at

    def _move_vertices(self, at: Positions) -> None:
        at.move_vertices(self.surfaces, self._now.awake & self._paired)

    def touching(self) -> list[Stencils]:
        """The stencils within d̂ where the bodies are placed, material by material; only pairs with a moving body."""
        return self._now.touching

    def count(self) -> int:
        """Number of pairs of primitives within d̂ where the bodies are placed, and of vertices near half-planes."""
        x = self.surfaces.positions(self._now.at.q)
        return sum(map(len, self._now.touching)) + len(self.half_planes.active_vertices(x))
