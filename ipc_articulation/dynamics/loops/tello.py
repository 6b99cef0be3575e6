"""The differentials of the Tello humanoid: two rotors move two links in series through rods.

q = (r₁, r₂, l₁, l₂): rotor angles, each N times the angle y after its gearbox, and link angles; ẏ is the velocity after
the gearbox, so G = [N 1; ∂l/∂y]. Dimensions are the robot's (Sim, Chignoli, Kim et al. 2022, «Tello Leg»; the functions
as in the original derivation, see generalized_rbda v2.0). In metres and radians.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.dynamics.loops.explicit import checked_ratio
from ipc_articulation.dynamics.loops.implicit import Implicit


class TelloDifferential(Implicit):
    """A differential with two rotors and two links.

    Args:
        phi: The relation of (y₁, y₂, l₁, l₂).
        ratio: N.

    Raises:
        ModelError: The ratio is zero or not finite.
    """

    def __init__(self, phi: Any, ratio: float) -> None:
        N = checked_ratio(ratio)
        super().__init__(lambda q: phi(q[0] / N, q[1] / N, q[2], q[3]), 4, (0, 1), N)


def tello_hip(ratio: float = 6.0) -> TelloDifferential:
    """The hip: links are gimbal and thigh."""
    return TelloDifferential(_hip, ratio)


def tello_knee_ankle(ratio: float = 6.0) -> TelloDifferential:
    """The knee and ankle: links are shin and foot."""
    return TelloDifferential(_knee_ankle, ratio)


def _hip(y1: Any, y2: Any, l1: Any, l2: Any) -> Any:
    """φ_s for s = 1 with y₁ and s = -1 with y₂."""
    return np.array([_hip_row(y1, l1, l2, 1.0), _hip_row(y2, l1, l2, -1.0)])


def _hip_row(y: Any, l1: Any, l2: Any, s: float) -> Any:
    return (
        57 / 2500 * np.sin(y)
        - 49 / 5000 * np.cos(l1)
        - s * 399 / 20000 * np.sin(l1)
        - 8 / 625 * np.cos(y) * np.cos(l2)
        - 57 / 2500 * np.cos(l1) * np.sin(l2)
        - s * 7 / 625 * np.sin(y) * np.sin(l1)
        + s * 7 / 625 * np.sin(l1) * np.sin(l2)
        - 8 / 625 * np.cos(l1) * np.sin(y) * np.sin(l2)
        + 3021 / 160000
    )


def _knee_ankle(y1: Any, y2: Any, l1: Any, l2: Any) -> Any:
    u = 0.5 * (y1 - y2)
    first = (
        21 / 6250 * np.cos(u + 1979 * np.pi / 4500)
        - 13 / 625 * np.cos(u + 493 * np.pi / 1500)
        - 273 / 12500 * np.cos(np.pi / 9)
        - 7 / 2500 * np.sin(u + l2 + 231 * np.pi / 500)
        + 91 / 5000 * np.sin(l2 + 2 * np.pi / 15)
        - 147 / 50000 * np.sin(l2 + np.pi / 45)
        + 163349 / 6250000
    )
    return np.array([first, l1 - 0.5 * (y1 + y2)])
