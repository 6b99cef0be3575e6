"""A force on each body, which the user may change in each step (libuipc's constraint 666).

    E = -dt² Σ Fᵀ (q - qᵗ)

F (12,) is generalised: a force f in N on the translation, then ∫ f(x) x̄ᵀ, a 3x3 matrix in N·m, by rows. This is
equivalent to libuipc's acceleration M⁻¹F in q̃. It has no effect on fixed bodies and on those whose inertia an
articulation owns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.load import Load
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.force_checks import refuse_strong
from ipc_articulation.frontend.nodes.numbering import Numbering
from ipc_articulation.frontend.written_attributes import InstanceAttribute


def read(slots: Sequence[Any], context: SceneContext) -> BodyForce:
    """The term of the body geometries that carry `external_force`.

    Raises:
        SceneError: An attribute is missing.
    """
    bodies = context.bodies
    force = InstanceAttribute(bodies, slots, "external_force", (DOF,))
    is_on = InstanceAttribute(bodies, slots, "external_force/is_constrained")
    return BodyForce(force, is_on, bodies, context.numbering)


class BodyForce(Load):
    """External forces on bodies."""

    name = "body force"

    def __init__(
        self, force: InstanceAttribute, is_on: InstanceAttribute, bodies: BodyTable, numbering: Numbering
    ) -> None:
        """Take the attributes F and its switch."""
        super().__init__(self.name, numbering, force.rows)
        self._force, self._is_on, self._mass = force, is_on, bodies.mass[force.rows, 0, 0]
        self._has_kinetic = ~(bodies.is_fixed | bodies.external_kinetic)[force.rows]

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read the forces.

        Raises:
            SceneError: One of them is not finite or absurdly strong, or a switch not 0 or 1; names body or instance.
        """
        acts = self._is_on.read_switch() & self._has_kinetic
        F = self._force.read() * acts[:, None]
        refuse_strong(F[:, :3], self._mass, dt, self._force.said)
        self._press_bodies(self._force.rows, dt * dt * F, x)
