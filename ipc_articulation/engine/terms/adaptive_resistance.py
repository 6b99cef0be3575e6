"""Contact resistance that follows from the forces of the scene, for pairs without a given resistance (-1).

Contact of resistance κ_c must balance the other terms at the beginning of a step. With g_c the gradient of contact for
κ_c = 1 and g_o that of all other terms, κ_c minimises ‖κ_c g_c + g_o‖, so κ_c = -g_c·g_o / ‖g_c‖², limited to the range
from `contact/adaptive/min_kappa` to `max_kappa`. Without contact it is `init_kappa` (libuipc's adaptive parameter
strategy; Huang et al. 2024, «GIPC»).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact.friction_law import NO_FRICTION
from ipc_articulation.engine.linear_system.hessian import NoHessian
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.config import Config


@dataclass(frozen=True)
class AdaptiveResistance:
    """Sets the resistance of a contact term at the beginning of each step."""

    contact: Contact
    others: Sequence[Term]
    is_fixed: Bools  # (n,)
    config: Config

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Choose κ_c for the step; the other terms must have begun it."""
        self.contact.resistance = self._resistance(state, dt)
        self.contact.begin_step(state, dt)

    def _resistance(self, state: EngineState, dt: float) -> float:
        g_c = self._contact_gradient(state, dt, 1.0) - self._contact_gradient(state, dt, 0.0)  # linear in κ_c
        g_o = np.zeros_like(state.q)
        for term in self.others:
            term.assemble(state.q, g_o, NoHessian())
        g_c[self.is_fixed] = 0.0
        square = float(np.sum(g_c * g_c))
        wanted = -float(np.sum(g_c * g_o)) / square if square > 0.0 else self.config.init_resistance
        return float(np.clip(wanted, self.config.min_resistance, self.config.max_resistance))

    def _contact_gradient(self, state: EngineState, dt: float, resistance: float) -> Array:
        self.contact.world.begin_step(state.q, dt, NO_FRICTION, resistance)
        self.contact.world.place(state.q, ~self.is_fixed)
        return self.contact.world.derivatives().gradient
