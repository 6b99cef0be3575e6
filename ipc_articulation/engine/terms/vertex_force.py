"""Forces on vertices of soft bodies, which the user may change in each step (libuipc's constraint 671).

E = -dt² Σ fᵢ·(xᵢ - xᵢᵗ)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.contact.soft.vertex_rows import add_gradients
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Load
from ipc_articulation.frontend.soft.constraints import ExternalForce


def read(slots: Sequence[Any], context: SceneContext) -> VertexForce:
    """The term of the soft bodies among geometry slots.

    Raises:
        SceneError: An attribute is missing.
    """
    bodies, vertices = context.soft_vertices(slots)
    return VertexForce(ExternalForce(bodies), context.surfaces, vertices)


class VertexForce(Load):
    """External forces on vertices."""

    name = "vertex force"

    def __init__(self, force: ExternalForce, surfaces: Surfaces, vertices: Ints) -> None:
        """Take the forces, and the vertices (k,) of `surfaces` on which they act."""
        self._force, self._vertices, self._surfaces = force, vertices, surfaces
        super().__init__(len(surfaces.first) - 1)

    @property
    def drives(self) -> Ints:
        return np.unique(self._surfaces.body[self._vertices])

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Read the forces.

        Raises:
            SceneError: One of them is not finite or absurdly strong; names body and vertex.
        """
        given = self._force.read(dt)
        forces = dt * dt * given.force * given.is_constrained[:, None]
        self._q_t, self._F = state.q, np.zeros_like(state.q)
        add_gradients(self._vertices[:, None], forces, self._surfaces.body, self._surfaces.points, self._F)
