"""Forces on vertices of soft bodies, which the user may change in each step (libuipc's constraint 671).

E = -dt² Σ fᵢ·(xᵢ - xᵢᵗ)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.load import Load
from ipc_articulation.frontend.nodes.numbering import Numbering
from ipc_articulation.frontend.soft.constraints import ExternalForce


def read(slots: Sequence[Any], context: SceneContext) -> VertexForce:
    """The term of the soft bodies among geometry slots.

    Raises:
        SceneError: An attribute is missing.
    """
    bodies, vertices = context.soft_vertices(slots)
    return VertexForce(ExternalForce(bodies), context.nodes(vertices), context.numbering)


class VertexForce(Load):
    """External forces on vertices."""

    name = "vertex force"

    def __init__(self, force: ExternalForce, nodes: Ints, numbering: Numbering) -> None:
        """Take the forces, and the nodes (k,) on which they act."""
        super().__init__(self.name, numbering, numbering.bodies_of(nodes))
        self._force, self._nodes = force, nodes

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Read the forces.

        Raises:
            SceneError: One of them is not finite or absurdly strong; names body and vertex.
        """
        given, F = self._force.read(dt), np.zeros_like(x)
        F[self._nodes] = dt * dt * given.force * given.is_constrained[:, None]
        self._press(F, x)
