"""The momentum that contact gives to a floating robot in a step.

The articulation's force π = M̂(δθ-δθ̃)/dt on the freedoms of the base balances the impulse of all contacts on the robot:
π = (f, π_φ), with the impulse f of the contact forces in world axes, and π_φ dual to the rotation vector δφ in the
base's own axes, which turns from the reference to R⁺. A further virtual turn η in those axes changes δφ by J⁻¹η, with
the right Jacobian J of the exponential (Solà, Deray, Atchuthan 2018, «A micro Lie theory», eq. 144)

    J⁻¹(φ) = 1 + ½ φ~ + (1/|φ|² - (1 + cos|φ|)/(2 |φ| sin|φ|)) φ~².

So the impulse has the moment R⁺ J⁻ᵀ π_φ about the base's origin x⁺, and x⁺ × f more about the world's.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array

_SMALL = 1e-3  # |φ| below which the factor of φ~² is its series 1/12 + |φ|²/720


def contact_momentum(force: Array, turn: Array, pose: Array) -> Array:
    """[moment about the world's origin; impulse] of the contacts of a step, (6,) [N·m·s; N·s].

    Args:
        force: π on the base's freedoms, (6,) [N·s; N·m·s].
        turn: δφ of the base in the step, (3,) [rad].
        pose: Of the base at the end of the step, (4, 4).
    """
    f, moment = force[:3], pose[:3, :3] @ (inverse_right_jacobian(turn).T @ force[3:])
    return np.concatenate([moment + np.cross(pose[:3, 3], f), f])


def inverse_right_jacobian(turn: Array) -> Array:
    """J⁻¹ of a rotation vector (3,) shorter than π, (3, 3)."""
    angle, skew = float(np.linalg.norm(turn)), spatial.skew(turn)
    if angle < _SMALL:
        factor = 1.0 / 12.0 + angle**2 / 720.0
    else:
        factor = 1.0 / angle**2 - (1.0 + np.cos(angle)) / (2.0 * angle * np.sin(angle))
    return np.asarray(np.eye(3) + 0.5 * skew + factor * skew @ skew)
