"""A force on each body, which the user may change in each step (libuipc's constraint 666).

    E = -dt² Σ Fᵀ (q - qᵗ)

F (12,) is generalised: a force f in N on the translation, then ∫ f(x) x̄ᵀ, a 3x3 matrix in N·m, by rows. This is
equivalent to libuipc's acceleration M⁻¹F in q̃. It has no effect on fixed bodies and on those whose inertia an
articulation owns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Load
from ipc_articulation.frontend.force_checks import refuse_strong
from ipc_articulation.frontend.written_attributes import InstanceAttribute


def read(slots: Sequence[Any], context: SceneContext) -> BodyForce:
    """The term of the body geometries that carry `external_force`.

    Raises:
        SceneError: An attribute is missing.
    """
    bodies = context.bodies
    return BodyForce(
        InstanceAttribute(bodies, slots, "external_force", (DOF,)),
        InstanceAttribute(bodies, slots, "external_force/is_constrained"),
        ~(bodies.is_fixed | bodies.external_kinetic),
        bodies.mass[:, 0, 0],
    )


class BodyForce(Load):
    """External forces on bodies."""

    name = "body force"

    def __init__(self, force: InstanceAttribute, is_on: InstanceAttribute, has_kinetic: Bools, mass: Array) -> None:
        """Take the attributes F and its switch, a mask (n,) of bodies on which it acts, and their mass (n,) [kg]."""
        self._force, self._is_on, self._has_kinetic, self._mass = force, is_on, has_kinetic, mass
        super().__init__(len(has_kinetic))

    @property
    def drives(self) -> Ints:
        return self._force.rows

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Read the forces.

        Raises:
            SceneError: One of them is not finite or absurdly strong, or a switch not 0 or 1; names body or instance.
        """
        rows = self._force.rows
        acts = self._is_on.read_switch() & self._has_kinetic[rows]
        self._F = np.zeros_like(state.q)
        F = self._force.read() * acts[:, None]
        refuse_strong(F[:, :3], self._mass[rows], dt, self._force.said)
        self._F[rows] = dt * dt * F
        self._q_t = state.q
