"""What keeps affine bodies rigid: a stiff energy c·W(A) of each, c = dt² v κ; `ortho_potential` and `arap` say W."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.scene_context import SceneContext
from ipc_articulation.engine.state import State

Array = NDArray[np.float64]


class ShapeEnergy:
    """Σ c W(A) over the bodies."""

    def __init__(
        self,
        name: str,
        energy: Callable[[Array, Array], float],
        add_derivatives: Callable[[Array, Array, Array, Array], None],
        stiffness: Array,
    ) -> None:
        """Take W and the stiffness of the bodies.

        Args:
            name: What statistics call it.
            energy: Σ c W of q (n, 12) and c (n,).
            add_derivatives: Adds its gradient to g (n, 12) and a projected Hessian to H (n, 12, 12), from (q, c, g, H).
            stiffness: v κ [J] of each body, (n,), zero for those without this energy.
        """
        self.name, self._energy, self._add_derivatives = name, energy, add_derivatives
        self._stiffness, self._c = stiffness, np.zeros(len(stiffness))

    def begin_step(self, state: State, dt: float) -> None:
        self._c = dt * dt * self._stiffness

    def energy(self, q: Array) -> float:
        return self._energy(q, self._c)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        H = np.zeros((len(q), 12, 12))
        self._add_derivatives(q, self._c, g, H)
        system.add_diagonal(H)


def stiffness_of(slots: Sequence[Any], context: SceneContext) -> Array:
    """Stiffness v κ [J] of the bodies among the slots that are not fixed, zero for all others: (n,)."""
    bodies = context.bodies
    return bodies.volume * bodies.kappa * (bodies.belongs_to(slots) & ~bodies.is_fixed)
