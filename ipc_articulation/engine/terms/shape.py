"""A stiff energy c·W(A) that keeps each body rigid, with c = dt² v κ; `ortho_potential` and `arap` define W."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.pair_blocks import clear
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Projecting, Term


class Shapes(NamedTuple):
    """Arrays of the term, for n bodies."""

    stiffness: Array  # (n,) v κ [J], zero for those without this energy
    c: Array  # (n,) dt² v κ of the present step [J·s²]
    dA: Array  # (n, 9) last change of the matrices A in the step
    H: Array  # (n, 12, 12) scratch for the Hessian blocks


class ShapeEnergy(Term, Projecting):
    """Σ c W(A) over the bodies."""

    def __init__(
        self,
        name: str,
        add_energy: Callable[[Array, Array, Bools, Array], None],
        add_derivatives: Callable[[Array, Array, Array, Bools, Bools, Array, Array], None],
        stiffness: Array,
    ) -> None:
        """Take W and the stiffness of the bodies.

        Args:
            name: Its name in statistics.
            add_energy: Adds c W of the moving bodies to E (n,), from (q, c, moving, E).
            add_derivatives: Adds its gradient to g (n, 12) and a Hessian to H (n, 12, 12), from (q, c, dA, moving,
                projected, g, H), dA (n, 9) the last change of the matrices A in the step.
            stiffness: v κ [J] of each body, (n,), zero for those without this energy.
        """
        n = len(stiffness)
        self.name, self._add_energy, self._add_derivatives = name, add_energy, add_derivatives
        self.arrays = Shapes(stiffness, np.zeros(n), np.zeros((n, 9)), np.zeros((n, DOF, DOF)))
        self._moving = self.projected = np.ones(n, dtype=np.bool_)

    def begin_step(self, state: EngineState, dt: float) -> None:
        begin(self.arrays, dt)

    def select(self, moving: Bools) -> None:
        self._moving = moving

    def follow(self, q: Array, step: Array, turned: Bools) -> None:
        follow(self.arrays, step)

    def add_energy(self, q: Array, E: Array) -> None:
        self._add_energy(q, self.arrays.c, self._moving, E)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        c, dA, H = self.arrays.c, self.arrays.dA, self.arrays.H
        clear(H, self._moving)
        self._add_derivatives(q, c, dA, self._moving, self.projected, g, H)
        hessian.add_diagonal(H)


@compiled
def begin(shapes, dt):
    """Begin a step of dt [s]."""
    shapes.dA[:] = 0.0
    for b in range(len(shapes.c)):
        shapes.c[b] = dt * dt * shapes.stiffness[b]


@compiled
def follow(shapes, step):
    """Report a Newton step (n, 12) to the terms."""
    for b in range(len(step)):
        for i in range(9):
            shapes.dA[b, i] = step[b, 3 + i]


def stiffness_of(slots: Sequence[Any], context: SceneContext) -> Array:
    """Stiffness v κ [J] of the bodies among the slots that are not fixed, zero for all others: (n,)."""
    bodies = context.bodies
    return bodies.volume * bodies.kappa * (bodies.belongs_to(slots) & ~bodies.is_fixed)
