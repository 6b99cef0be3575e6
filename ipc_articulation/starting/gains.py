"""Gains from the mass that a joint moves.

With a joint's own entry m of the mass matrix, kp = ω² m and kv = 2 ω m make it settle without overshoot at the rate ω,
whatever its size. ω of joints that would chatter, see `checking.chatter`, is lowered until they do not; then that
of all is halved until the step of the whole robot is stable.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.checking.chatter import CALM
from ipc_articulation.checking.gains import is_stable

RATE = 30.0  # ω [1/s]: a joint settles in about 0.1 s


def choose_gains(M: Array, driven: Bools, dt: float) -> tuple[Array, Array]:
    """Position and velocity gains.

    Args:
        M: Mass matrix, (m, m).
        driven: Which joints get an actuator, (m,).
        dt: [s].

    Returns:
        kp and kv, (m,) each, of two digits; 0 where there is no actuator.
    """
    m = np.where(driven, np.diag(M), 0.0)
    rate = np.full(len(m), RATE)
    while True:
        kp, kv = _two_digits(rate**2 * m), _two_digits(2.0 * rate * m)
        implicit = M + dt * np.diag(kv)
        if np.any(chatters := _chatters(implicit, kv, dt)):
            rate[chatters] *= 0.9
        elif rate.max() < 0.1 or is_stable(implicit, kp, kv, dt):
            return kp, kv
        else:
            rate *= 0.5


def _chatters(M: Array, kv: Array, dt: float) -> Bools:
    """Which joints change their velocity by more than the damping at the limit of a force may; M contains dt kv."""
    inertia = 1.0 / np.diag(np.linalg.inv(M)) - dt * kv
    return dt * kv > CALM * inertia


def _two_digits(values: Array) -> Array:
    return np.array([float(f"{value:.2g}") for value in values])
