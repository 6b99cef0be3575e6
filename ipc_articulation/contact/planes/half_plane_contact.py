"""Contact of every vertex with every half-plane that its body may touch."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.anchors import Patches
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.friction_law import FrictionLaw
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.part_friction import PartFriction
from ipc_articulation.contact.planes import energy, gaps, motion, nearest, slips
from ipc_articulation.contact.planes.forces import contact_forces, normal_forces
from ipc_articulation.contact.planes.friction import PlaneStep, anchors_of, patches_of
from ipc_articulation.contact.planes.half_planes import HalfPlanes, find_pairs
from ipc_articulation.contact.planes.pairs import rows_of
from ipc_articulation.contact.planes.springs import read, springs_of
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.springs import NO_SPRINGS, Springs
from ipc_articulation.contact.surfaces import Surfaces


class HalfPlaneContact:
    """Barrier and friction of every vertex with every half-plane that its body may touch.

    Bodies whose local boxes are beyond the reach of a plane are left out of all loops over vertices.
    """

    def __init__(
        self,
        surfaces: Surfaces,
        planes: HalfPlanes,
        materials: Materials,
        resistance: Resistance,
        touches: Bools,
        affine: int,
        parts: PartFriction | None = None,
    ) -> None:
        """Find the pairs of bodies and planes that may touch.

        Args:
            surfaces: Surfaces of the n bodies.
            planes: The half-planes.
            materials: The contact models of all pairs.
            resistance: κ_c of all pairs.
            touches: Bodies whose vertices may touch anything, (n,).
            affine: Number of affine bodies, the first ones.
            parts: Friction where it differs within bodies.
        """
        self._pairs, self._plane = find_pairs(surfaces, planes, materials, touches)
        body, count = self._pairs.body, len(surfaces.first) - 1
        self.planes, self._resistance, self._materials = planes, resistance, materials
        self._parts = parts
        self.follow_friction()
        self.bodies = np.stack([body, count + self._plane], axis=1)
        self.columns = tuple(self._pairs)  # numba takes a plain tuple faster
        self.may_touch, self._is_affine = len(body) > 0, body < affine
        self._has_soft = not self._is_affine.all()
        rows, none = np.zeros(self._pairs.first_row[-1]), np.zeros(len(body))
        self._dual = np.zeros((len(rows), 3))
        self._no_anchor = np.zeros((len(rows), 3))
        anchors = np.zeros((0, 3)), self._no_anchor
        self._step = PlaneStep(none, rows, none > 0.0, self._dual, *anchors, none, rows.copy())

    def lag_friction(self, x: Array, since: Array, dt: float, law: FrictionLaw) -> None:
        """Fix normal forces at x (V, 3), and anchors of friction, in a step of dt [s] that began at `since` (V, 3)."""
        if self.may_touch:
            stiffness = dt * dt * self._resistance.of(self.bodies)
            friction = self._friction if law.acts else np.zeros_like(self._friction)
            force, rubs = normal_forces(self.columns, stiffness, friction, x, self._dual)
            if self._parts is not None:
                force *= self._of_rows
                rubs = np.logical_or.reduceat(force > 0.0, self._pairs.first_row[:-1])
            self._square, eps = dt * dt, law.lengths(self.d_hat, dt, ~self._is_affine)
            nothing = np.full(len(force), np.nan)
            self._step = PlaneStep(stiffness, force, rubs, self._dual, since, self._no_anchor, eps, nothing)
            if law.held is not None:
                given = tuple(self._step), self.bodies, self._is_affine, *law.held, law.pairs_of
                anchor = anchors_of(self.columns, *given, x)
                if self._has_soft:
                    read(self.columns, tuple(self._step), self._plane, self._is_affine, *law.springs, x, anchor)
                self._step = self._step._replace(anchor=anchor)

    def patches(self, q: Array) -> list[Patches]:
        """The contact points of friction of affine bodies at the end q (n, 12) of a step."""
        if not np.count_nonzero(self._step.rubs & self._is_affine):
            return []
        return [Patches(*patches_of(self.columns, tuple(self._step), self.bodies, self._is_affine, q))]

    def springs(self, x: Array) -> Springs:
        """What friction of soft bodies remembers at the end of a step, with vertices at x (V, 3)."""
        if not np.count_nonzero(self._step.rubs & ~self._is_affine):
            return NO_SPRINGS
        return Springs(*springs_of(self.columns, tuple(self._step), self._plane, self._is_affine, x))

    @property
    def d_hat(self) -> Array:
        """Of each pair, (k,) [m]."""
        return self._pairs.d_hat

    def follow_friction(self) -> None:
        """Use the coefficients of friction as they are now."""
        self._friction = self._materials.plane_frictions(self._pairs.body, self._plane)
        if self._parts is not None:
            pair, vertex = rows_of(self._pairs)
            self._friction, self._of_rows = (
                np.ones(len(self._plane)),
                self._parts.plane_frictions(vertex, self._plane[pair]),
            )

    def follow_resistance(self) -> None:
        """Use the resistances as they are now."""
        if self.may_touch:
            self._step = self._step._replace(stiffness=self._square * self._resistance.of(self.bodies))

    def smallest_gaps(self, q: Array, moving: Bools, within: float = 2.0) -> Array:
        """The smallest gap (k,) [m] of each pair whose body moves, at q (n, 12); inf for others.

        Also where the body's box is farther away than `within`, in units of d̂.
        """
        return gaps.smallest_gaps(self.columns, q, moving, within)

    def in_contact(self, q: Array, moving: Bools) -> tuple[Ints, Array, Bools]:
        """The pairs within d̂ whose bodies move, at q (n, 12), (P, 2); their smallest gaps (P,), and a mask (k,)."""
        return gaps.in_contact(self.columns, self.bodies, q, moving)

    def pushes(self, x: Array) -> Array:
        """Σ |B'(d)| (k,) [m³] of each pair at x (V, 3)."""
        return gaps.pushes(self.columns, x)

    def add_energy(self, q: Array, moving: Bools, E: Array) -> None:
        """Add the energy of each moving body at q (n, 12) to E (n,); inf if a vertex is behind its plane."""
        if self.may_touch:
            energy.add_energy(self.columns, tuple(self._step), q, moving, E)

    def add_derivatives(self, q: Array, moving: Bools, g: Array, H: Array) -> None:
        """Add to the gradient g (n, 12) and the Hessian blocks H (n, 12, 12) of moving bodies at q (n, 12)."""
        if self.may_touch:
            energy.add_derivatives(self.columns, tuple(self._step), q, moving, g, H)

    def foresee(self, q: Array, ahead: Array, moving: Bools) -> None:
        """Foresee the forces of moving bodies' barriers for a Newton step from q to ahead, (n, 12) each."""
        if self.may_touch:
            energy.foresee(self.columns, tuple(self._step), q, ahead, moving)

    def follow(self, q: Array, ahead: Array, moving: Bools, turned: Bools) -> None:
        """Let friction follow a Newton step from q to ahead, (n, 12) each; some bodies have turned on circles, (n,)."""
        if self.may_touch:
            slips.follow(self.columns, tuple(self._step), q, ahead, moving, turned)

    def forces(self, x: Array) -> ContactForces:
        """Forces on vertices within d̂ of a plane at x (V, 3), or in touch when the step began; times dt²."""
        return contact_forces(self._pairs, self._step, self.bodies, self._gaps(x), x)

    def lower_fractions(
        self, labels: Ints, moving: Bools, start: Array, end: Array, floors: Array, fractions: Array
    ) -> None:
        """Lower the step fractions (n,) of islands from q = start to end, (n, 12) each; every gap stays positive."""
        if self.may_touch:
            motion.lower_fractions(self.columns, start, end, floors, labels, moving, fractions)

    def add_gap_changes(self, q: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) of moving bodies to the relative change of gaps within d̂ from q to ahead, (n, 12)."""
        if self.may_touch:
            motion.add_gap_changes(self.columns, q, ahead, moving, change)

    def add_friction_changes(self, q: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) to how much of μ λ friction changes from q to ahead, (n, 12) each."""
        if self.may_touch:
            slips.add_friction_changes(self.columns, tuple(self._step), q, ahead, moving, change)

    def active_vertices(self, x: Array) -> Ints:
        """Vertices within d̂ of a plane at x (V, 3), once for each plane."""
        pair, vertex = rows_of(self._pairs)
        return vertex[self._gaps(x) < self._pairs.d_hat[pair]]

    def closest(self, at: Positions, within: float) -> tuple[float, tuple[int, ...]]:
        """The smallest gap [m] and its body; inf and () if no gap is below `within`."""
        if not self.may_touch:
            return np.inf, ()
        return nearest.closest(self._pairs, self._gaps(at.x), within)

    def rounded_away(self, x: Array) -> Overlap | None:
        """The body and half-plane with the smallest gap at x (V, 3), if it is below rounding errors; else None."""
        if not self.may_touch:
            return None
        return nearest.rounded_away(self._pairs, self.planes.names, self._plane, self._gaps(x), x)

    def _gaps(self, x: Array) -> Array:
        return gaps.gaps(self.columns, x)
