"""Three angles that are almost a rotation vector, and the slopes between the two.

Two bodies that differ by a rotation R = exp([ξ]×) have the twist about each axis k (b, c the two after it)

    ψ_k = atan2(R_cb - R_bc, R_bb + R_cc) = 2 atan(ξ_k/|ξ| tan ½|ξ|) = ξ_k + O(|ξ|³),

which is the coordinate of a revolute joint about k between them (C and S in docs/energy.md), whatever else they turn.
ψ is odd in ξ: it has no second-order term, unlike Euler angles. So with the rotation R = exp([φ̃]×) exp([ξ]×) of the
vector φ,

    φ = φ̃ + L ψ + O(|φ̃| |ψ|²) + O(|ψ|³),   L = 1 + ½ [φ̃]× + (1/a² - (1 + cos a)/(2 a sin a)) [φ̃]×²,   a = |φ̃|.

Source of L, the inverse of the right Jacobian of SO(3): G. Chirikjian, Stochastic Models, Information Theory, and Lie
Groups 2, 2011, chapter 10.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array

_SMALL = 1e-3  # [rad] below which the factor of [φ]×² is that of the series, 1/12 + a²/720


def twists(R: Array) -> Array:
    """ψ of a rotation (3, 3), each in (-π, π]: (3,) [rad]."""
    b, c = np.array([1, 2, 0]), np.array([2, 0, 1])
    return np.arctan2(R[c, b] - R[b, c], R[b, b] + R[c, c])


def rotation(phi: ArrayLike) -> Array:
    """exp([φ]×), (3, 3), of a rotation vector φ (3,) [rad]."""
    return spatial.rotation_from_quaternion(spatial.quaternion_exp(phi))


def log_slopes(phi: Array) -> Array:
    """L, (3, 3), at a rotation vector φ̃ (3,) shorter than π [rad]."""
    a, X = np.linalg.norm(phi), spatial.skew(phi)
    factor = 1.0 / 12.0 + a * a / 720.0 if a < _SMALL else 1.0 / a**2 - (1.0 + np.cos(a)) / (2.0 * a * np.sin(a))
    return np.eye(3) + 0.5 * X + factor * X @ X


def turn(R: Array) -> float:
    """The angle of a rotation (3, 3), in [0, π] [rad]."""
    return float(2.0 * np.arccos(min(1.0, abs(spatial.quaternion_from_rotation(R)[0]))))


def twist_slopes(R: Array) -> Array:
    """∂ψ/∂η of R exp([η]×) at η = 0, (3, 3); for the quaternion (w, v) of R its row k is

        (w (w e_k + [v]×_k) + v_k v)/(w² + v_k²).

    It loses its rank where w = 0, at half a turn.
    """
    q = spatial.quaternion_from_rotation(R)
    w, v = q[0], q[1:]
    return (w * (w * np.eye(3) + spatial.skew(v)) + np.outer(v, v)) / (w * w + v * v)[:, None]
