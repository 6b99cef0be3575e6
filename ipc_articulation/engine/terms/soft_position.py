"""Soft constraints of vertices of soft bodies to positions (libuipc's constraint 14, SoftPositionConstraint).

    E = Σ ½ sᵢ mᵢ |xᵢ - x̂ᵢ|²,   without dt²

s is the strength, m the lumped mass. With animator substeps the goal x̂ goes from the vertex's position at the beginning
of the step to the aim during the Newton iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.soft.vertex_rows import add_gradients
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Approaching, Term
from ipc_articulation.frontend.soft.constraints import SoftPositionConstraint


def read(slots: Sequence[Any], context: SceneContext) -> SoftPosition:
    """The term of the soft bodies among geometry slots.

    Raises:
        SceneError: An attribute is missing.
    """
    bodies, vertices = context.soft_vertices(slots)
    mass = np.concatenate([body.mass for body in bodies])
    return SoftPosition(SoftPositionConstraint(bodies), context.surfaces, vertices, mass)


class SoftPosition(Term, Approaching):
    """Soft position constraints of all vertices."""

    name = "soft position"

    def __init__(self, constraint: SoftPositionConstraint, surfaces: Surfaces, vertices: Ints, mass: Array) -> None:
        """Take the constraint, the vertices (k,) of `surfaces` that it is for, and their masses (k,) [kg]."""
        self._constraint, self._mass = constraint, mass
        self._points, self._bodies = surfaces.points[vertices], surfaces.body[vertices]
        self._strength = np.zeros(len(vertices))
        self._start = self._goal = self._aim = np.zeros((len(vertices), 3))

    @property
    def drives(self) -> Ints:
        return np.unique(self._bodies)

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Read goals, strengths and switches.

        Raises:
            SceneError: One of them is not finite, or a strength is negative; names body and vertex.
        """
        aims = self._constraint.read()
        self._strength = aims.strength * self._mass * aims.is_constrained
        self._start, self._goal = self._positions(state.q), aims.position
        self.approach(1.0)

    def approach(self, share: float) -> None:
        self._aim = self._start + share * (self._goal - self._start)

    def add_energy(self, q: Array, E: Array) -> None:
        square = np.sum((self._positions(q) - self._aim) ** 2, axis=1)
        rows.add_at(E, self._bodies, 0.5 * self._strength * square)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        on = np.flatnonzero(self._strength)
        pulls = self._strength[on, None] * (self._positions(q) - self._aim)[on]
        add_gradients(on[:, None], pulls, self._bodies, self._points, g)
        H = self._strength[on, None, None] * np.eye(3)
        hessian.add_vertices(self._bodies[on, None], self._points[on, None], H)

    def _positions(self, q: Array) -> Array:
        """Positions (k, 3) at q (n, 12)."""
        of = q[self._bodies]
        return of[:, :3] + np.einsum("kij,kj->ki", of[:, 3:].reshape(-1, 3, 3), self._points)
