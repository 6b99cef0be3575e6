"""Soft constraint of a body to a transform (libuipc's constraint 16: SoftTransformConstraint and both motors).

    E = ½ (q - q̂)ᵀ M̃ (q - q̂),   M̃ = η_p M_c + η_a (M - M_c),   M_c = m J(c)ᵀJ(c),   without dt²

M_c is the mass matrix of the whole mass m at the centre of mass c, so η_p pulls the centre of mass and η_a what is
about it (parallel axes); `strength_ratio` = (η_p, η_a). With n animator substeps the goal approaches during the Newton
iterations: q̂ = qᵗ + s (aim - qᵗ), s = 1/n, 2/n, … 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms.goals import Goals
from ipc_articulation.engine.terms.term import NO_BODIES
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.nodes.numbering import Numbering, nodes_of, weights
from ipc_articulation.frontend.written_attributes import InstanceAttribute


def read(slots: Sequence[Any], context: SceneContext) -> SoftTransform:
    """The term of the body geometries that carry `aim_transform`.

    Raises:
        SceneError: An attribute is missing.
    """
    bodies = context.bodies
    return SoftTransform(
        InstanceAttribute(bodies, slots, "aim_transform", (4, 4)),
        InstanceAttribute(bodies, slots, "strength_ratio", (2,), nonnegative=True),
        InstanceAttribute(bodies, slots, "is_constrained"),
        bodies,
        context.numbering,
    )


class SoftTransform(Goals):
    """Soft transform constraints of all bodies."""

    name = "soft transform"

    def __init__(
        self,
        aim: InstanceAttribute,
        strength: InstanceAttribute,
        is_on: InstanceAttribute,
        bodies: BodyTable,
        numbering: Numbering,
    ) -> None:
        """Take the attributes."""
        super().__init__(aim.rows, numbering)
        self._transform, self._strength, self._is_on = aim, strength, is_on
        self._is_free = ~bodies.is_fixed[aim.rows]
        self._M_center, self._M_about = split_mass(bodies.mass[aim.rows])
        self.stiffest = 0.0  # strength of the present step

    def _read(self, aim: Array) -> Array:
        """See `Goals`.

        Raises:
            SceneError: One is not finite, a strength is negative or a switch not 0 or 1; names the body or instance.
        """
        rows, acts = self._transform.rows, self._is_on.read_switch() & self._is_free
        strength = self._strength.read() * acts[:, None]
        self.stiffest, eta = float(strength.max(initial=0.0)), strength[:, :, None, None]
        M = eta[:, 0] * self._M_center + eta[:, 1] * self._M_about
        nodes = 4 * rows[:, None] + np.arange(4)
        aim[nodes] = nodes_of(affine.q_from_transform(self._transform.read()))
        return weights(M, len(rows), NO_BODIES, NO_BODIES)


def split_mass(M: Array) -> tuple[Array, Array]:
    """M_c and M - M_c of mass matrices (k, 12, 12): the whole mass at the centre of mass, and the remainder."""
    m, first_moment = M[:, 0, 0], M[:, 0, 3:6]
    M_center = affine.mass_matrix(
        m, first_moment, first_moment[:, :, None] * first_moment[:, None, :] / m[:, None, None]
    )
    return M_center, M - M_center
