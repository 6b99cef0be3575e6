"""Soft constraints of vertices of soft bodies to positions (libuipc's constraint 14, SoftPositionConstraint).

    E = Σ ½ sᵢ mᵢ |xᵢ - x̂ᵢ|²,   without dt²

s is the strength, m the lumped mass. With animator substeps the goal x̂ goes from the vertex's position at the beginning
of the step to the aim during the Newton iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms.goals import Goals
from ipc_articulation.frontend.nodes.numbering import Numbering
from ipc_articulation.frontend.soft.constraints import SoftPositionConstraint


def read(slots: Sequence[Any], context: SceneContext) -> SoftPosition:
    """The term of the soft bodies among geometry slots.

    Raises:
        SceneError: An attribute is missing.
    """
    bodies, vertices = context.soft_vertices(slots)
    mass = np.concatenate([body.mass for body in bodies])
    return SoftPosition(SoftPositionConstraint(bodies), context.nodes(vertices), mass, context.numbering)


class SoftPosition(Goals):
    """Soft position constraints of all vertices."""

    name = "soft position"

    def __init__(self, constraint: SoftPositionConstraint, nodes: Ints, mass: Array, numbering: Numbering) -> None:
        """Take the constraint, the nodes (k,) that it is for, and their masses (k,) [kg]."""
        super().__init__(nodes - 3 * numbering.affine, numbering)
        self._constraint, self._nodes, self._mass = constraint, nodes, mass

    def _read(self, aim: Array) -> Array:
        """See `Goals`.

        Raises:
            SceneError: One of them is not finite, or a strength is negative; names body and vertex.
        """
        aims = self._constraint.read()
        aim[self._nodes] = aims.position
        return (aims.strength * self._mass * aims.is_constrained)[:, None, None]
