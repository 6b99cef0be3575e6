"""What contact of one material is, whatever bodies touch: stencils, their gaps and barriers, collision detection."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import ccd, pair_barrier
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.stencils import NO_STENCILS, Stencils, pairs_of

TOGETHER = 256  # stencils whose derivatives one core computes


class MaterialContact(ABC):
    """All pairs of one material that a subclass finds."""

    def __init__(self, materials: Materials, index: int, resistance: Resistance) -> None:
        """Take the material with an index; `resistance` has κ_c of its pairs."""
        self._d_hat, self._thickness = float(materials.d_hat[index]), float(materials.thickness[index])
        self._resistance, self._materials = resistance, materials
        self._all = np.ones(len(materials.group), dtype=np.bool_)
        self._dt = 0.0  # [s]

    @property
    def _reach(self) -> float:
        """Distance of surfaces below which they have forces [m]."""
        return self._d_hat + self._thickness

    def _stiffness(self, stencils: Stencils) -> Array:
        """κ = dt² κ_c of the pairs of some stencils, (P,)."""
        return self._dt**2 * self._resistance.of(stencils.bodies)

    def smallest_gaps(self, touching: Stencils, x: Array) -> Array:
        """The smallest gap (P,) [m] of the pairs of some stencils at x (V, 3)."""
        return pair_barrier.smallest_gaps(*touching.columns[:4], x, self._thickness)

    def pushes(self, touching: Stencils, x: Array) -> Array:
        """Σ |B'(d)| (P,) [m³] of the pairs of some stencils at x (V, 3)."""
        return pair_barrier.pushes(*touching.columns, x, self._d_hat, self._thickness)

    @abstractmethod
    def closest(self, at: Positions, within: float) -> tuple[float, tuple[int, ...]]:
        """The smallest distance of two surfaces [m] and their bodies; inf and () if no distance is below `within`."""

    @abstractmethod
    def _all_within(self, at: Positions, reach: float) -> Stencils:
        """Stencils that contain all pairs of primitives nearer than a distance [m]."""

    def rounded_away(self, at: Positions, within: float) -> Overlap | None:
        """Two bodies whose gap is below rounding errors, or None; only gaps up to `within` [m] are checked."""
        s = self._all_within(at, within + self._thickness)
        row, gap, least = pair_barrier.rounded_away(s.kind, s.vertices, at.x, self._thickness)
        if row < 0:
            return None
        wanted = max(self._d_hat, least)
        return Overlap(*s.bodies_of(row), "", gap, wanted, s.primitives_of(row), self._thickness)

    def within_reach(self, stencils: Stencils, x: Array, moving: Bools) -> Stencils:
        """Those of some stencils within d̂ at x (V, 3) that have a moving body, and only their pairs of bodies."""
        if not len(stencils):
            return NO_STENCILS
        return Stencils(*_stencils_in_reach(*stencils.columns, moving, x, self._reach))

    def add_barriers(self, stencils: Stencils, x: Array, moving: Bools, E: Array) -> None:
        """Add the energy of barriers with a moving body to E (n,), with vertices at x (V, 3)."""
        if len(stencils):
            kappa = self._stiffness(stencils)
            pair_barrier.add_energy(*stencils.columns, moving, x, kappa, self._d_hat, self._thickness, E)

    def add_gap_changes(self, stencils: Stencils, x: Array, ahead: Array, moving: Bools, change: Array) -> None:
        """Raise `change` (n,) to the relative change of gaps for a motion of vertices from x to ahead, (V, 3) each."""
        if len(stencils):
            limits = self._d_hat, self._thickness
            pair_barrier.add_gap_changes(*stencils.columns[:4], x, ahead, *limits, moving, change)

    def lower_fractions(
        self, stencils: Stencils, labels: Ints, moving: Bools, start: Array, end: Array, floors: Array, fractions: Array
    ) -> None:
        """Lower the step fractions (n,) of islands so that stencils do not touch."""
        if len(stencils):
            limits = self._thickness, self._d_hat, floors
            ccd.lower_fractions(*stencils.columns[:4], labels, moving, start, end, *limits, fractions)


@compiled
def _stencils_in_reach(bodies, pair, kind, vertices, mollified, moving, x, reach):
    """The columns of the stencils of `MaterialContact.within_reach`."""
    rows = pair_barrier.in_reach(bodies, pair, kind, vertices, moving, x, reach)
    of, among = pairs_of(pair, rows, len(bodies))
    return bodies[of], among, kind[rows], vertices[rows], mollified[rows]
