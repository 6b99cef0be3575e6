"""Contact as a term (see `contact`)."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact.resistance import Held
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.linear_system.hessian import Hessian, NoHessian
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Term


class Contact(Term):
    """dt² κ_c Σ B + friction of all surfaces."""

    name = "contact"

    def __init__(self, world: ContactWorld, eps_velocity: float) -> None:
        """Take a scene's contact. Friction reaches its full value at eps_velocity [m/s]; it is omitted if that is 0."""
        self.world, self._eps_velocity = world, eps_velocity
        self.resistance = 0.0  # of the pairs that leave it open [Pa]
        self.has_stiffened = False  # by the last `assemble`: energies from before it are not comparable
        self._moving = np.ones(len(world.materials.body_pairs), dtype=bool)

    def begin_step(self, state: EngineState, dt: float) -> None:
        held, motions = Held(state.pairs, state.resistances), (dt * state.qdot, dt * state.qdot_before)
        self.world.begin_step(state.q, dt, self._eps_velocity, self.resistance, held, motions)

    def select(self, moving: Bools) -> None:
        self._moving = moving

    def add_energy(self, q: Array, E: Array) -> None:
        self.world.add_energy(q, self._moving, E)

    def follow(self, q: Array, step: Array) -> None:
        self.world.follow(q, step)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        self.world.place(q, self._moving)
        self.has_stiffened = not isinstance(hessian, NoHessian) and self.world.rescue()
        at = self.world.derivatives()
        g += at.gradient
        hessian.add_diagonal(at.blocks)
        for bodies, blocks in at.pair_blocks:
            hessian.add_pairs(bodies, blocks)
