"""Where Newton starts: bodies go on as they moved, until the first two meet.

Going on with the affine velocity q̇ would stretch a body that turns, and the stiff shape energy would forbid it. Bodies
go on rigidly instead, with the twist (v, ω) that is in q̇: A turns by exp(dt [ω]), and a free body's centre of mass
moves straight, while a link, which turns about its joints, follows its screw.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.engine import islands, rows
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
        ahead, going = q.copy(), np.flatnonzero(moving & rows.is_nonzero(qdot))
        if len(going):
            _continue(going, q, qdot, self._center, self._is_link, dt, ahead)
        return ahead - q


def advance(potential: Potential, q: Array, motion: Array, moving: Bools) -> tuple[Array, Array | None]:
    """Move from q (n, 12) along a motion (n, 12) as far as nothing touches; not where that raises an island's energy.

    Returns:
        Coordinates (n, 12), and the energies of the bodies there (n,), None where they were not measured.
    """
    if not motion.any():
        return q, None
    potential.select(moving)
    share, labels = potential.free_way(q, motion, moving)
    ahead = q + share[:, None] * motion
    E_ahead, E = potential.body_energies(ahead), potential.body_energies(q)
    lower = islands.total(labels, E_ahead) < islands.total(labels, E)
    return np.where(lower[:, None], ahead, q), np.where(lower, E_ahead, E)


@njit(cache=True)
def _continue(going, q, qdot, center, is_link, dt, ahead):
    for b in going:
        w = _angular_velocity(q[b], qdot[b])
        R, V = _exponential(dt * w)
        ahead[b, 3:] = (R @ q[b, 3:].copy().reshape(3, 3)).ravel()
        if is_link[b]:
            ahead[b, :3] = R @ q[b, :3] + V @ (dt * (qdot[b, :3] - np.cross(w, q[b, :3])))
            continue
        for k in range(3):
            c, a = center[b], 3 + 3 * k
            moved = q[b, k] + np.dot(q[b, a : a + 3], c) + dt * (qdot[b, k] + np.dot(qdot[b, a : a + 3], c))
            ahead[b, k] = moved - np.dot(ahead[b, a : a + 3], c)


@njit(cache=True)
def _angular_velocity(q, qdot):
    """ω (3,) of the spin Ȧ A⁻¹ (see `affine.twist_from_qdot`)."""
    W = qdot[3:].copy().reshape(3, 3) @ np.linalg.inv(q[3:].copy().reshape(3, 3))
    return 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])


@njit(cache=True)
def _exponential(phi):
    """The rotation exp([φ]) and the matrix V = ∫₀¹ exp(s [φ]) ds of a screw motion."""
    angle = np.sqrt(np.dot(phi, phi))
    K = np.array([[0.0, -phi[2], phi[1]], [phi[2], 0.0, -phi[0]], [-phi[1], phi[0], 0.0]])
    if angle < 1e-4:
        a, b, c = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0
    else:
        a = np.sin(angle) / angle
        b = (1.0 - np.cos(angle)) / angle**2
        c = (1.0 - a) / angle**2
    K2 = K @ K
    return np.eye(3) + a * K + b * K2, np.eye(3) + b * K + c * K2
