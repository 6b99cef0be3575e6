"""Contact as a term (see `contact`)."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.anchors import NO_ANCHORS
from ipc_articulation.contact.derivatives import ContactDerivatives
from ipc_articulation.contact.friction_law import FrictionLaw
from ipc_articulation.contact.held import Held
from ipc_articulation.contact.springs import NO_SPRINGS, Springs
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Projecting, Term


class Contact(Term, Projecting):
    """dt² κ_c Σ B + friction of all surfaces."""

    name = "contact"

    def __init__(self, world: ContactWorld, eps_velocity: float, holds: bool) -> None:
        """Take a scene's contact.

        Args:
            world: Contact.
            eps_velocity: At which lagged friction reaches its full value [m/s]; 0 leaves friction out.
            holds: Whether friction has anchors instead (see `contact.anchors`).
        """
        self.world, self._eps_velocity, self._holds = world, eps_velocity, holds
        self._held = NO_ANCHORS
        self.resistance = 0.0  # of the pairs that leave it open [Pa]
        self._moving = self.projected = np.ones(len(world.materials.group), dtype=np.bool_)

    def begin_step(self, state: EngineState, dt: float) -> None:
        self._held, motions = state.held_anchors, (dt * state.qdot, dt * state.qdot_before)
        planes = len(self.world.half_planes.planes.names)
        law = FrictionLaw(self._eps_velocity)
        if self._holds:
            law = FrictionLaw(self._eps_velocity, self._held, len(state.q) + planes, state.held_springs)
        self.world.begin_step(state.q, dt, law, self.resistance, state.held_resistances, motions)

    def renew_friction(self, q: Array) -> Ints:
        """Take normal forces and tangents of friction from q (n, 12), where a minimisation has ended.

        Returns:
            Pairs of bodies that have friction now, (k, 2).
        """
        return self.world.renew_friction(q)

    def remembered(self, q: Array) -> Held:
        """The anchors of friction at the end q (n, 12) of the step."""
        return self.world.remembered(q, self._held) if self._holds else NO_ANCHORS

    def springs(self, q: Array) -> Springs:
        """The springs of soft bodies' friction at the end q (n, 12) of the step."""
        return self.world.springs(q) if self._holds else NO_SPRINGS

    def select(self, moving: Bools) -> None:
        self._moving = moving

    def add_energy(self, q: Array, E: Array) -> None:
        self.world.add_energy(q, self._moving, E)

    def follow(self, q: Array, step: Array, turned: Bools) -> None:
        self.world.follow(q, step, turned)

    def restrain(self, dq: Array, system: LinearSystem) -> Array:
        loads = self.world.corrections(dq)
        dq = dq if loads is None else dq - system.solve_again(loads[None])[0]
        self.world.foresee(dq)
        return dq

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        self.world.place(q, self._moving)
        at = self.world.derivatives(self.projected)
        g += at.gradient
        add_blocks(at, self.world, hessian)


def add_blocks(at: ContactDerivatives, world: ContactWorld, hessian: Hessian) -> None:
    """Add the second derivatives of contact to a Hessian."""
    hessian.add_diagonal(at.blocks)
    for bodies, blocks in at.pair_blocks:
        hessian.add_pairs(bodies, blocks)
    for bodies, points, H in at.vertex_blocks:
        hessian.add_vertices(bodies, points, H)
