"""What keeps affine bodies rigid: a stiff energy c·W(A) of each, c = dt² v κ; `ortho_potential` and `arap` say W."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.contact.pair_blocks import clear
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.scene_context import SceneContext
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.term import Term

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


class ShapeEnergy(Term):
    """Σ c W(A) over the bodies."""

    def __init__(
        self,
        name: str,
        add_energy: Callable[[Array, Array, Bools, Array], None],
        add_derivatives: Callable[[Array, Array, Array, Bools, Array, Array], None],
        stiffness: Array,
    ) -> None:
        """Take W and the stiffness of the bodies.

        Args:
            name: What statistics call it.
            add_energy: Adds c W of the moving bodies to E (n,), from (q, c, moving, E).
            add_derivatives: Adds its gradient to g (n, 12) and a projected Hessian to H (n, 12, 12), from (q, c, dA,
                moving, g, H), dA (n, 9) the last change of the matrices A in the step.
            stiffness: v κ [J] of each body, (n,), zero for those without this energy.
        """
        n = len(stiffness)
        self.name, self._add_energy, self._add_derivatives = name, add_energy, add_derivatives
        self._stiffness, self._c = stiffness, np.zeros(n)
        self._moving, self._H = np.ones(n, dtype=np.bool_), np.zeros((n, 12, 12))
        self._no_step = self._dA = np.zeros((n, 9))

    def begin_step(self, state: State, dt: float) -> None:
        self._c = dt * dt * self._stiffness
        self._dA = self._no_step

    def select(self, moving: Bools) -> None:
        self._moving = moving

    def follow(self, q: Array, step: Array) -> None:
        self._dA = np.ascontiguousarray(step[:, 3:])

    def add_energy(self, q: Array, E: Array) -> None:
        self._add_energy(q, self._c, self._moving, E)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        clear(self._H, self._moving)
        self._add_derivatives(q, self._c, self._dA, self._moving, g, self._H)
        system.add_diagonal(self._H)


def stiffness_of(slots: Sequence[Any], context: SceneContext) -> Array:
    """Stiffness v κ [J] of the bodies among the slots that are not fixed, zero for all others: (n,)."""
    bodies = context.bodies
    return bodies.volume * bodies.kappa * (bodies.belongs_to(slots) & ~bodies.is_fixed)
