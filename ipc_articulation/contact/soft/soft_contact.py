"""Contact of soft bodies with each other, with themselves and with affine bodies: all pairs of one material.

The energies are those of `body_contact`, by vertices. A stencil counts as one of the two rows that stand for its sides
(see `soft_proximity`): they choose its resistance, and its energy is added to one of them.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact import foresight, pair_barrier
from ipc_articulation.contact.derivatives import VertexBlocks
from ipc_articulation.contact.forces import ContactForces, barrier_forces
from ipc_articulation.contact.foresight import NOTHING_FORESEEN, Foreseen
from ipc_articulation.contact.friction_law import FrictionLaw
from ipc_articulation.contact.material_contact import TOGETHER, MaterialContact
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.soft import vertex_barrier, vertex_friction
from ipc_articulation.contact.soft.meshes import Meshes, near_meshes
from ipc_articulation.contact.soft.soft_proximity import SoftProximity
from ipc_articulation.contact.soft.vertex_elements import VertexElements
from ipc_articulation.contact.soft.vertex_forces import friction_forces, sides
from ipc_articulation.contact.soft.vertex_friction import VertexFriction
from ipc_articulation.contact.soft.vertex_rows import add_gradients
from ipc_articulation.contact.soft.vertex_springs import Stretched, anchored_to, springs_of
from ipc_articulation.contact.springs import NO_SPRINGS, Springs
from ipc_articulation.contact.stencils import Stencils
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.cores import parts, share


class SoftContact(MaterialContact):
    """All pairs of meshes of one material of which one is soft; the methods are those of `BodyContact`."""

    def __init__(
        self,
        surfaces: Surfaces,
        meshes: Meshes,
        materials: Materials,
        index: int,
        resistance: Resistance,
        elements: VertexElements | None = None,
    ) -> None:
        """Prepare contact for the material with an index.

        Args:
            surfaces: Surfaces of all bodies.
            meshes: Their meshes.
            materials: All materials.
            index: Of this one.
            resistance: κ_c of its pairs.
            elements: Of the vertices, where they differ within bodies: they choose μ then, and κ_c where soft ones do.
        """
        super().__init__(materials, index, resistance)
        self._surfaces, self._meshes = surfaces, meshes
        self._allowed = materials.body_pairs == index
        self._allowed[: meshes.affine, : meshes.affine] = False
        self._elements = elements
        self.proximity = SoftProximity(surfaces, meshes, self._reach, elements)
        self._friction: VertexFriction | None = None
        self._stretched: Stretched | None = None
        self._foreseen = NOTHING_FORESEEN
        self._slopes = np.zeros((0, 2))  # of the barriers and their forces, see `foresight.slopes`

    def begin_step(self, at: Positions, near: Ints, dt: float) -> Stencils:
        """Begin a step of dt [s], without friction so far; returns the stencils within d̂."""
        self.proximity.cover(at, at, near)
        self._dt, self._friction, self._stretched = dt, None, None
        return self.touching(at.x, self._all)

    def lag_friction(self, touching: Stencils, at: Positions, since: Positions, law: FrictionLaw) -> None:
        """Fix normal forces, tangents and springs of friction where bodies are, in a step that began at `since`.

        A minimisation follows, in which nothing is foreseen so far.

        `touching` are the stencils within d̂.
        """
        self._friction, self._stretched, self._foreseen = None, None, NOTHING_FORESEEN
        if not (law.acts and len(touching)):
            return
        elements = self._elements
        mu = self._materials.frictions(touching.bodies) if elements is None else elements.frictions(touching)
        if np.count_nonzero(mu):
            barrier = mu * self._stiffness(touching), self._d_hat, self._thickness
            vertices = self._surfaces.body, self._surfaces.points, at.x, since.x
            self._friction = vertex_friction.lag(
                touching, *vertices, *barrier, law.length(self._d_hat, self._dt, is_soft=True)
            )
            if law.held is not None:
                given = law.springs, self._meshes, at, since
                self._friction, self._stretched = anchored_to(self._friction, *given)

    def _stiffness(self, stencils: Stencils) -> Array:
        if self._elements is None or not (self._elements.choose_resistance and len(stencils)):
            return super()._stiffness(stencils)
        return self._dt**2 * self._elements.resistances(stencils)

    def touching(self, x: Array, moving: Bools) -> Stencils:
        """The stencils within d̂ at x (V, 3) of pairs with a moving row; pairs without such stencils are left out."""
        return self.within_reach(self.proximity.stencils, x, moving)

    def add_energy(self, x: Array, q: Array, moving: Bools, E: Array) -> None:
        """Add the energy of pairs with a moving row to E (n,), at positions that `proximity` covers."""
        self.add_barriers(self.proximity.stencils, x, moving, E)
        if self._friction is not None:
            vertex_friction.add_energy(*self._friction, moving, q, E)

    def add_derivatives(
        self, touching: Stencils, x: Array, q: Array, moving: Bools, projected: Bools, g: Array
    ) -> list[VertexBlocks]:
        """Add the gradient of pairs with a moving row to g (n, 12); `touching` are their stencils within d̂.

        Returns:
            Their Hessians by vertices, projected where a row is, (n,), or as far as possible exact.
        """
        blocks: list[VertexBlocks] = []
        if len(touching):
            g_v, H = self._differentiate(touching, x, projected)
            blocks.append(_by_points(touching.vertices, self._surfaces.body, self._surfaces.points, g_v, H, g))
        if self._friction is not None:
            friction = self._friction
            g_v, H = vertex_friction.derivatives(*friction, moving, q)
            blocks.append(_by_points(friction.vertices, friction.body, friction.points, g_v, H, g))
        return blocks

    def _differentiate(self, touching: Stencils, x: Array, projected: Bools) -> tuple[Array, Array]:
        kappa, columns = self._stiffness(touching), touching.columns[1:]
        project, limits = projected[touching.bodies].any(axis=1), (self._d_hat, self._thickness)
        slopes = foresight.slopes(touching.kind, touching.vertices, x, *limits, *self._foreseen)
        self._slopes = slopes

        def differentiate(some: slice) -> tuple[Array, Array]:
            own = (column[some] for column in columns)
            return vertex_barrier.derivatives(*own, x, kappa, *limits, project, slopes[some])

        found = share(differentiate, parts(len(touching), TOGETHER))
        return np.concatenate([g for g, _ in found]), np.concatenate([H for _, H in found])

    def foresee(self, touching: Stencils, x: Array, ahead: Array) -> None:
        """Foresee the forces of stencils within d̂ at x for a Newton step to ahead, (V, 3) each."""
        self._foreseen = Foreseen(*foresight.foresee(touching.kind, touching.vertices, x, ahead, self._slopes))

    def follow(self, q: Array, ahead: Array, moving: Bools, turned: Bools) -> None:
        """Let friction follow a Newton step from q to ahead, (n, 12) each; some bodies have turned on circles, (n,)."""
        if self._friction is not None:
            vertex_friction.follow(*self._friction, moving, q, ahead, turned)

    def springs(self, x: Array, q: Array) -> Springs:
        """What friction remembers at the end q (n, 12) of the step, with vertices at x (V, 3)."""
        if self._friction is None or self._stretched is None:
            return NO_SPRINGS
        return springs_of(self._friction, self._stretched, x, q)

    def forces(self, x: Array, q: Array) -> list[ContactForces]:
        """Forces of barrier and friction at positions that `proximity` covers; times dt²."""
        touching, body = self.touching(x, self._all), self._surfaces.body
        barrier = self._stiffness(touching), self._d_hat, self._thickness
        bodies, swapped = sides(touching.kind, touching.vertices, body), np.zeros(len(touching), dtype=np.bool_)
        found = [barrier_forces(touching, bodies, swapped, x, *barrier)] if len(touching) else []
        if self._friction is None:
            return found
        apart = 0.0 if self._stretched is None else self._stretched.apart
        return [*found, friction_forces(self._friction, q, self._thickness, apart)]

    def near(self, low: Array, high: Array, moving: Bools) -> Ints:
        """Rows (k, 2) that stand for pairs of meshes, one of them moving, whose boxes are within reach of each other.

        Args:
            low: Lower corners of boxes around rows, (n, 3) [m].
            high: Upper corners.
            moving: (n,).
        """
        m = self._meshes
        pairs = near_meshes(*m.boxes(low, high), self._allowed, m.anyone(moving)[m.first_row[:-1]], self._reach)
        return m.representative[pairs]

    def add_friction_changes(self, q: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) to how much of μ λ friction changes from q to ahead, (n, 12) each."""
        if self._friction is not None:
            vertex_friction.add_changes(*self._friction, moving, q, ahead, change)

    def closest(self, at: Positions, within: float) -> tuple[float, tuple[int, ...]]:
        """The smallest distance of two surfaces [m] and their rows; inf and () if no distance is below `within`."""
        limit = within + self._thickness
        reach = 0.0
        while reach < limit:
            reach = min(max(2.0 * reach, self.proximity.reach), limit)
            s = self._all_within(at, reach)
            distance, row = pair_barrier.smallest_distance(s.kind, s.vertices, at.x, reach)
            if row >= 0:
                return distance - self._thickness, s.bodies_of(row)
        return np.inf, ()

    def _all_within(self, at: Positions, reach: float) -> Stencils:
        """Stencils that contain all pairs of primitives nearer than a distance [m]."""
        found = SoftProximity(self._surfaces, self._meshes, reach, self._elements)
        m = self._meshes
        moving = np.ones(len(m.first_row) - 1, dtype=np.bool_)
        found.cover(at, at, m.representative[near_meshes(*m.boxes(at.low, at.high), self._allowed, moving, reach)])
        return found.stencils


def _by_points(vertices: Ints, body: Ints, points: Array, g_v: Array, H: Array, g: Array) -> VertexBlocks:
    """Hessians (k, 12, 12) by the points of stencils (k, 4); adds their gradients (k, 12) to g (n, 12)."""
    add_gradients(vertices, g_v, body, points, g)
    return VertexBlocks(body[vertices], points[vertices], H)
