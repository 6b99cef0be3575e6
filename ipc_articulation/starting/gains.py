"""Gains from the mass that a joint moves.

With a joint's own entry m of the mass matrix, kp = ω² m and kv = 2 ω m make it settle without overshoot at the rate ω,
whatever its size. ω is halved until the step of the whole robot is stable.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
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
    rate = RATE
    while True:
        kp, kv = _two_digits(rate**2 * m), _two_digits(2.0 * rate * m)
        if rate < 0.1 or is_stable(M + dt * np.diag(kv), kp, kv, dt):
            return kp, kv
        rate *= 0.5


def _two_digits(values: Array) -> Array:
    return np.array([float(f"{value:.2g}") for value in values])
