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
from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Approaching, Term
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
        bodies.mass,
        bodies.is_fixed,
    )


class SoftTransform(Term, Approaching):
    """Soft transform constraints of all bodies."""

    name = "soft transform"

    def __init__(
        self,
        aim: InstanceAttribute,
        strength: InstanceAttribute,
        is_on: InstanceAttribute,
        mass: Array,
        is_fixed: Bools,
    ) -> None:
        """Take the attributes; mass (n, 12, 12) and is_fixed (n,) of all bodies."""
        self._aim, self._strength, self._is_on = aim, strength, is_on
        self._is_free = ~is_fixed[aim.rows]
        self._M_center, self._M_about = split_mass(mass[aim.rows])
        self._blocks = np.zeros_like(mass)
        self._start = self._goal = self._q_hat = np.zeros((len(mass), DOF))
        self.stiffest = 0.0  # strength of the present step

    @property
    def drives(self) -> Ints:
        return self._aim.rows

    @property
    def stiffness(self) -> Array:
        """M̃ of the present step, (n, 12, 12)."""
        return self._blocks

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Read goals, strengths and switches.

        Raises:
            SceneError: One is not finite, a strength is negative or a switch not 0 or 1; names the body or instance.
        """
        rows = self._aim.rows
        acts = self._is_on.read_switch() & self._is_free
        strength = self._strength.read() * acts[:, None]
        self.stiffest, eta = float(strength.max(initial=0.0)), strength[:, :, None, None]
        self._blocks[rows] = eta[:, 0] * self._M_center + eta[:, 1] * self._M_about
        self._start, self._goal = state.q, state.q.copy()
        self._goal[rows] = affine.q_from_transform(self._aim.read())
        self.approach(1.0)

    def approach(self, share: float) -> None:
        self._q_hat = self._start + share * (self._goal - self._start)

    def add_energy(self, q: Array, E: Array) -> None:
        E += 0.5 * np.sum((q - self._q_hat) * self._gradient(q), axis=1)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        g += self._gradient(q)
        hessian.add_diagonal(self._blocks)

    def _gradient(self, q: Array) -> Array:
        return (self._blocks @ (q - self._q_hat)[:, :, None])[:, :, 0]


def split_mass(M: Array) -> tuple[Array, Array]:
    """M_c and M - M_c of mass matrices (k, 12, 12): the whole mass at the centre of mass, and the remainder."""
    m, first_moment = M[:, 0, 0], M[:, 0, 3:6]
    M_center = affine.mass_matrix(
        m, first_moment, first_moment[:, :, None] * first_moment[:, None, :] / m[:, None, None]
    )
    return M_center, M - M_center
