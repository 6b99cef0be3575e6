"""Time integration: what a step predicts, and the velocity that follows from it (libuipc's `integrator/type`).

Both minimise   w/2 (q - q̃)ᵀ M (q - q̃) + dt² (everything else),   with a = M⁻¹ (forces known before the step):

backward Euler   w = 1,    q̃ = qᵗ + dt q̇ᵗ + dt² a,                                      q̇ = (q - qᵗ)/dt
BDF2             w = 9/4,  q̃ = (4qᵗ - qᵗ⁻¹)/3 + 2/9 dt (4q̇ᵗ - q̇ᵗ⁻¹) + 4/9 dt² a,      q̇ = (3q - 4qᵗ + qᵗ⁻¹)/2dt

A first step has no past: like libuipc, qᵗ⁻¹ = qᵗ and q̇ᵗ⁻¹ = q̇ᵗ are taken; and the coefficients are those of equal
steps, whatever dt was before. Velocities stay second order, but a start delays the motion by dt/2, and a change of dt
by h shifts it by h/2.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine.state import State

Array = NDArray[np.float64]


class Integrator(Protocol):
    """How time is discretised."""

    weight: float  # w, of the kinetic term

    def predict(self, state: State, acceleration: Array, is_dynamic: NDArray[np.bool_], dt: float) -> Array:
        """q̃ (n, 12) for accelerations a (n, 12); a body that is not dynamic starts from rest at qᵗ."""

    def velocity(self, state: State, q: Array, dt: float) -> Array:
        """q̇ (n, 12) at the end of the step from a state to q (n, 12)."""


class BackwardEuler:
    """First order; dissipates."""

    weight = 1.0

    def predict(self, state: State, acceleration: Array, is_dynamic: NDArray[np.bool_], dt: float) -> Array:
        return state.q + dt * np.where(is_dynamic[:, None], state.qdot, 0.0) + dt * dt * acceleration

    def velocity(self, state: State, q: Array, dt: float) -> Array:
        return (q - state.q) / dt


class BDF2:
    """Second order in velocities; dissipates far less."""

    weight = 9.0 / 4.0

    def predict(self, state: State, acceleration: Array, is_dynamic: NDArray[np.bool_], dt: float) -> Array:
        drift = (state.q - state.q_before) / 3.0 + (2.0 / 9.0) * dt * (4.0 * state.qdot - state.qdot_before)
        return state.q + np.where(is_dynamic[:, None], drift, 0.0) + (4.0 / 9.0) * dt * dt * acceleration

    def velocity(self, state: State, q: Array, dt: float) -> Array:
        return (3.0 * (q - state.q) - (state.q - state.q_before)) / (2.0 * dt)  # exactly zero at rest


INTEGRATORS: dict[str, type[Integrator]] = {"bdf1": BackwardEuler, "bdf2": BDF2}
