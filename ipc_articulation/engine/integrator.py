"""Time integration: the predicted coordinates of a step, and the velocity at its end (libuipc's `integrator/type`).

Both minimise   w/2 (q - q̃)ᵀ M (q - q̃) + dt² (everything else),   with a = M⁻¹ (forces known before the step):

backward Euler   w = 1,    q̃ = qᵗ + dt q̇ᵗ + dt² a,                                      q̇ = (q - qᵗ)/dt
BDF2             w = 9/4,  q̃ = (4qᵗ - qᵗ⁻¹)/3 + 2/9 dt (4q̇ᵗ - q̇ᵗ⁻¹) + 4/9 dt² a,      q̇ = (3q - 4qᵗ + qᵗ⁻¹)/2dt

Backward Euler is of first order and dissipates; BDF2 is of second order in velocities and dissipates far less.

A first step has no past: as in libuipc, qᵗ⁻¹ = qᵗ and q̇ᵗ⁻¹ = q̇ᵗ, and the coefficients are those of equal steps, even
after a change of dt. Velocities remain of second order, but a start delays the motion by dt/2, and a change of dt by h
delays it by h/2.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled

ORDERS = {"bdf1": 1, "bdf2": 2}  # by `integrator/type`


def weight(order: int) -> float:
    """The weight w of the kinetic term."""
    return 1.0 if order == 1 else 9.0 / 4.0


@compiled
def predict(order, state, acceleration, is_dynamic, dt, q_tilde):
    """Write q̃ (n, 12).

    Args:
        order: 1 for backward Euler, 2 for BDF2.
        state: An `EngineState` of n bodies, at the beginning of the step.
        acceleration: a (n, 12).
        is_dynamic: Mask (n,); other bodies start each step from rest at qᵗ.
        dt: Time step [s].
        q_tilde: Receives q̃.
    """
    for b in range(len(q_tilde)):
        for i in range(DOF):
            drift, fall = dt * state.qdot[b, i], dt * dt * acceleration[b, i]
            if order == 2:
                rate = 4.0 * state.qdot[b, i] - state.qdot_before[b, i]
                drift = (state.q[b, i] - state.q_before[b, i]) / 3.0 + (2.0 / 9.0) * dt * rate
                fall *= 4.0 / 9.0
            q_tilde[b, i] = state.q[b, i] + (drift if is_dynamic[b] else 0.0) + fall


@compiled
def velocity(order, state, q, dt):
    """q̇ (n, 12) at the end of the step of dt [s] from a state to q (n, 12); exactly zero at rest."""
    qdot = np.empty_like(q)
    for b in range(len(q)):
        for i in range(DOF):
            if order == 1:
                qdot[b, i] = (q[b, i] - state.q[b, i]) / dt
            else:
                last = state.q[b, i] - state.q_before[b, i]
                qdot[b, i] = (3.0 * (q[b, i] - state.q[b, i]) - last) / (2.0 * dt)
    return qdot
