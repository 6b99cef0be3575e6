"""Where Newton starts: bodies go on as they moved, until the first two meet.

Going on with the affine velocity q̇ would stretch a body that turns, and the stiff shape energy would forbid it. Bodies
go on rigidly instead, with the twist (v, ω) that is in q̇: A turns by exp(dt [ω]), and a free body's centre of mass
moves straight, while a link, which turns about its joints, follows its screw.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.barrier import cross
from ipc_articulation.engine import islands
from ipc_articulation.engine.potential import Potential
from ipc_articulation.frontend.bodies import BodyTable

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Extrapolation:
    """Rigid continuation of the motion of n bodies."""

    def __init__(self, bodies: BodyTable) -> None:
        """Note which bodies are links of an articulation, and where the centres of mass are."""
        self._is_link = bodies.external_kinetic
        self._center = bodies.mass[:, 0, 3:6] / bodies.mass[:, :1, 0]  # (n, 3) in the body's frame [m]

    def motion(self, q: Array, qdot: Array, moving: Bools, dt: float) -> Array:
        """Change of the coordinates in dt [s] from q (n, 12) with q̇ (n, 12); zero for bodies that are not moving."""
        return _motion(q, qdot, moving, self._center, self._is_link, dt)


def advance(potential: Potential, q: Array, motion: Array, moving: Bools) -> tuple[Array, Array | None]:
    """Move from q (n, 12) along a motion (n, 12) as far as nothing touches; not where that raises an island's energy.

    Returns:
        Coordinates (n, 12), and the energies of the bodies there (n,), None where they were not measured.
    """
    if not np.count_nonzero(motion):
        return q, None
    potential.select(moving)
    share, labels = potential.free_way(q, motion, moving)
    ahead = q + share[:, None] * motion
    return _lower(labels, q, potential.body_energies(q), ahead, potential.body_energies(ahead))


@njit(cache=True)
def _lower(labels, q, E, ahead, E_ahead):
    """The coordinates and energies of `ahead` for islands whose energy is lower there, else those of q."""
    is_lower = islands.total(labels, E_ahead) < islands.total(labels, E)
    start = q.copy()
    for b in range(len(q)):
        if is_lower[b]:
            start[b] = ahead[b]
    return start, np.where(is_lower, E_ahead, E)


@njit(cache=True)
def _motion(q, qdot, moving, center, is_link, dt):
    ahead = q.copy()
    for b in range(len(q)):
        if moving[b] and np.any(qdot[b]):
            _continue(q[b], qdot[b], center[b], is_link[b], dt, ahead[b])
    return ahead - q


@njit(cache=True)
def _continue(q, qdot, center, is_link, dt, ahead):
    """Bring one body from q (12,) to where it is after dt."""
    phi, turn = dt * _angular_velocity(q[3:].reshape(3, 3), qdot[3:].reshape(3, 3)), np.empty(3)
    R, V = _exponential(phi)
    for k in range(3):
        for m in range(3):
            ahead[3 + 3 * k + m] = _dot(R[k], q[3 + m :: 3])
    cross(phi, q[:3], turn)
    for k in range(3):
        if is_link:
            ahead[k] = _dot(R[k], q[:3]) + _dot(V[k], dt * qdot[:3] - turn)
        else:
            a = slice(3 + 3 * k, 6 + 3 * k)
            moved = q[k] + _dot(q[a], center) + dt * (qdot[k] + _dot(qdot[a], center))
            ahead[k] = moved - _dot(ahead[a], center)


@njit(cache=True)
def _dot(a, b):
    """Scalar product of three numbers, for which np.dot takes ten times as long."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def _angular_velocity(A, A_dot):
    """ω (3,) of the spin W = Ȧ A⁻¹ (see `affine.twist_from_qdot`)."""
    C = np.empty((3, 3))  # the columns of A⁻¹, times det A
    for k in range(3):
        cross(A[(k + 1) % 3], A[(k + 2) % 3], C[k])
    w = np.empty(3)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        w[k] = _dot(A_dot[j], C[i]) - _dot(A_dot[i], C[j])
    return 0.5 / _dot(A[0], C[0]) * w


@njit(cache=True)
def _exponential(phi):
    """The rotation exp([φ]) and the matrix V = ∫₀¹ exp(s [φ]) ds of a screw motion."""
    angle = np.sqrt(_dot(phi, phi))
    if angle < 1e-4:
        a, b, c = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0
    else:
        a = np.sin(angle) / angle
        b = (1.0 - np.cos(angle)) / angle**2
        c = (1.0 - a) / angle**2
    return _polynomial(a, b, phi), _polynomial(b, c, phi)


@njit(cache=True)
def _polynomial(a, b, phi):
    """The matrix 1 + a [φ] + b [φ]², with [φ]² = φφᵀ - |φ|²."""
    x, y, z = phi
    d = 1.0 - b * (x * x + y * y + z * z)
    return np.array(
        [
            [d + b * x * x, b * x * y - a * z, b * x * z + a * y],
            [b * x * y + a * z, d + b * y * y, b * y * z - a * x],
            [b * x * z - a * y, b * y * z + a * x, d + b * z * z],
        ]
    )
