"""K, the articulations' energy, as a term (see `articulation.energy`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.scene_context import SceneContext
from ipc_articulation.engine.state import State
from ipc_articulation.frontend.articulations import ArticulationTable

Array = NDArray[np.float64]


def read(slots: Sequence[Any], context: SceneContext) -> Articulation:
    """The term of a scene with articulations."""
    assert context.articulations.energy is not None
    return Articulation(context.articulations, context.articulations.energy)


class Articulation:
    """All articulations of a scene; K carries no dt²."""

    name = "articulation"

    def __init__(self, table: ArticulationTable, energy: ArticulationEnergy) -> None:
        """Take the energy of a table that has one."""
        self._table, self._energy = table, energy

    def begin_step(self, state: State, dt: float) -> None:
        """Read Mᵗ, δθ̃ and the reference poses that the animator has just written.

        Raises:
            ArticulationError: One of them is not valid; names the articulation.
        """
        self._table.read_step(state.q)

    def energy(self, q: Array) -> float:
        return self._energy.energy(q)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        bodies, at = self._energy.joints.bodies, self._energy.linearize(q)
        np.add.at(g, bodies, (at.force[:, None] * at.jacobian).reshape(-1, 2, 12))
        system.add_pairs(bodies, at.curvature)
        first = 0
        for M in self._energy.mass:
            part = slice(first, first + len(M))
            system.add_coupled(bodies[part], at.jacobian[part], M)
            first += len(M)
