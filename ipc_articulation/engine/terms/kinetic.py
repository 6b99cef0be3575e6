"""Inertia and gravity: the kinetic term.

    E = Σ w/2 (q - q̃)ᵀ M (q - q̃)

w and q̃ are the time integrator's (see `integrator`). Fixed bodies have no kinetic term, nor have those whose inertia an
articulation owns (`external_kinetic`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.integrator import predict, weight
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.bodies import BodyTable


class Inertias(NamedTuple):
    """Arrays of the term, for n bodies."""

    order: int  # of the time integrator
    M: Array  # (n, 12, 12) w M, zero for bodies without kinetic term
    acceleration: Array  # (n, 12) by gravity
    is_dynamic: Bools  # (n,)
    q_tilde: Array  # (n, 12) q̃ of the present step


class Kinetic(Term):
    """Inertia and gravity of all bodies."""

    name = "kinetic"

    def __init__(self, bodies: BodyTable, acceleration: Array, order: int) -> None:
        """Take the acceleration (n, 12) by gravity: of a body's translation only, wherever its centre of mass is."""
        has_kinetic = ~(bodies.is_fixed | bodies.external_kinetic)
        self.arrays = Inertias(
            order,
            weight(order) * bodies.mass * has_kinetic[:, None, None],
            acceleration,
            bodies.is_dynamic,
            bodies.q.copy(),
        )
        self._inertia = weight(order) * bodies.mass * ~bodies.is_fixed[:, None, None]
        self._moving = np.ones(len(bodies.q), dtype=np.bool_)

    def set_masses(self, rows: Ints, M: Array) -> None:
        """Give some bodies (k,) that have a kinetic term another mass matrix, (12, 12)."""
        self.arrays.M[rows] = self._inertia[rows] = weight(self.arrays.order) * M

    def select(self, moving: Bools) -> None:
        self._moving = moving

    def begin_step(self, state: EngineState, dt: float) -> None:
        """Predict q̃."""
        begin(self.arrays, state, dt)

    def add_energy(self, q: Array, E: Array) -> None:
        add_energy(self.arrays, q, self._moving, E)

    def rounding(self, q: Array) -> Array:
        """By how much the step's energy may change by rounding of q alone, body by body, (n,); see `_rounding`."""
        return _rounding(self._inertia, self.arrays.q_tilde, q, self._moving)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        add_gradient(self.arrays, q, self._moving, g)
        hessian.add_diagonal(self.arrays.M)


@compiled
def begin(inertias, state, dt):
    """Predict q̃ for the step of dt [s] from a state."""
    predict(inertias.order, state, inertias.acceleration, inertias.is_dynamic, dt, inertias.q_tilde)


@compiled
def add_energy(inertias, q, moving, E):
    """Add the energies of the moving bodies to E (n,)."""
    M, q_tilde = inertias.M, inertias.q_tilde
    for b in range(len(q)):
        if moving[b]:
            for i in range(DOF):
                d = q[b, i] - q_tilde[b, i]
                for j in range(DOF):
                    E[b] += 0.5 * d * M[b, i, j] * (q[b, j] - q_tilde[b, j])


@compiled
def add_gradient(inertias, q, moving, g):
    """Add the gradients of the moving bodies to g (n, 12)."""
    M, q_tilde = inertias.M, inertias.q_tilde
    for b in range(len(q)):
        if moving[b]:
            for i in range(DOF):
                for j in range(DOF):
                    g[b, i] += M[b, i, j] * (q[b, j] - q_tilde[b, j])


_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)  # of a coordinate: vertices are sums of a few products


@compiled
def _rounding(M, q_tilde, q, moving):
    """8 ε Σ_i |(M (q - q̃))_i| |q_i|, (n,): the inertial forces are in balance with all others, which q rounds as well.

    Far from the origin it is more than a small part of the energy, which the step's motion alone determines.
    """
    noise = np.zeros(len(q))
    for b in range(len(q)):
        if moving[b]:
            for i in range(DOF):
                force = 0.0
                for j in range(DOF):
                    force += M[b, i, j] * (q[b, j] - q_tilde[b, j])
                noise[b] += _ROUNDING * abs(force * q[b, i])
    return noise
