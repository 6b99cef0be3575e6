"""Contact between bodies, through ipctk: barrier and lagged friction of all pairs of one material.

    E = dt² κ_c Σ B(d², d̂²) + Σ μ λ f₀(|u_t|, ε dt)

with B(D, D̂) = -(D - D̂)² ln(D/D̂) over the pairs nearer than d̂, u_t the tangential displacement since the beginning of
the step, λ = -∂(dt² κ_c B)/∂d and the tangent basis those of the beginning of the step (Li et al. 2020, «Incremental
potential contact», and libuipc's contact functions). Thick surfaces (ξ the sum of both radii) have D - ξ² for D and
d̂² + 2 d̂ ξ for D̂ (Li et al. 2021, «Codimensional incremental potential contact»).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import ipctk
import numpy as np
from numpy.typing import NDArray

from ipc_articulation.contact.ccd import step_limit
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.proximity import Proximity
from ipc_articulation.contact.surfaces import Surfaces

Array = NDArray[np.float64]

_SHORT = 0.5  # share of a way below which pairs are looked for anew, on what is left of it: energies need far fewer
_PROJECT = ipctk.PSDProjectionMethod.CLAMP


class LaggedFriction(NamedTuple):
    """Friction of one step: normal forces and tangents are those of its beginning."""

    collisions: Any  # ipctk.TangentialCollisions
    potential: Any  # ipctk.FrictionPotential of displacements
    x_prev: Array  # (V, 3) positions at the beginning of the step [m]


class BodyContact:
    """All pairs of bodies that share one material."""

    def __init__(self, surfaces: Surfaces, materials: Materials, index: int) -> None:
        """Contact of the material of an index."""
        self._d_hat, self._thickness = float(materials.d_hat[index]), float(materials.thickness[index])
        self._resistance, self._mu = float(materials.resistance[index]), float(materials.friction[index])
        self._surfaces, self._allowed = surfaces, materials.body_pairs == index
        self.proximity = Proximity(surfaces, self._allowed, self._d_hat + self._thickness)
        self._mesh = self.proximity.mesh
        self._far: Proximity | None = None
        self._barrier: Any = None
        self._friction: LaggedFriction | None = None

    @property
    def is_adaptive(self) -> bool:
        """Whether the resistance is left to `begin_step`."""
        return bool(np.isnan(self._resistance))

    def begin_step(self, x: Array, dt: float, eps_velocity: float, adaptive_resistance: float) -> None:
        """Fix the step's barrier stiffness, and the normal forces and tangents of friction, at x (V, 3)."""
        self.proximity.cover(x, x)
        resistance = adaptive_resistance if self.is_adaptive else self._resistance
        self._barrier = ipctk.BarrierPotential(self._d_hat, resistance * dt * dt)
        self._friction = None
        collisions = self._collisions(x) if self._mu > 0.0 and eps_velocity > 0.0 else None
        if collisions is not None:
            tangential = ipctk.TangentialCollisions()
            tangential.build(self._mesh, x, collisions, self._barrier, self._mu)
            self._friction = LaggedFriction(tangential, ipctk.FrictionPotential(eps_velocity * dt), x)

    def energy(self, x: Array) -> float:
        """E at positions that `proximity` covers."""
        E, collisions, friction = 0.0, self._collisions(x), self._friction
        if collisions is not None:
            E += self._barrier(collisions, self._mesh, x)
        if friction is not None:
            E += friction.potential(friction.collisions, self._mesh, x - friction.x_prev)
        return E

    def derivatives(self, x: Array) -> tuple[list[Array], list[Any], int]:
        """Gradients (3V,) and projected csc Hessians (3V, 3V) of the nonzero terms, and the pairs in reach."""
        gradients, hessians = [], []
        collisions, friction = self._collisions(x), self._friction
        if collisions is not None:
            gradients.append(self._barrier.gradient(collisions, self._mesh, x))
            hessians.append(self._barrier.hessian(collisions, self._mesh, x, _PROJECT))
        if friction is not None:
            slip = friction.collisions, self._mesh, x - friction.x_prev
            gradients.append(friction.potential.gradient(*slip))
            hessians.append(friction.potential.hessian(*slip, _PROJECT))
        return gradients, hessians, 0 if collisions is None else len(collisions)

    def step_limit(self, start: Array, end: Array) -> float:
        """Largest share of the straight way from start to end on which nothing touches, in [0, 1]."""
        self.proximity.cover(start, end)
        near = self.proximity
        limit = step_limit(self._surfaces, near.edge_pairs, near.face_pairs, start, end, self._thickness)
        if limit < _SHORT:
            near.cover(start, start + limit * (end - start))
        return limit

    def minimum_distance(self, x: Array, within: float) -> float:
        """Smallest distance of two surfaces [m] if below `within`, else inf; often below d̂, which is tried first."""
        reach = max(within, self._d_hat) + self._thickness
        if self._far is None or self._far.reach < reach:
            self._far = Proximity(self._surfaces, self._allowed, reach)
        self._far.cover(x, x)
        for range_ in (min(self._d_hat, within), within):
            collisions = self._far.collisions(x, range_, self._thickness)
            if len(collisions):
                squared = collisions.compute_minimum_distance(self._mesh, x)
                return float(np.sqrt(squared)) - self._thickness
        return np.inf

    def active_vertices(self, x: Array) -> NDArray[np.int64]:
        """Vertices of the pairs within d̂ at x (V, 3): those that a barrier pushes."""
        collisions = self._collisions(x)
        if collisions is None:
            return np.zeros(0, dtype=np.int64)
        unit = ipctk.BarrierPotential(self._d_hat, 1.0)
        return np.flatnonzero(unit.gradient(collisions, self._mesh, x).reshape(-1, 3).any(axis=1))

    def _collisions(self, x: Array) -> Any | None:
        """Pairs within d̂, None where there is none."""
        if self.proximity.is_empty():
            return None
        collisions = self.proximity.collisions(x, self._d_hat, self._thickness)
        return collisions if len(collisions) else None
