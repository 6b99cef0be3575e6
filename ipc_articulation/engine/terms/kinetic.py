"""Inertia and gravity: the kinetic term.

    E = Σ w/2 (q - q̃)ᵀ M (q - q̃)

w and q̃ are the time integrator's (see `integrator`). Fixed bodies have no kinetic term, nor have those whose inertia an
articulation owns (`external_kinetic`).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.engine.integrator import Integrator
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.bodies import BodyTable

Array = NDArray[np.float64]


class Kinetic(Term):
    """Inertia and gravity of all bodies."""

    name = "kinetic"

    def __init__(self, bodies: BodyTable, gravity: Array, integrator: Integrator) -> None:
        """Gravity (n, 3) [m/s²] accelerates the translation alone, whatever the centre of mass."""
        has_kinetic = ~(bodies.is_fixed | bodies.external_kinetic)
        self._M = integrator.weight * bodies.mass * has_kinetic[:, None, None]
        self._is_dynamic, self._integrator = bodies.is_dynamic, integrator
        self._acceleration = np.pad(gravity, ((0, 0), (0, 9)))
        self._q_tilde = bodies.q.copy()
        self._moving = np.ones(len(bodies.q), dtype=np.bool_)

    def select(self, moving: NDArray[np.bool_]) -> None:
        self._moving = moving

    def begin_step(self, state: State, dt: float) -> None:
        """Predict q̃."""
        self._q_tilde = self._integrator.predict(state, self._acceleration, self._is_dynamic, dt)

    def add_energy(self, q: Array, E: Array) -> None:
        _add_energy(q, self._q_tilde, self._M, self._moving, E)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        _add_gradient(q, self._q_tilde, self._M, self._moving, g)
        system.add_diagonal(self._M)


@njit(cache=True)
def _add_energy(q, q_tilde, M, moving, E):
    for b in range(len(q)):
        if moving[b]:
            for i in range(12):
                d = q[b, i] - q_tilde[b, i]
                for j in range(12):
                    E[b] += 0.5 * d * M[b, i, j] * (q[b, j] - q_tilde[b, j])


@njit(cache=True)
def _add_gradient(q, q_tilde, M, moving, g):
    for b in range(len(q)):
        if moving[b]:
            for i in range(12):
                for j in range(12):
                    g[b, i] += M[b, i, j] * (q[b, j] - q_tilde[b, j])
