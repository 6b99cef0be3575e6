"""The incremental potential of one step: the sum of its terms, and its Newton system.

    E(q) = kinetic + dt² shape + joint penalties + K + dt² contact

Each term lives in its own file; this one adds them up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine import kinetic, shape
from ipc_articulation.engine.joint_penalty import JointPenalties
from ipc_articulation.engine.linear_system import LinearSystem

Array = NDArray[np.float64]


class Potential:
    """E(q) for coordinates q (n, 12); what is constant in a step is set by `begin_step`."""

    def __init__(
        self,
        surfaces: Surfaces,
        mass: Array,
        shape_stiffness: Array,
        joints: JointPenalties,
        articulation: ArticulationEnergy | None,
        contact: ContactWorld | None,
    ) -> None:
        """Collect the terms.

        Args:
            surfaces: Surfaces of all bodies.
            mass: (n, 12, 12), zero for bodies without kinetic term (fixed, or external_kinetic).
            shape_stiffness: v κ of each body, (n,) [J], zero for fixed bodies.
            joints: Joint penalties.
            articulation: K of all articulations, or None.
            contact: Contact of all surfaces, or None where it is off.
        """
        self.articulation, self.contact = articulation, contact
        self._surfaces = surfaces
        self._bare = np.setdiff1d(np.arange(len(mass)), surfaces.body)
        self._mass, self._shape_stiffness, self._joints = mass, shape_stiffness, joints
        self._q_tilde = np.zeros((len(mass), 12))
        self._shape = np.zeros(len(mass))
        self.contact_count = 0

    def begin_step(self, q: Array, q_tilde: Array, dt: float, eps_velocity: float) -> None:
        """Fix what is constant in the step that begins at q (n, 12).

        The articulation's (Mᵗ, δθ̃, q_ref) are set on the articulation itself.
        """
        self._q_tilde = q_tilde
        self._shape = dt * dt * self._shape_stiffness
        if self.contact is not None:
            self.contact.begin_step(q, dt, eps_velocity)

    def terms(self, q: Array) -> dict[str, float]:
        """Energy by term [J·s²]."""
        return {
            "kinetic": kinetic.energy(q, self._q_tilde, self._mass),
            "shape": shape.energy(q, self._shape),
            "joint": self._joints.energy(q),
            "articulation": 0.0 if self.articulation is None else self.articulation.energy(q),
            "contact": 0.0 if self.contact is None else self.contact.energy(q),
        }

    def energy(self, q: Array) -> float:
        """E(q); inf where surfaces touch."""
        return sum(self.terms(q).values())

    def largest_motion(self, dq: Array) -> float:
        """Greatest displacement [m] of a vertex, or of the origin of a body without surface, under dq (n, 12)."""
        return max(self._surfaces.largest_motion(dq), np.abs(dq[self._bare, :3]).max(initial=0.0))

    def assemble(self, q: Array, system: LinearSystem) -> Array:
        """The gradient (n, 12); the projected Hessian goes into the system."""
        system.clear()
        g, diagonal = np.zeros_like(q), np.zeros((len(q), 12, 12))
        kinetic.add_derivatives(q, self._q_tilde, self._mass, g, diagonal)
        shape.add_derivatives(q, self._shape, g, diagonal)
        self._assemble_joints(q, system, g)
        self._assemble_articulation(q, system, g)
        self._assemble_contact(q, system, g, diagonal)
        system.add_diagonal(diagonal)
        return g

    def _assemble_joints(self, q: Array, system: LinearSystem, g: Array) -> None:
        if len(self._joints.kind):
            system.add_pairs(self._joints.bodies, self._joints.derivatives(q, g))

    def _assemble_articulation(self, q: Array, system: LinearSystem, g: Array) -> None:
        if self.articulation is None:
            return
        bodies = self.articulation.joints.bodies
        at = self.articulation.linearize(q)
        np.add.at(g, bodies, (at.force[:, None] * at.jacobian).reshape(-1, 2, 12))
        system.add_pairs(bodies, at.curvature)
        first = 0
        for M in self.articulation.mass:
            part = slice(first, first + len(M))
            system.add_coupled(bodies[part], at.jacobian[part], M)
            first += len(M)

    def _assemble_contact(self, q: Array, system: LinearSystem, g: Array, diagonal: Array) -> None:
        if self.contact is None:
            return
        at = self.contact.derivatives(q)
        g += at.gradient
        diagonal += at.blocks
        for hessian in at.vertex_hessians:
            system.add_vertex_hessian(hessian)
        self.contact_count = at.pairs
