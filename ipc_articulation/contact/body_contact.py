"""Contact between bodies: barrier and lagged friction of all pairs of one material.

    E = dt² κ_c Σ B(d², d̂²) + Σ μ λ f₀(|s + u|, ε)

over the stencils nearer than d̂: every vertex with every face, every edge with every edge. `pair_barrier` and
`pair_friction` have the formulas. The functions are those of ipctk and libuipc. They are evaluated here, body by body,
because derivatives by affine coordinates are much smaller arrays than those by vertices.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import pair_barrier, pair_friction
from ipc_articulation.contact.allowed import Allowed
from ipc_articulation.contact.anchors import Patches
from ipc_articulation.contact.broad_phase import find_stencils, near_moving, smallest_distance
from ipc_articulation.contact.forces import ContactForces, barrier_forces, friction_forces
from ipc_articulation.contact.friction_law import FrictionLaw
from ipc_articulation.contact.gap_correction import add_corrections
from ipc_articulation.contact.material_contact import TOGETHER, MaterialContact
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.pair_blocks import add_rows
from ipc_articulation.contact.pair_friction import Friction
from ipc_articulation.contact.part_friction import PartFriction
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.proximity import Proximity
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.stencils import VERTEX_OF_SECOND, Stencils
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.cores import parts_of_sizes, share


class BodyContact(MaterialContact):
    """All pairs of bodies of one material."""

    def __init__(
        self,
        surfaces: Surfaces,
        materials: Materials,
        index: int,
        resistance: Resistance,
        count: int,
        parts: PartFriction | None = None,
    ) -> None:
        """Prepare contact for the material with an index.

        Args:
            surfaces: Surfaces of all bodies.
            materials: All materials.
            index: Of this one.
            resistance: κ_c of its pairs.
            count: Number of the affine bodies; those of soft bodies come after them.
            parts: Friction where it differs within bodies.
        """
        super().__init__(materials, index, resistance)
        has_surface = np.diff(surfaces.first[: count + 1]) > 0
        pairs = (materials.body_pairs == index)[:count, :count] & has_surface & has_surface[:, None]
        self._surfaces, self._allowed, self._parts = surfaces, Allowed.of(pairs), parts
        self.proximity = Proximity(surfaces, self._reach)
        self._near = Proximity(surfaces, self.proximity.reach)  # wherever a distance is asked for
        self._friction: Friction | None = None
        self._apart: Array | float = 0.0  # how far apart the points were on which it acts, now in one place [m]

    def begin_step(self, at: Positions, near: Ints, dt: float) -> Stencils:
        """Begin a step of dt [s] where the bodies are, without friction so far.

        Args:
            at: Where they are.
            near: Pairs of bodies whose boxes are within reach of each other, (k, 2).
            dt: Time step [s].

        Returns:
            The stencils within d̂.
        """
        self.proximity.cover(at, at, near)
        self._dt, self._friction = dt, None
        return self.touching(at.x, self._all)

    def lag_friction(self, touching: Stencils, at: Positions, since: Positions, law: FrictionLaw) -> None:
        """Fix normal forces, tangents and anchors of friction where bodies are, in a step that began at `since`.

        `touching` are the stencils within d̂.
        """
        self._friction = None
        if not (law.acts and len(touching)):
            return
        mu, kappa = self._materials.frictions(touching.bodies), self._stiffness(touching)
        if self._parts is not None:
            mu, kappa = self._parts.frictions(touching), kappa[touching.pair]
        if np.count_nonzero(mu):
            barrier = mu * kappa, self._d_hat, self._thickness
            eps, points = law.length(self._d_hat, self._dt), self._surfaces.points
            self._friction, self._apart = pair_friction.lag(touching, points, at.x, since.q, *barrier, eps), 0.0
            if law.held is not None:
                self._friction, self._apart = pair_friction.anchored_to(self._friction, law.held, law.pairs_of, at.q)

    def touching(self, x: Array, moving: Bools) -> Stencils:
        """The stencils within d̂ at x (V, 3) of pairs with a moving body; pairs without such stencils are left out."""
        return self.within_reach(self.proximity.stencils, x, moving)

    def add_energy(self, x: Array, q: Array, moving: Bools, E: Array) -> None:
        """Add the energy of pairs with a moving body to E (n,), at positions that `proximity` covers."""
        self.add_barriers(self.proximity.stencils, x, moving, E)
        if self._friction is not None:
            pair_friction.add_energy(*self._friction, moving, q, E)

    def add_derivatives(
        self, touching: Stencils, x: Array, q: Array, moving: Bools, projected: Bools, g: Array
    ) -> list[tuple[Ints, Array]]:
        """Add the gradient of pairs with a moving body to g (n, 12); `touching` are their stencils within d̂.

        Returns:
            Pairs of bodies (p, 2) and their Hessian blocks (p, 24, 24), projected for some bodies (n,), else exact.
        """
        blocks = []
        if len(touching):
            blocks.append((touching.bodies, self._add_barriers(touching, x, projected, g)))
        if self._friction is not None:
            blocks.append(pair_friction.add_derivatives(*self._friction, moving, q, g))
        return blocks

    def _add_barriers(self, touching: Stencils, x: Array, projected: Bools, g: Array) -> Array:
        """Add the gradient of barriers to g (n, 12). Returns: the Hessian blocks of their pairs, (P, 24, 24)."""
        bodies, pair, *columns = touching.columns
        kappa, project = self._stiffness(touching), np.logical_or(*projected[bodies].T)
        limits = self._d_hat, self._thickness
        if len(pair) <= TOGETHER:
            return _add_together(*touching.columns, self._surfaces.points, x, kappa, *limits, project, g)

        def differentiate(pairs: slice) -> tuple[Array, Array]:
            some = slice(*np.searchsorted(pair, [pairs.start, pairs.stop]))
            rows = np.arange(2 * (pairs.stop - pairs.start)).reshape(-1, 2)
            own, columns_of_some = np.zeros((rows.size, DOF)), (column[some] for column in columns)
            stencils = rows, pair[some] - pairs.start, *columns_of_some
            points = self._surfaces.points, x, kappa[pairs]
            return pair_barrier.add_derivatives(*stencils, *points, *limits, project[pairs], own), own

        found = share(differentiate, parts_of_sizes(np.bincount(pair, minlength=len(bodies)), TOGETHER))
        add_rows(g, bodies.ravel(), np.concatenate([own for _, own in found]))  # pair by pair, however they are shared
        return np.concatenate([blocks for blocks, _ in found])

    def add_corrections(self, touching: Stencils, x: Array, ahead: Array, loads: Array) -> bool:
        """Add the loads (n, 12) of `gap_correction` for a step from x to ahead, (V, 3). Returns: whether any."""
        barrier = self._stiffness(touching), self._d_hat, self._thickness
        return add_corrections(*touching.columns, self._surfaces.points, x, ahead, *barrier, loads)

    def follow(self, q: Array, ahead: Array, moving: Bools, turned: Bools) -> None:
        """Let friction follow a Newton step from q to ahead, (n, 12) each; some bodies have turned on circles, (n,)."""
        if self._friction is not None:
            pair_friction.follow(*self._friction, moving, q, ahead, turned)

    def patches(self, q: Array) -> list[Patches]:
        """The contact points of friction at the end q (n, 12) of a step."""
        return [] if self._friction is None else [pair_friction.patches(self._friction, q)]

    def forces(self, x: Array, q: Array) -> list[ContactForces]:
        """Forces of barrier and friction at positions that `proximity` covers; times dt²."""
        touching = self.touching(x, self._all)
        barrier = self._stiffness(touching), self._d_hat, self._thickness
        bodies, swapped = touching.bodies[touching.pair], touching.kind == VERTEX_OF_SECOND
        found = [barrier_forces(touching, bodies, swapped, x, *barrier)] if len(touching) else []
        return (
            found
            if self._friction is None
            else [*found, friction_forces(self._friction, q, self._thickness, self._apart)]
        )

    def near(self, low: Array, high: Array, moving: Bools) -> Ints:
        """Pairs of bodies, one of them moving, whose boxes (n, 3) are within reach of each other, (k, 2)."""
        n = len(self._allowed.pairs)
        if n < len(low):
            low, high, moving = low[:n], high[:n], moving[:n]
        return near_moving(low, high, self._allowed, moving, self.proximity.reach)

    def add_friction_changes(self, q: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) to how much of μ λ friction changes from q to ahead, (n, 12) each."""
        if self._friction is not None:
            pair_friction.add_changes(*self._friction, moving, q, ahead, change)

    def closest(self, at: Positions, within: float) -> tuple[float, tuple[int, ...]]:
        """The smallest distance of two surfaces [m] and their bodies; inf and () if no distance is below `within`."""
        limit = within + self._thickness
        reach = self._distance_of_boxes(at, limit)
        while reach < limit:  # of fine meshes there are few pairs within their distance, and very many within the limit
            reach = min(max(2.0 * reach, self.proximity.reach), limit)
            s = self._all_within(at, reach)
            distance, row = pair_barrier.smallest_distance(s.kind, s.vertices, at.x, reach)
            if row >= 0:
                return distance - self._thickness, s.bodies_of(row)
        return np.inf, ()

    def _distance_of_boxes(self, at: Positions, within: float) -> float:
        """Smallest distance [m] of the bounding boxes of two bodies; inf if it is above `within`."""
        n = len(self._allowed.pairs)
        low, high = at.low[:n], at.high[:n]
        pairs = near_moving(low, high, self._allowed, self._all[:n], within)
        return smallest_distance(low, high, pairs) if len(pairs) else np.inf

    def _all_within(self, at: Positions, reach: float) -> Stencils:
        """Stencils that contain all pairs of primitives nearer than a distance [m]."""
        if reach > self._near.reach:
            return find_stencils(self._surfaces, self._allowed, at.q, at.q, reach)
        self._near.cover(at, at, self.near(at.low, at.high, self._all))
        return self._near.stencils


@compiled
def _add_together(bodies, pair, kind, vertices, mollified, points, x, kappa, d_hat, xi, project, g):
    """`BodyContact._add_barriers` on one core, with the same sums; arguments as of `pair_barrier.add_derivatives`."""
    rows, own = np.arange(2 * len(bodies)).reshape(-1, 2), np.zeros((2 * len(bodies), DOF))
    where = rows, pair, kind, vertices, mollified, points, x
    H = pair_barrier.add_derivatives(*where, kappa, d_hat, xi, project, own)
    add_rows(g, bodies.ravel(), own)
    return H
