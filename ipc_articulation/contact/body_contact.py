"""Contact between bodies: barrier and lagged friction of all pairs of one material.

    E = dt² κ_c Σ B(d², d̂²) + Σ μ λ f₀(|u_t|, ε dt)

over the stencils nearer than d̂: every vertex with every face, every edge with every edge. `pair_barrier` and
`pair_friction` have the formulas. The functions are ipctk's and libuipc's; they are evaluated here, body by body,
because derivatives by affine coordinates are far smaller than those by vertices.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact import pair_barrier, pair_friction
from ipc_articulation.contact.broad_phase import near_moving
from ipc_articulation.contact.ccd import lower_fractions
from ipc_articulation.contact.forces import ContactForces, barrier_forces, friction_forces
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.pair_friction import Friction
from ipc_articulation.contact.proximity import Proximity
from ipc_articulation.contact.stencils import Stencils, no_stencils
from ipc_articulation.contact.surfaces import Surfaces


class BodyContact:
    """All pairs of bodies that share one material."""

    def __init__(self, surfaces: Surfaces, materials: Materials, index: int) -> None:
        """Contact of the material of an index."""
        self._d_hat, self._thickness = float(materials.d_hat[index]), float(materials.thickness[index])
        self._resistance, self._mu = float(materials.resistance[index]), float(materials.friction[index])
        self._surfaces, self._allowed = surfaces, materials.body_pairs == index
        self.proximity = Proximity(surfaces, self._allowed, self._d_hat + self._thickness)
        self._far: Proximity | None = None
        self._kappa = 0.0  # dt² κ_c
        self._friction: Friction | None = None
        self._asked: tuple[Array | Stencils | Bools, ...] = ()  # what `_within_reach` was last asked, by identity
        self._found = np.zeros(0, dtype=np.int64)  # and what it said

    def begin_step(self, x: Array, q: Array, dt: float, eps_velocity: float, adaptive_resistance: float) -> None:
        """Fix the step's barrier stiffness, and the normal forces and tangents of friction, at q with vertices x."""
        self.proximity.cover(x, x)
        self._kappa = dt * dt * (adaptive_resistance if np.isnan(self._resistance) else self._resistance)
        self._friction = None
        if self._mu > 0.0 and eps_velocity > 0.0 and len(self.proximity.stencils):
            force, eps = self._mu * self._kappa, eps_velocity * dt
            stencils, points = self.proximity.stencils, self._surfaces.points
            self._friction = pair_friction.lag(stencils, points, x, q, force, self._d_hat, self._thickness, eps)

    def add_energy(self, x: Array, q: Array, moving: Bools, E: Array) -> None:
        """Add the energy of pairs with a moving body to E (n,), at positions that `proximity` covers."""
        stencils = self.proximity.stencils
        if len(stencils):
            pair_barrier.add_energy(stencils, moving, x, self._kappa, self._d_hat, self._thickness, E)
        if self._friction is not None:
            pair_friction.add_energy(self._friction, moving, q, E)

    def add_derivatives(self, x: Array, q: Array, moving: Bools, g: Array) -> list[tuple[Ints, Array]]:
        """Add the gradient of pairs with a moving body to g (n, 12).

        Returns:
            Pairs of bodies (p, 2) and their Hessian blocks (p, 24, 24).
        """
        blocks, stencils = [], self.proximity.stencils
        if len(stencils):
            near, points = self._within_reach(x, q, moving), self._surfaces.points
            parameters = self._kappa, self._d_hat, self._thickness
            blocks.append(pair_barrier.add_derivatives(stencils, near, points, x, *parameters, g))
        if self._friction is not None:
            on = _any_moves(self._friction.bodies, moving)
            blocks.append(pair_friction.add_derivatives(self._friction, on, q, g))
        return blocks

    def forces(self, x: Array, q: Array) -> list[ContactForces]:
        """Of barrier and friction at positions that `proximity` covers; times dt²."""
        found, stencils = [], self.proximity.stencils
        if len(stencils):
            parameters = self._kappa, self._d_hat, self._thickness
            found.append(barrier_forces(stencils, self._surfaces.points, x, q, *parameters))
        if self._friction is not None:
            found.append(friction_forces(self._friction, q))
        return found

    def near(self, low: Array, high: Array, moving: Bools) -> Ints:
        """Pairs of bodies, one of them moving, whose boxes (n, 3) are within reach of each other, (k, 2)."""
        return near_moving(low, high, self._allowed, moving, self.proximity.reach)

    def touching(self, x: Array, q: Array, moving: Bools) -> Stencils:
        """The stencils within d̂ at x (V, 3) of pairs with a moving body, and only the pairs that have some."""
        stencils = self.proximity.stencils
        return stencils.rows(self._within_reach(x, q, moving)) if len(stencils) else no_stencils()

    def add_gap_changes(self, x: Array, q: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) to the relative change of gaps within d̂ at x, q, as vertices go to ahead (V, 3)."""
        stencils = self.proximity.stencils
        if len(stencils):
            near = self._within_reach(x, q, moving)
            pair_barrier.add_gap_changes(stencils, near, x, ahead, self._thickness, change)

    def _within_reach(self, x: Array, q: Array, moving: Bools) -> Ints:
        """Rows of the stencils within d̂ at q (n, 12), vertices at x (V, 3), of pairs with a moving body.

        Newton asks twice an iteration; coordinates and masks are not changed once they were given here.
        """
        stencils, asked = self.proximity.stencils, (q, self.proximity.stencils, moving)
        if len(self._asked) != 3 or any(old is not new for old, new in zip(self._asked, asked, strict=True)):
            on = _any_moves(stencils.bodies, moving)
            self._found, self._asked = pair_barrier.in_reach(stencils, on, x, self.proximity.reach), asked
        return self._found

    def lower_fractions(
        self, stencils: Stencils, labels: Ints, moving: Bools, start: Array, end: Array, floor: float, fractions: Array
    ) -> None:
        """Lower the step fractions (n,) of islands so far that stencils do not touch."""
        lower_fractions(stencils, labels, moving, start, end, self._thickness, self._d_hat, floor, fractions)

    def closest(self, x: Array, within: float) -> tuple[float, tuple[int, int] | None]:
        """The smallest distance of two surfaces [m] and their bodies; inf and None where none is below `within`."""
        reach = within + self._thickness
        stencils = self._all_within(x, reach)
        distance, row = pair_barrier.smallest_distance(stencils, x, reach)
        return (np.inf, None) if row < 0 else (distance - self._thickness, stencils.bodies_of(row))

    def rounded_away(self, x: Array, within: float) -> Overlap | None:
        """Two bodies whose gap rounding may hide; none of them is above `within` [m]."""
        stencils = self._all_within(x, within + self._thickness)
        row, gap, least = pair_barrier.rounded_away(stencils, x, self._thickness)
        return None if row < 0 else Overlap(*stencils.bodies_of(row), "", gap, least)

    def _all_within(self, x: Array, reach: float) -> Stencils:
        """Stencils that hold all pairs of primitives nearer than a distance [m] at x (V, 3)."""
        if self._far is None or self._far.reach < reach:
            self._far = Proximity(self._surfaces, self._allowed, reach)
        self._far.cover(x, x)
        return self._far.stencils

    def active_vertices(self, x: Array) -> Ints:
        """Vertices of the stencils within d̂ at x (V, 3): those that a barrier pushes."""
        stencils = self.proximity.stencils
        on = np.ones(len(stencils.bodies), dtype=np.bool_)
        return np.unique(stencils.vertices[pair_barrier.in_reach(stencils, on, x, self._d_hat + self._thickness)])


def _any_moves(bodies: Ints, moving: Bools) -> Bools:
    """Whether one of each pair of bodies (P, 2) moves, (P,)."""
    return moving[bodies[:, 0]] | moving[bodies[:, 1]]
